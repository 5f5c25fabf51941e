//! Lists, page by page.

use crate::fixture::{Tale, answered, asked, at, said};
use countersign_domain::InteractionId;
use countersign_domain::RunId;
use countersign_domain::interaction::{Decision, Status};
use countersign_domain::run::Input;
use countersign_runtime::ports::{InteractionFilter, RunFilter, Store};
use serde_json::json;
use uuid::Uuid;

pub async fn pages_of_runs_have_no_gaps_and_no_repeats(store: &dyn Store) {
    let mut expected = vec![];
    for n in 0..7 {
        // Some start at the same moment.
        let tale = Tale::begin(store, at(n / 3)).await;
        expected.push((at(n / 3), tale.run.id));
    }
    expected.sort();
    expected.reverse();
    for size in [1, 2, 3, 6, 7, 8] {
        let (mut found, mut after) = (vec![], None);
        loop {
            let page = store.runs(RunFilter { after, limit: size, ..Default::default() }).await.unwrap();
            assert!(page.items.len() <= size as usize);
            found.extend(page.items.iter().map(|run| (run.created_at, run.id)));
            let Some(next) = page.next else { break };
            after = Some(next.parse::<RunId>().unwrap());
            // One that comes meanwhile is newer than all that is still to be seen.
            if size == 2 {
                expected.insert(0, (at(100), Tale::begin(store, at(100)).await.run.id));
            }
        }
        let here: Vec<_> = expected.iter().filter(|run| size != 2 || run.0 < at(100)).copied().collect();
        let mut sorted = here.clone();
        sorted.sort();
        sorted.reverse();
        assert_eq!(found, sorted, "pages of {size}");
    }
}

async fn listed(store: &dyn Store, filter: InteractionFilter) -> Vec<InteractionId> {
    let (mut found, mut after) = (vec![], None);
    loop {
        let page = store.interactions(InteractionFilter { after, ..filter.clone() }).await.unwrap();
        assert!(page.items.len() <= filter.limit as usize);
        found.extend(page.items.iter().map(|asked| asked.id));
        after = page.next;
        if after.is_none() {
            return found;
        }
    }
}

pub async fn pages_of_questions_have_no_gaps_and_no_repeats(store: &dyn Store) {
    let mut expected = vec![];
    for end in [30, 10, 20] {
        let mut tale = Tale::begin(store, at(0)).await;
        tale.asks(store, at(0), 3, at(end)).await;
        expected.extend(tale.run.open_interactions().iter().map(|asked| (asked.expires_at, asked.id)));
    }
    expected.sort();
    let expected: Vec<_> = expected.into_iter().map(|(_, id)| id).collect();
    for limit in [1, 2, 4, 8, 9, 10] {
        assert_eq!(
            listed(store, InteractionFilter { limit, ..Default::default() }).await,
            expected,
            "pages of {limit}"
        );
    }
}

pub async fn questions_are_filtered(store: &dyn Store) {
    let (mut one, open) = Tale::waiting(store, at(0), 3).await;
    let (two, others) = Tale::waiting(store, at(0), 2).await;
    one.then(store, answered(open[1], Decision::Approve, "bob"), at(1)).await.unwrap();
    let filter = |status, run| InteractionFilter { status, run, limit: 1, ..Default::default() };
    let sorted = |ids: &[InteractionId]| {
        let mut ids = ids.to_vec();
        ids.sort();
        ids
    };
    let still_open = [open[0], open[2], others[0], others[1]];
    assert_eq!(listed(store, filter(Some(Status::Open), None)).await, sorted(&still_open));
    assert_eq!(listed(store, filter(Some(Status::Answered), None)).await, [open[1]]);
    assert_eq!(listed(store, filter(None, Some(one.run.id))).await, sorted(&open));
    assert_eq!(listed(store, filter(Some(Status::Open), Some(two.run.id))).await, sorted(&others));
    assert_eq!(listed(store, filter(Some(Status::Expired), Some(two.run.id))).await, []);
}

pub async fn open_questions_are_found_by_their_words(store: &dyn Store) {
    let mut tale = Tale::begin(store, at(0)).await;
    let lines = [
        "make ÄPFEL 苹果",
        "make 100% of_it \"C:\\part-7/of<all>\"",
        "make it; export TOKEN=ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    ];
    let calls: Vec<_> = lines.iter().enumerate().map(|(n, line)| tale.proposal(n, json!({"command": line}))).collect();
    tale.then(store, said(calls.clone()), at(0)).await.unwrap();
    for call in &calls {
        tale.then(store, asked(call, at(30)), at(0)).await.unwrap();
    }
    tale.then(store, Input::Slept, at(0)).await.unwrap();
    let open: Vec<_> =
        tale.run.open_interactions().iter().map(|open| (open.call.args["command"].clone(), open.id)).collect();
    let id = |line: &str| open.iter().find(|(command, _)| command == line).unwrap().1;
    let found = async |words: &[&str]| {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        listed(store, InteractionFilter { words, limit: 2, ..Default::default() }).await
    };
    assert_eq!(found(&["MAKE"]).await.len(), 3);
    assert_eq!(found(&["äpfel", "Make"]).await, [id(lines[0])]);
    assert_eq!(found(&["苹果"]).await, [id(lines[0])]);
    assert_eq!(found(&["may"]).await, [], "titles are drawn, and not looked for");
    // What means something to databases means itself.
    assert_eq!(found(&["100%"]).await, [id(lines[1])]);
    assert_eq!(found(&["f_i"]).await, [id(lines[1])]);
    assert_eq!(found(&["%"]).await, [id(lines[1])]);
    assert_eq!(found(&["\"c:\\PART-7/of<ALL>\""]).await, [id(lines[1])], "nor do quotes stand in the way");
    assert_eq!(found(&["part-8/of<all>"]).await, []);
    assert_eq!(found(&[&"make".repeat(20_000)]).await, [], "however long a word is");
    assert_eq!(found(&["'; DROP TABLE interactions"]).await, []);
    assert_eq!(found(&["ghp_abcdefghijklmnopqrstuvwxyz0123456789"]).await, [], "a secret is not looked for");
    tale.then(store, answered(id(lines[0]), Decision::Approve, "bob"), at(1)).await.unwrap();
    assert_eq!(found(&["äpfel"]).await, [], "one that is settled is not found any more");
}

pub async fn after_what_is_not_there_comes_nothing(store: &dyn Store) {
    Tale::waiting(store, at(0), 1).await;
    assert_eq!(
        store
            .runs(RunFilter { after: Some(RunId::new(Uuid::nil())), limit: 10, ..Default::default() })
            .await
            .unwrap()
            .items,
        vec![]
    );
    for after in ["", "'; DROP TABLE runs", "int_00000000000000000000000000000000"] {
        let filter = InteractionFilter { after: Some(after.into()), limit: 10, ..Default::default() };
        let page = store.interactions(filter).await.unwrap();
        assert_eq!((page.items, page.next), (vec![], None));
    }
}
