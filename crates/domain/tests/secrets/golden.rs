//! Texts and what is masked in them: `tests/cases/secrets/masked.txt`, where `«…»` stands around each secret.
//!
//! `¦` is left out, so that no scanner takes the file for a leak; `\n` is a line break.

use crate::vault::Vault;
use countersign_domain::secret::in_text;

#[test]
fn exactly_what_is_marked_is_masked() {
    let mut failures = Vec::new();
    for line in
        include_str!("../cases/secrets/masked.txt").lines().filter(|line| !line.is_empty() && !line.starts_with("# "))
    {
        let expected = line.replace('¦', "").replace("\\n", "\n");
        let text = expected.replace(['«', '»'], "");
        let mut seen = text.clone();
        for one in in_text(&text).iter().rev() {
            seen.replace_range(one.range.clone(), &format!("«{}»", &text[one.range.clone()]));
        }
        if seen != expected {
            failures.push(format!("expected {expected}\n   found {seen}"));
        }
        let mut vault = Vault::default();
        let masked = vault.mask(&text);
        assert_eq!(vault.unmask(&masked), text);
        assert!(in_text(&masked).is_empty(), "{masked}");
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
