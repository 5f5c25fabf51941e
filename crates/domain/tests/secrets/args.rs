//! Arguments of calls.

use crate::vault::Vault;
use serde_json::{Map, Value, json};

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(members) = value else { panic!("an object") };
    members
}

/// What was taken out of `args`.
fn taken(args: Value, schema: Option<&Value>) -> Vec<(String, &'static str)> {
    let args = object(args);
    let mut vault = Vault::default();
    let masked = vault.mask_args(&args, schema);
    assert_eq!(vault.unmask_args(&masked), args);
    assert_eq!(Vault::default().mask_args(&masked, schema), masked);
    let mut kept: Vec<_> = vault.kept.into_iter().map(|(secret, kind)| (secret, kind.word())).collect();
    kept.sort();
    kept
}

#[test]
fn a_member_is_masked_by_its_name_in_every_spelling() {
    for name in [
        "password",
        "PASSWORD",
        "dbPassword",
        "db-password",
        "api_key",
        "apiKey",
        "clientSecret",
        "x-api-key",
        "token",
        "secret",
    ] {
        assert_eq!(taken(json!({ "a": { name: "hunter" } }), None).len(), 1, "{name}");
    }
}

#[test]
fn other_members_and_values_that_are_no_secrets_stay() {
    let args = json!({
        "max_tokens": 4096, "token_count": "12", "tokens": "a b", "next_page_token": "CAUQAA4bc8dEf1", "key": "k1x9", "primary_key": "id7",
        "public_key": "AAAAC3Nza1", "keyboard": "us2", "secret_name": "db-1", "password_policy": "strong1", "author": "me", "secretary": "x9",
        "password": null, "token": true, "pin": 1234, "secret": "", "api_key": "$API_KEY", "client_secret": "${SECRET}",
        "access_token": "<your-token>", "credentials": "***", "auth_token": "{{ token }}", "private_key": "/etc/ssl/private.key",
        "passphrase": "%PASSPHRASE%", "refresh_token": "op://prod/app/token", "authorization": "Bearer $TOKEN", "cookie": "⟦secret 3 a91f5c02: cookie⟧",
        "path": "/srv/secret/token", "url": "https://example.com/token?page=2", "command": "grep -r password src/",
    });
    assert_eq!(taken(args, None), []);
}

#[test]
fn only_what_is_secret_of_a_header_is_masked() {
    let masked = Vault::default().mask_args(&object(json!({ "authorization": "Bearer abc123" })), None);
    assert_eq!(masked["authorization"], "Bearer ⟦secret 1 a91f5c02: authorization⟧");
}

#[test]
fn lists_below_a_name_and_everything_below_a_mark_are_masked() {
    let args = json!({ "passwords_old": "x1", "password": ["one", ["two"]], "credentials": { "user": "me", "pass": "three" } });
    assert_eq!(
        taken(args, None),
        [("one".into(), "password"), ("three".into(), "password"), ("two".into(), "password")]
    );

    let schema =
        json!({ "properties": { "vault": { "x-secret": true }, "note": { "format": "password" }, "plain": {} } });
    let args = json!({ "vault": { "a": ["one", { "b": "two" }], "n": 3 }, "note": "three", "plain": "four" });
    let marked = Some(&schema);
    assert_eq!(taken(args, marked).iter().map(|(secret, _)| &**secret).collect::<Vec<_>>(), ["one", "three", "two"]);
}

#[test]
fn names_of_members_are_looked_at_too() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    assert_eq!(taken(json!({ "headers": { token.clone(): 1 } }), None), [(token, "github token")]);
}

#[test]
fn a_command_after_an_escaped_end_of_line_is_one_of_its_own() {
    let text = r#"{"run": "mysql -u root -phunter2x shop\ncurl -u deploy:hunter3x https://api.example.com"}"#;
    let masked = Vault::default().mask(text);
    assert!(!masked.contains("hunter2x") && !masked.contains("hunter3x"), "{masked}");
}

#[test]
fn a_secret_within_a_text_leaves_the_text() {
    let args = object(json!({ "command": "curl -u deploy:hunter2 https://api.example.com" }));
    let masked = Vault::default().mask_args(&args, None);
    assert_eq!(masked["command"], "curl -u deploy:⟦secret 1 a91f5c02: password⟧ https://api.example.com");
}
