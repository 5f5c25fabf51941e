//! What a reader of JSON or YAML expected, in the words of those who write it. Never what stands there: that may be a key.

/// An error of a reader in plain words.
pub fn plain(error: &str) -> String {
    if let Some((found, expected)) =
        error.strip_prefix("invalid type: ").and_then(|rest| rest.split_once(", expected "))
    {
        return format!("expected {}, found {}", expectation(expected), finding(found));
    }
    match error {
        "expected mapping start" => "expected a map".to_owned(),
        "expected sequence start" => "expected a list".to_owned(),
        "expected string scalar" => "expected a text".to_owned(),
        "invalid boolean" => "expected `true` or `false`".to_owned(),
        other => match other.strip_prefix("invalid ").filter(|word| is_number(word)) {
            Some(_) => "expected a whole number".to_owned(),
            None => other.to_owned(),
        },
    }
}

fn expectation(text: &str) -> &str {
    match text {
        "a sequence" => "a list",
        "a string" => "a text",
        "a boolean" => "`true` or `false`",
        text if text.starts_with("struct ") => "a map",
        text if text.starts_with("enum ") => "one of its words",
        text if is_number(text) => "a whole number",
        text => text,
    }
}

fn finding(text: &str) -> &str {
    match text.split([' ', '`']).next() {
        Some("sequence") => "a list",
        Some("map") => "a map",
        Some("string") => "a text",
        Some("boolean") => "`true` or `false`",
        Some("integer" | "floating") => "a number",
        Some("null" | "unit") => "nothing",
        _ => "something else",
    }
}

fn is_number(text: &str) -> bool {
    matches!(text, "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "usize")
}
