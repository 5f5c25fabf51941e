//! Every kind of secret in every place it is written in.

use crate::kinds::{Dice, KINDS, Planted, Way, plant};
use crate::vault::Vault;
use serde_json::{Map, Value, json};

/// A place that secrets are written in: what comes with them.
enum Context {
    Text(&'static str, fn(&Planted) -> String),
    Args(&'static str, fn(&Planted) -> Value),
}

const CONTEXTS: [Context; 17] = [
    Context::Text("command line", |p| match &p.way {
        Way::Looks => format!("deploy --region eu-1 --with {} --verbose", p.secret),
        Way::Name(name, ..) => format!("deploy --region eu-1 --{} {} --verbose", name.replace('_', "-"), p.secret),
        Way::Around(whole) => format!("{whole} && echo done"),
    }),
    Context::Text("environment file", |p| {
        format!("# settings\nPORT=8080\n{}\nDEBUG=1\n", set(p, "THING", "=", str::to_uppercase))
    }),
    Context::Text("shell assignment", |p| {
        format!("export {} && make release", set(p, "THING", "=", str::to_uppercase))
    }),
    Context::Text("url", |p| match &p.way {
        Way::Name(name, ..) => format!("GET https://api.example.com/v1/items?page=2&{name}={}&sort=asc", p.secret),
        Way::Looks if p.secret.contains("://") => format!("POST {} HTTP/1.1", p.secret),
        Way::Looks => format!("GET https://api.example.com/v1/items?page=2&q={}&sort=asc", p.secret),
        Way::Around(whole) => format!("see {whole}"),
    }),
    Context::Text("http header", |p| match &p.way {
        Way::Name(name, ..) => {
            format!("POST /v1 HTTP/1.1\r\nHost: a.example\r\nX-{}: {}\r\n\r\n", name.replace('_', "-"), p.secret)
        }
        Way::Looks => format!("POST /v1 HTTP/1.1\r\nHost: a.example\r\nX-Thing: {}\r\n\r\n", p.secret),
        Way::Around(whole) => format!("POST /v1 HTTP/1.1\r\nHost: a.example\r\n{whole}\r\n\r\n"),
    }),
    Context::Text("yaml", |p| {
        format!("service:\n  host: db.example.com\n  {}\n  port: 5432\n", set(p, "thing", ": ", str::to_owned))
    }),
    Context::Text("json", |p| match &p.way {
        Way::Name(name, ..) => format!("{{\"host\": \"db\", \"{name}\": \"{}\", \"port\": 1}}", p.secret),
        _ => format!("{{\"host\": \"db\", \"thing\": \"{}\", \"port\": 1}}", bare(p)),
    }),
    Context::Text("json in json", |p| match &p.way {
        Way::Name(name, ..) => format!("{{\"body\": \"{{\\\"{name}\\\":\\\"{}\\\",\\\"n\\\":1}}\"}}", p.secret),
        _ => format!("{{\"body\": \"first\\n{}\\nlast\"}}", bare(p)),
    }),
    Context::Text("log line", |p| {
        format!(
            "2026-11-15T18:53:54Z \u{1b}[33mWARN\u{1b}[0m request failed {} status=401 in 12ms",
            set(p, "thing", "=", str::to_owned)
        )
    }),
    Context::Text("python", |p| match &p.way {
        Way::Name(name, ..) => format!("import os\n{name} = \"{}\"\nprint(len({name}))\n", p.secret),
        _ => format!("import os\nthing = \"{}\"\nprint(len(thing))\n", bare(p)),
    }),
    Context::Text("here-document", |p| {
        format!("cat > app.conf <<'EOF'\nuser = app\n{}\nEOF\nls -l", set(p, "thing", " = ", str::to_owned))
    }),
    Context::Text("diff", |p| {
        format!(
            "--- a/.env\n+++ b/.env\n@@ -1,2 +1,2 @@\n PORT=1\n-A=1\n+{}\n",
            set(p, "THING", "=", str::to_uppercase)
        )
    }),
    Context::Text("prose", |p| match &p.way {
        Way::Name(name, ..) => format!("Hi! The {name} is {}, please do not tell anybody.", p.secret),
        _ => format!("Hi! Take {} for it, please.", bare(p)),
    }),
    Context::Text("japanese", |p| match &p.way {
        Way::Name(_, japanese, _) => format!("本番の{japanese}は{}です。共有しないでください。", p.secret),
        Way::Looks => format!("本番では{}を使ってください。", p.secret),
        Way::Around(whole) => format!("本番では「{whole}」を使ってください。"),
    }),
    Context::Text("chinese and base64", |p| match &p.way {
        Way::Name(_, _, chinese) => format!("iVBORw0KGgo= 生产环境的{chinese}是：{}，请勿外传。aGVsbG8=", p.secret),
        Way::Looks => format!("iVBORw0KGgo= 生产环境用 {}，请勿外传。aGVsbG8=", p.secret),
        Way::Around(whole) => format!("aGVsbG8= 生产环境用 {whole} aGVsbG8="),
    }),
    Context::Args("arguments", |p| match &p.way {
        Way::Name(name, ..) => json!({ "host": "db", *name: p.secret, "n": 1 }),
        _ => json!({ "host": "db", "thing": bare(p), "n": 1 }),
    }),
    Context::Args("nested arguments", |p| match &p.way {
        Way::Name(name, ..) => json!({ "steps": [{ "with": { camel(name): [p.secret] } }, true, null] }),
        _ => json!({ "steps": [{ "with": { "env": [["x", bare(p)]] } }, true, null] }),
    }),
];

fn bare(planted: &Planted) -> &str {
    match &planted.way {
        Way::Around(whole) => whole,
        _ => &planted.secret,
    }
}

fn set(planted: &Planted, other: &str, sign: &str, spell: fn(&str) -> String) -> String {
    match &planted.way {
        Way::Name(name, ..) => format!("{}{sign}{}", spell(name), planted.secret),
        Way::Looks => format!("{other}{sign}{}", planted.secret),
        Way::Around(whole) => whole.clone(),
    }
}

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| name + &word[..1].to_uppercase() + &word[1..])
}

/// A piece of the secret that somebody could still read.
fn left_over<'s>(secret: &'s str, masked: &str) -> Option<&'s str> {
    let host = "https://hooks.slack.com/services/";
    let secret = secret.strip_prefix(host).unwrap_or(secret);
    let shortest = secret.len().min(9);
    (0..=secret.len() - shortest).map(|at| &secret[at..at + shortest]).find(|piece| masked.contains(piece))
}

#[test]
fn no_planted_secret_is_left_over() {
    let (mut planted, mut failures) = (0, Vec::new());
    for kind in 0..KINDS {
        for (place, context) in CONTEXTS.iter().enumerate() {
            let seed = u64::try_from(kind * 100 + place).unwrap() + 1;
            let one = plant(kind, &mut Dice::new(seed));
            let mut vault = Vault::default();
            let (name, text, masked) = match context {
                Context::Text(name, write) => {
                    let text = write(&one);
                    let masked = vault.mask(&text);
                    assert_eq!(vault.unmask(&masked), text, "{name}");
                    assert_eq!(Vault::default().mask(&masked), masked, "{name}");
                    (name, text, masked)
                }
                Context::Args(name, write) => {
                    let Value::Object(args) = write(&one) else { panic!("{name}") };
                    let masked = vault.mask_args(&args, None);
                    assert_eq!(vault.unmask_args(&masked), args, "{name}");
                    assert_eq!(Vault::default().mask_args(&masked, None), masked, "{name}");
                    (name, text_of(&args), text_of(&masked))
                }
            };
            planted += 1;
            if left_over(&one.secret, &masked).is_some() {
                failures.push(format!("{} in {name}: {text} -> {masked}", one.kind));
            }
        }
    }
    assert!(planted >= 600, "{planted}");
    assert!(failures.is_empty(), "{} of {planted}:\n{}", failures.len(), failures.join("\n"));
}

fn text_of(args: &Map<String, Value>) -> String {
    Value::Object(args.clone()).to_string()
}

/// The kinds that stand over several lines.
#[test]
fn whole_blocks_of_private_keys_are_masked() {
    for label in ["RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY", "PRIVATE KEY", "PGP PRIVATE KEY BLOCK"] {
        let mut dice = Dice::new(7);
        let lines: Vec<_> = (0..6).map(|_| plant_line(&mut dice)).chain(["Zm9vYmFy".to_owned()]).collect();
        for (name, joint) in
            [("lines", "\n"), ("escaped", "\\n"), ("windows", "\r\n"), ("indented", "\n    "), ("diff", "\n+")]
        {
            let block = format!("-----BEGIN {label}-----{joint}{}{joint}-----END {label}-----", lines.join(joint));
            for text in [
                format!("key: \"{block}\" # end"),
                format!("cat <<EOF\n{block}\nEOF"),
                format!("PRIVATE_KEY=\"{block}\"\nPORT=1"),
            ] {
                let mut vault = Vault::default();
                let masked = vault.mask(&text);
                assert!(lines.iter().all(|line| !masked.contains(&**line)), "{name}: {masked}");
                assert!(
                    masked.contains("end") || masked.contains("EOF") || masked.contains("PORT=1"),
                    "{name}: {masked}"
                );
                assert_eq!(vault.unmask(&masked), text);
            }
        }
        let cut = format!("-----BEGIN {label}-----\n{}\n{}\n\nand then nothing", lines[0], lines[1]);
        assert!(lines.iter().all(|line| !Vault::default().mask(&cut).contains(&**line)), "{cut}");
    }
}

fn plant_line(dice: &mut Dice) -> String {
    plant(2, dice).secret.replace("cs_service_", "")
}
