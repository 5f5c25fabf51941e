//! Values that only say where a secret is, or that one belongs there: `$TOKEN`, `<your-token>`, `***`.

/// Whether `value` names a secret rather than being one.
pub(super) fn is_reference(value: &str) -> bool {
    let value = value.trim();
    value.is_empty() || value.contains('⟦') || is_variable(value) || is_blank_form(value) || is_stored(value)
}

/// `$TOKEN`, `${TOKEN}`, `$(cat token)`, `%TOKEN%`, `{{ token }}`, `TOKEN_NAME`, and whatever runs a command.
fn is_variable(value: &str) -> bool {
    let runs = value.split_once("$(").is_some_and(|(_, rest)| rest.contains(')')) || value.matches('`').count() >= 2;
    let dollar = value.strip_prefix('$').is_some_and(|name| {
        is_wrapped(name, '{', '}') || (!name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
    });
    let capitals = value.contains('_') && value.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
    let percent = value.len() > 2 && is_wrapped(value, '%', '%') && value.bytes().all(|b| b != b' ');
    runs || dollar || capitals || percent || is_wrapped(value, '{', '}')
}

/// `<your-token>`, `[redacted]`, `***`, `xxxx`, `…`, `%s`, `your-token-here`.
fn is_blank_form(value: &str) -> bool {
    let mut letters = value.chars();
    let first = letters.next().unwrap_or(' ');
    let same = letters.all(|c| c == first) && (!first.is_alphanumeric() || matches!(first, 'x' | 'X'));
    let yours =
        ["your", "my-", "my_", "insert", "replace", "enter-", "enter_", "change_", "change-"].iter().any(|start| {
            value.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
                && value.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'-' | b'_' | b'.'))
        });
    let format = value.len() == 2 && value.starts_with('%');
    same || yours || format || is_wrapped(value, '<', '>') || is_wrapped(value, '[', ']')
}

/// An address in a store of secrets, or a variable of the environment.
fn is_stored(value: &str) -> bool {
    [
        "env:",
        "env.",
        "op://",
        "vault:",
        "arn:",
        "ssm:",
        "ref+",
        "secretref:",
        "keyring:",
        "keychain:",
        "sops:",
        "process.env",
        "os.environ",
        "os.getenv",
    ]
    .iter()
    .any(|start| value.starts_with(start))
}

fn is_wrapped(value: &str, open: char, close: char) -> bool {
    value.len() > 1 && value.starts_with(open) && value.ends_with(close)
}

/// Whether `value` is a URL or a path, which are no secrets, whatever they are called.
pub(super) fn is_place(value: &str) -> bool {
    let path = ["/", "./", "../", "~/", "C:\\"].iter().any(|start| value.starts_with(start));
    value.contains("://") || (path && value.split(['/', '\\']).all(is_wordy))
}

/// Whether `value` is put together from words, short numbers and the signs between them: `my-app-v2`, `prod/db_1`.
pub(super) fn is_wordy(value: &str) -> bool {
    value.split(['-', '_', '.', '/', ':', '@', ' ']).all(|part| {
        let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = part.len() - letters.len();
        letters.chars().all(char::is_alphabetic)
            && !is_camel_mess(letters)
            && (digits <= 2 || letters.is_empty() && digits <= 4)
    })
}

/// `wJalrXUtnFEMI` is no word, `accessToken` and `README` are: a word has few capitals after small letters.
fn is_camel_mess(word: &str) -> bool {
    let turns = word
        .as_bytes()
        .windows(2)
        .filter(|two| matches!(two, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()));
    let turns = turns.count();
    turns > 1 && turns * 4 > word.len()
}

/// Whether at least `least` characters of `value` look as nobody would write for their meaning.
pub(super) fn is_made_up(value: &str, least: usize) -> bool {
    let has = |fit: fn(char) -> bool| value.chars().any(fit);
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '@' | ' ' | ',');
    let odd = value.chars().any(|c| !plain(c));
    value.len() >= least && has(char::is_alphanumeric) && (odd || has(char::is_alphabetic)) && (odd || !is_wordy(value))
}
