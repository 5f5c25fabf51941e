//! An approval is bound to a call's digest, so a call must come back as the very call it was.

use crate::fixture::{Tale, asked, at, end_of_questions, object, said};
use countersign_domain::Digest;
use countersign_domain::canonical::{Limits, read};
use countersign_runtime::ports::Store;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::Value;

const CASES: usize = 300;
const LARGEST: i64 = (1 << 53) - 1;

pub async fn a_call_keeps_its_digest(store: &dyn Store) {
    let mut runner = TestRunner::default();
    let args = prop::collection::vec((any::<String>(), value()), 0..5).prop_map(object);
    let mut masked = 0;
    for _ in 0..CASES {
        let args = args.new_tree(&mut runner).unwrap().current();
        let mut tale = Tale::begin(store, at(0)).await;
        let call = tale.proposal(0, args);
        let digest = call.call().unwrap().digest();
        tale.then(store, said(vec![call.clone()]), at(1)).await.unwrap();
        tale.then(store, asked(&call, end_of_questions()), at(2)).await.unwrap();

        let loaded = store.load(tale.run.id).await.unwrap().unwrap();
        let again = loaded.call(call.call_id).unwrap().proposal.call().unwrap();
        assert_eq!(again.digest(), digest, "{call:?}");
        let open = loaded.open_interactions()[0].id;
        let shown = store.interaction(open).await.unwrap().unwrap().call;
        assert_eq!(shown.digest, digest);
        // By chance something in it may read like a password, as what stands after `pw=` does: that is not shown.
        if Value::from(shown.args.clone()).to_string().contains("⟦secret ") {
            masked += 1;
            continue;
        }
        let shown_args = countersign_domain::Call::new(shown.server, shown.tool, shown.args, shown.cwd).unwrap();
        assert_eq!(shown_args.defined_by(Digest::of(b"definition")).digest(), digest, "{call:?}");
    }
    assert!(masked < CASES / 20, "{masked} calls are not shown as they are");
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-LARGEST..=LARGEST).prop_map(Value::from),
        prop::sample::select(vec![LARGEST, -LARGEST]).prop_map(Value::from),
        any::<String>().prop_map(Value::String),
        any::<f64>().prop_filter_map("a number that has one meaning", number),
        (-1e9..1e9).prop_filter_map("a number that has one meaning", number),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((any::<String>(), inner), 0..4).prop_map(object),
        ]
    })
}

fn number(number: f64) -> Option<Value> {
    read(format!("{number:e}").as_bytes(), Limits::CALL).ok()
}
