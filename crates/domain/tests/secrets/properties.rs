//! Whatever comes: masking is undone byte for byte, and done once.

use crate::vault::Vault;
use countersign_domain::secret::in_text;
use proptest::prelude::*;
use serde_json::{Map, Value};

/// Parts that mean something to the scanner, so that chance meets it.
const PARTS: [&str; 64] = [
    "password",
    "PASSWORD",
    "api_key",
    "token",
    "secret",
    "Authorization",
    "Cookie",
    "key",
    "=",
    ": ",
    " = ",
    "\"",
    "'",
    "`",
    "\\\"",
    "\\n",
    "\n",
    " ",
    ";",
    "&",
    "|",
    "$",
    "$(",
    ")",
    "${",
    "}",
    "<",
    ">",
    ",",
    "-",
    "--",
    "://",
    "a:b@",
    "@",
    "/",
    ".",
    "⟦",
    "⟧",
    "⟦secret 1 a91f5c02: token⟧",
    "⟦secret 9 ffff: token⟧",
    "hunter2",
    "abc123DEF456",
    "パスワード",
    "は",
    "密码",
    "：",
    "「",
    "」",
    "Bearer ",
    "Basic ",
    "mysql ",
    "curl ",
    "-u ",
    "-p",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "AAAAAAAAAAAAAAAAAAAAAAAA",
    "eyJhbGciOiJIUzI1NiJ9.",
    "eyJzdWIiOiIxIn0",
    concat!("ghp", "_a1B2c3D4a1B2c3D4a1B2c3D4a1B2c3D4a1B2"),
    "is ",
    "str",
    "\u{1b}[31m",
    "é",
];

fn text(most: usize) -> impl Strategy<Value = String> {
    let part = prop_oneof![8 => prop::sample::select(&PARTS[..]).prop_map(str::to_owned), 1 => "\\PC{0,6}", 1 => any::<String>()];
    prop::collection::vec(part, 0..most).prop_map(|parts| parts.concat())
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        text(6).prop_map(Value::String),
        any::<i64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null)
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        let members = prop::collection::btree_map(text(6), inner.clone(), 0..5)
            .prop_map(|members| Value::Object(members.into_iter().collect()));
        prop_oneof![prop::collection::vec(inner, 0..5).prop_map(Value::Array), members]
    })
}

/// The vault's own placeholders are known to it, so a text that holds one already is not what comes back.
fn is_foreign(text: &str) -> bool {
    !text.contains("a91f5c02")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if std::env::var_os("COUNTERSIGN_FULL").is_some() { 200_000 } else { 10_000 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_found_is_in_order_and_whole(text in text(24)) {
        let mut from = 0;
        for one in in_text(&text) {
            prop_assert!(one.range.start >= from && !one.range.is_empty());
            prop_assert!(text.get(one.range.clone()).is_some());
            from = one.range.end;
        }
    }

    #[test]
    fn a_text_is_masked_once_and_comes_back(text in text(24)) {
        let mut vault = Vault::default();
        let masked = vault.mask(&text);
        prop_assert_eq!(&Vault::default().mask(&masked), &masked);
        if is_foreign(&text) {
            prop_assert_eq!(vault.unmask(&masked), text);
        }
    }

    #[test]
    fn arguments_are_masked_once_and_come_back(members in prop::collection::btree_map(text(6), json(), 0..5)) {
        let args: Map<String, Value> = members.into_iter().collect();
        let mut vault = Vault::default();
        let masked = vault.mask_args(&args, None);
        prop_assert_eq!(&Vault::default().mask_args(&masked, None), &masked);
        if is_foreign(&Value::Object(args.clone()).to_string()) {
            prop_assert_eq!(vault.unmask_args(&masked), args);
        }
    }
}
