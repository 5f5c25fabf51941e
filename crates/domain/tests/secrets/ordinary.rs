//! What people and agents write every day, with nothing in it to be masked.

use countersign_domain::secret::in_text;

fn nothing_is_found(texts: &str) {
    let failures: Vec<_> = texts
        .lines()
        .map(|line| line.replace("\\n", "\n"))
        .filter_map(|text| {
            let found = in_text(&text);
            let found: Vec<_> = found.iter().map(|one| (&text[one.range.clone()], one.kind.word())).collect();
            (!found.is_empty()).then(|| format!("{text}: {found:?}"))
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn ordinary_commands_are_not_masked() {
    let commands = include_str!("../cases/secrets/commands.txt");
    assert!(commands.lines().count() >= 90, "{}", commands.lines().count());
    nothing_is_found(commands);
}

#[test]
fn ordinary_texts_are_not_masked() {
    let texts = include_str!("../cases/secrets/texts.txt");
    assert!(texts.lines().count() >= 90, "{}", texts.lines().count());
    nothing_is_found(texts);
}
