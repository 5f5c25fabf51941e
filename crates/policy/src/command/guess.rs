//! What a line might run, guessed from its words: for lines that are not understood. It finds too much rather than too
//! little.

/// Programs and words after which another command may follow.
#[rustfmt::skip]
fn leads(name: &str) -> bool {
    matches!(name,
        "!" | "{" | "builtin" | "chroot" | "command" | "coproc" | "do" | "doas" | "elif" | "else" | "env" | "eval" | "exec"
        | "find" | "flock" | "if" | "ionice" | "nice" | "nohup" | "parallel" | "setsid" | "ssh" | "stdbuf" | "strace"
        | "su" | "sudo" | "then" | "time" | "timeout" | "until" | "watch" | "while" | "xargs"
        | "sh" | "bash" | "dash" | "zsh" | "ksh" | "busybox")
}

/// What is taken away from words.
const QUOTES: [char; 4] = ['\'', '"', '\\', '$'];

/// Leading words that are looked behind, and words behind each of them. What lies further is not found, but the line is
/// marked all the same.
const MOST_LEADING: usize = 4;
const MOST_OPTIONS: usize = 8;

/// Texts that may be commands: words joined by single blanks, command words without their folder.
pub(super) fn commands(line: &str) -> Vec<String> {
    let (mut found, mut words, mut bare) = (Vec::new(), Vec::new(), String::new());
    let parts = |c: char| matches!(c, ';' | '|' | '&' | '\n' | '\r' | '(' | ')' | '{' | '}' | '`' | '<' | '>');
    for part in line.split(parts) {
        if part.bytes().any(|byte| QUOTES.contains(&char::from(byte))) {
            // Quotes and backslashes are taken away, so that `r'm'` and `\rm` are `rm`; blanks in quotes part words.
            bare.clear();
            bare.extend(part.chars().filter(|c| !QUOTES.contains(c)));
            add(&bare.split_whitespace().collect::<Vec<_>>(), &mut found);
        } else {
            words.clear();
            words.extend(part.split_whitespace());
            add(&words, &mut found);
        }
    }
    found
}

fn add(words: &[&str], found: &mut Vec<String>) {
    let mut rest = words;
    for _ in 0..MOST_LEADING {
        let [first, after @ ..] = rest else { return };
        let name = first.rsplit('/').next().unwrap_or(first);
        if !is_assignment(first) {
            found.push(command(rest));
            if !leads(name) {
                return;
            }
            found.extend((1..after.len().min(MOST_OPTIONS)).filter_map(|start| after.get(start..)).map(command));
        }
        rest = after;
    }
}

/// The words as one text, the command word without its folder.
fn command(words: &[&str]) -> String {
    let (first, arguments) = words.split_first().unwrap_or((&"", &[]));
    let name = first.rsplit('/').next().unwrap_or(first);
    let mut text = String::with_capacity(name.len() + arguments.iter().map(|word| word.len() + 1).sum::<usize>());
    text.push_str(name);
    for word in arguments {
        text.push(' ');
        text.push_str(word);
    }
    text
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| super::word::is_name(name))
}
