//! What happens in a run, masked and put back.

use crate::kinds::{Dice, KINDS, Way, plant};
use countersign_domain::RunId;
use countersign_domain::run::Event;
use countersign_domain::secret::{Key, Marks, Masker, Secrets};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;
use uuid::Uuid;

const TOKEN: &str = concat!("ghp", "_a1B2c3D4a1B2c3D4a1B2c3D4a1B2c3D4a1B2");

fn run(number: u128) -> RunId {
    RunId::new(Uuid::from_u128(number))
}

fn masker() -> Masker {
    Masker::new(&Key::new([7; 32]), Some(run(1)))
}

fn event(kind: &str, data: &Value) -> Event {
    serde_json::from_value(json!({"type": kind, "data": data})).unwrap()
}

fn said(words: &str) -> Event {
    event("run_completed", &json!({"output": words}))
}

fn calling(args: &Value) -> Event {
    let (call, digest) = (format!("call_{:032}", 0), format!("sha256:{}", "a".repeat(64)));
    let call = json!({"call_id": call, "model_id": "1", "name": "t", "tool": "t", "args": args, "key": digest});
    event("step_completed", &json!({"text": "", "calls": [call]}))
}

/// The masked event as text, and the secrets; it must come back as it was.
fn masked(masker: &mut Masker, event: &Event) -> (String, Secrets) {
    let mut events = [event.clone()];
    let secrets = masker.mask(&mut events).remove(0);
    let text = serde_json::to_string(&events[0]).unwrap();
    secrets.unmask(&mut events[0]);
    assert_eq!(events[0], *event, "{text}");
    (text, secrets)
}

#[test]
fn a_secret_has_one_placeholder_in_its_run_and_another_elsewhere() {
    let place = |run_number, words: &str| {
        let mut masker = Masker::new(&Key::new([7; 32]), Some(run(run_number)));
        let (text, _) = masked(&mut masker, &said(words));
        text.split('⟦').nth(1).unwrap().split('⟧').next().unwrap().to_owned()
    };
    assert_eq!(place(1, &format!("take {TOKEN} now")), place(1, &format!("again {TOKEN}")));
    assert_ne!(place(1, TOKEN), place(2, TOKEN));
    assert_ne!(place(1, TOKEN), place(1, &TOKEN.replace('a', "b")));
}

#[test]
fn a_placeholder_that_somebody_writes_is_words_and_no_secret() {
    let (first, _) = masked(&mut masker(), &said(&format!("take {TOKEN}")));
    let place = first.split('"').find(|part| part.contains('⟦')).unwrap().trim_start_matches("take ").to_owned();
    // Whoever saw it writes it, beside the secret itself and alone; it comes back as it was written.
    for words in [format!("use {place}"), format!("{TOKEN} {place} {TOKEN}"), place.replace("github token", "password")]
    {
        let (text, _) = masked(&mut masker(), &said(&words));
        assert!(!text.contains(TOKEN), "{text}");
    }
    let (_, secrets) = masked(&mut masker(), &said(&format!("use {place}")));
    assert_eq!(secrets.get(&place), None, "nothing is known by what somebody wrote");
    // Also as the name of an argument.
    masked(&mut masker(), &calling(&json!({place.clone(): TOKEN, TOKEN: place})));
}

#[test]
fn what_was_found_once_is_masked_wherever_it_stands() {
    let mut events =
        [calling(&json!({"password": "hunter2hunter2"})), said("it printed hunter2hunter2, twice: hunter2hunter2")];
    let secrets = masker().mask(&mut events);
    let text = serde_json::to_string(&events).unwrap();
    assert!(!text.contains("hunter2"), "{text}");
    // And in what is saved later, by whoever knows what was found before.
    let (text, _) = masked(&mut masker().knowing(&secrets[0]), &said("hunter2hunter2"));
    assert!(!text.contains("hunter2"), "{text}");
    // A word that people use is not hidden everywhere because it was a password once.
    let mut events = [calling(&json!({"password": "staging"})), said("deploy to staging")];
    masker().mask(&mut events);
    assert_eq!(events[1], said("deploy to staging"));
}

#[test]
fn what_a_schema_marks_is_masked() {
    let mut marks = Marks::default();
    marks.learn(None, "t", &json!({"properties": {"note": {"x-secret": true}}}));
    let mut marking = masker().marking(Arc::new(marks));
    let (text, _) = masked(&mut marking, &calling(&json!({"note": "the fox", "other": "plain"})));
    assert!(!text.contains("the fox") && text.contains("plain"), "{text}");
    let (text, _) = masked(&mut masker(), &calling(&json!({"note": "the fox"})));
    assert!(text.contains("the fox"), "{text}");
}

#[test]
fn names_that_a_model_gives_are_looked_at_too() {
    let digest = format!("sha256:{}", "a".repeat(64));
    let call = json!({"call_id": format!("call_{:032}", 0), "model_id": TOKEN, "name": TOKEN, "tool": "t", "args": {}, "key": digest});
    let (text, _) = masked(&mut masker(), &event("step_completed", &json!({"text": "", "calls": [call]})));
    assert!(!text.contains(TOKEN), "{text}");
    let by = json!({"kind": "user", "name": "ann", "role": "approver"});
    let (text, _) =
        masked(&mut masker(), &event("message_received", &json!({"text": "hi", "channel": TOKEN, "by": by})));
    assert!(!text.contains(TOKEN), "{text}");
}

#[test]
fn every_kind_comes_back_from_words_and_arguments() {
    for kind in 0..KINDS {
        let one = plant(kind, &mut Dice::new(kind as u64 + 1));
        let words = match &one.way {
            Way::Looks => one.secret.clone(),
            Way::Name(name, ..) => format!("{name}={}", one.secret),
            Way::Around(whole) => whole.clone(),
        };
        let mut events = [said(&words), calling(&json!({"text": [words]}))];
        let before = events.clone();
        for (event, secrets) in events.iter_mut().zip(masker().mask(&mut before.clone())) {
            assert!(!secrets.is_empty(), "{words}");
            let mut masked = [event.clone()];
            masker().mask(&mut masked);
            secrets.unmask(&mut masked[0]);
            assert_eq!(masked[0], *event);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is said, with whatever known before, comes back byte for byte.
    #[test]
    fn what_was_masked_comes_back(parts in prop::collection::vec(0..8_usize, 0..10), noise in "\\PC{0,8}") {
        let (first, before) = masked(&mut masker(), &said(&format!("PASSWORD=hunter2hunter2 {TOKEN}")));
        let place = format!("⟦{}⟧", first.split('⟦').nth(1).unwrap().split('⟧').next().unwrap());
        let pieces = ["hunter2hunter2", TOKEN, &place, "⟦secret ", "⟧", "PASSWORD=", " ", &noise];
        let words: String = parts.iter().map(|part| pieces[*part]).collect();
        let (text, _) = masked(&mut masker().knowing(&before), &said(&words));
        prop_assert!(!text.contains("hunter2hunter2") && !text.contains(TOKEN), "{}", text);
        masked(&mut masker().knowing(&before), &calling(&json!({&words: &words, "a": [&words]})));
    }
}
