//! Changes of the policy, and answers that short memory keeps.

use crate::fixture::{Tale, answered, at, person};
use countersign_domain::Digest;
use countersign_domain::interaction::Decision;
use countersign_runtime::ports::{
    Changed, PastChange, PolicyChange, PolicyItem, PolicyKind, Remembered, SameCall, Save, Store, StoreError,
};
use serde_json::{Value, json};

fn change(kind: PolicyKind, key: &str, body: Option<Value>) -> PolicyChange {
    PolicyChange { kind, key: key.into(), body, by: person("olga"), why: Some("a test".into()), at: at(0) }
}

pub async fn each_change_of_the_policy_is_a_version(store: &dyn Store) {
    assert_eq!(store.policy_items().await.unwrap(), (0, vec![]));
    let lenient = change(PolicyKind::Rule, "a", Some(json!({"tool": "bash"})));
    let strict = change(PolicyKind::Role, "a", Some(json!({"allowed_tools": []})));
    assert_eq!(store.change_policy(vec![lenient.clone(), strict.clone()]).await.unwrap(), 2);
    let gone = change(PolicyKind::Rule, "a", None);
    assert_eq!(store.change_policy(vec![gone.clone()]).await.unwrap(), 3);
    let changed = Changed { version: 2, by: person("olga"), at: at(0), why: Some("a test".into()) };
    let left = PolicyItem { kind: PolicyKind::Role, key: "a".into(), body: json!({"allowed_tools": []}), changed };
    assert_eq!(store.policy_items().await.unwrap(), (3, vec![left]));
    assert_eq!(store.policy_version().await.unwrap(), 3);
    assert_eq!(store.policy_changes(0, 10).await.unwrap(), vec![(1, lenient), (2, strict.clone()), (3, gone)]);
    assert_eq!(store.policy_changes(1, 1).await.unwrap(), vec![(2, strict)]);
}

pub async fn racing_changes_of_the_policy_are_all_kept(store: &dyn Store) {
    let one = |n: u32| store.change_policy(vec![change(PolicyKind::Rule, &n.to_string(), Some(json!(n)))]);
    let made = tokio::join!(one(1), one(2), one(3), one(4), one(5), one(6));
    let mut versions: Vec<_> =
        [made.0, made.1, made.2, made.3, made.4, made.5].into_iter().map(Result::unwrap).collect();
    versions.sort_unstable();
    assert_eq!(versions.last(), Some(&6));
    let kept = store.policy_changes(0, 100).await.unwrap();
    assert_eq!(kept.iter().map(|(version, _)| *version).collect::<Vec<_>>(), (1..=6).collect::<Vec<_>>());
}

/// Whoever has seen a version changes that one, or nothing.
pub async fn the_policy_is_changed_only_as_it_was_seen(store: &dyn Store) {
    let rule = |n: u32| change(PolicyKind::Rule, "a", Some(json!({"tool": n.to_string()})));
    assert_eq!(store.change_policy_of(0, vec![rule(1), rule(2)], None).await.unwrap(), 2);
    for seen in [0, 1, 3] {
        assert!(matches!(store.change_policy_of(seen, vec![rule(3)], None).await, Err(StoreError::PolicyMoved)));
    }
    assert_eq!((store.policy_version().await.unwrap(), store.recorded().await.unwrap()), (2, 2));
    // Of several who have seen the same, one is first.
    let one = |n: u32| store.change_policy_of(2, vec![rule(n)], None);
    let made = tokio::join!(one(10), one(11), one(12), one(13));
    let made = [made.0, made.1, made.2, made.3];
    assert_eq!(made.iter().filter(|made| matches!(made, Ok(3))).count(), 1);
    assert_eq!(made.iter().filter(|made| matches!(made, Err(StoreError::PolicyMoved))).count(), 3);
    assert_eq!(store.policy_version().await.unwrap(), 3);
}

/// The history tells each change with what stood before it, page by page.
pub async fn the_history_of_the_policy_says_what_stood_before(store: &dyn Store) {
    let first = change(PolicyKind::Rule, "a", Some(json!({"tool": "x"})));
    let other = change(PolicyKind::Role, "a", Some(json!({})));
    let second = change(PolicyKind::Rule, "a", Some(json!({"tool": "y"})));
    let gone = change(PolicyKind::Rule, "a", None);
    let again = change(PolicyKind::Rule, "a", Some(json!({"tool": "z"})));
    store.change_policy(vec![first, other, second, gone, again]).await.unwrap();
    let page = store.policy_history(None, 3).await.unwrap();
    let told = |items: &[PastChange]| -> Vec<_> {
        items.iter().map(|past| (past.version, past.change.body.clone(), past.before.clone())).collect()
    };
    let (x, y, z) = (json!({"tool": "x"}), json!({"tool": "y"}), json!({"tool": "z"}));
    assert_eq!(told(&page.items), [(5, Some(z), None), (4, None, Some(y.clone())), (3, Some(y), Some(x.clone()))]);
    let next = page.next.unwrap().parse().unwrap();
    let last = store.policy_history(Some(next), 3).await.unwrap();
    assert_eq!((told(&last.items), last.next), (vec![(2, Some(json!({})), None), (1, Some(x), None)], None));
}

/// What an answer brings with it is saved with it, or not at all.
pub async fn what_an_answer_brings_is_saved_with_it(store: &dyn Store) {
    let (tale, open) = Tale::waiting(store, at(0), 1).await;
    let call = SameCall { user: "ann".into(), session: "s1".into(), digest: Digest::of(b"call") };
    let answer = Remembered { approved: true, at: at(5) };
    let brings = |save: Save| Save {
        remember: Some((call.clone(), answer)),
        policy: vec![change(PolicyKind::Grant, "ann", Some(json!({})))],
        ..save
    };
    let (save, _) = tale.next(answered(open[0], Decision::Approve, "bob"), at(5));
    let stale = Save { seen: save.seen - 1, ..brings(save.clone()) };
    assert!(store.save(stale).await.is_err());
    assert_eq!(store.remembered(&call, at(0)).await.unwrap(), None);
    store.save(brings(save.clone())).await.unwrap();
    assert_eq!(store.remembered(&call, at(0)).await.unwrap(), Some(answer));
    assert_eq!(store.policy_version().await.unwrap(), 1);
    assert!(matches!(store.save(brings(save)).await, Err(StoreError::Conflict(_))));
    assert_eq!(store.policy_version().await.unwrap(), 1);
}

pub async fn short_memory_keeps_the_newest_answer_for_a_day(store: &dyn Store) {
    let (tale, open) = Tale::waiting(store, at(0), 2).await;
    let call = SameCall { user: "ann".into(), session: "s1".into(), digest: Digest::of(b"call") };
    let mut tale = tale;
    for (question, (approved, second)) in open.iter().zip([(true, 10), (false, 20)]) {
        let (save, run) = tale.next(answered(*question, Decision::Approve, "bob"), at(second));
        let remember = Some((call.clone(), Remembered { approved, at: at(second) }));
        store.save(Save { remember, ..save }).await.unwrap();
        tale.run = run;
    }
    assert_eq!(
        store.remembered(&call, at(0)).await.unwrap(),
        Some(Remembered { approved: false, at: at(20) }),
        "the newest counts"
    );
    assert_eq!(store.remembered(&call, at(21)).await.unwrap(), None, "it is older than was asked for");
    for other in [
        SameCall { user: "bob".into(), ..call.clone() },
        SameCall { session: "s2".into(), ..call.clone() },
        SameCall { digest: Digest::of(b"other"), ..call.clone() },
    ] {
        assert_eq!(store.remembered(&other, at(0)).await.unwrap(), None);
    }
}
