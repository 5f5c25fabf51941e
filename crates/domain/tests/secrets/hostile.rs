//! Texts that are written to take long, or to end badly.

use crate::vault::Vault;
use countersign_domain::secret::{in_text, mask_args};
use serde_json::{Map, Value};

/// Each would take hours if anything of it were looked at more than a few times.
/// A megabyte with `COUNTERSIGN_FULL`, else a sixteenth of one.
#[test]
fn much_of_anything_is_looked_through_in_linear_time() {
    let bytes = if std::env::var_os("COUNTERSIGN_FULL").is_some() { 1 << 20 } else { 1 << 16 };
    for part in [
        "password",
        "password=",
        "password=\"",
        "password='\"",
        "password=$password",
        "password: ",
        "password=“x ",
        "token=",
        "--password ",
        "eyJ",
        "eyJ.",
        "eyJhbGciOiJIUzI1NiJ9.",
        "://",
        "://a:",
        "a://b:c",
        "a://b:c/",
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAA\n",
        "mysql ",
        "curl -u ",
        "curl \"",
        "mysql -p",
        "ghp_",
        "sk-",
        "AKIA",
        "Bearer ",
        "Cookie: a=",
        "cookie=a=b;",
        "⟦secret ",
        "⟦secret 1 a91f: password⟧",
        "パスワード",
        "パスワードは",
        "密码：",
        "\\",
        "\"",
        "'",
        "\n",
        "a",
        " ",
        "\u{1b}[31m",
        "8Q~",
        ":AA",
        "1:AA",
        "Authorization: ",
        "Authorization: Bearer ",
        "password is ",
        "password\t",
        "login password ",
        "PASSWORD '",
        "token: str = ",
    ] {
        let text = part.repeat(bytes / part.len());
        let mut vault = Vault::default();
        let masked = vault.mask(&text);
        assert!(vault.unmask(&masked) == text, "{part}");
        assert!(in_text(&masked).is_empty(), "{part}");
    }
}

#[test]
fn arguments_a_hundred_thousand_deep_are_no_danger() {
    let mut value = Value::String("password=hunter2".into());
    for _ in 0..100_000 {
        value = Value::Array(vec![value]);
    }
    let mut args = Map::from_iter([("a".to_owned(), value)]);
    let mut found = 0;
    mask_args(&mut args, None, &mut |_, _| {
        found += 1;
        String::new()
    });
    assert_eq!(found, 1);
    // Dropping it goes as deep as it is, which is the parser's business.
    std::mem::forget(args);
}
