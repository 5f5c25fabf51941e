//! What belongs to Countersign itself. Denied to every tool of every agent, whatever the policy.

use crate::pattern::Pattern;

/// Patterns over paths and commands that no agent may touch. They stand in brackets; the tool is any.
const ALWAYS: &[&str] = &[
    // Configuration, database, keys and tokens, wherever they lie.
    "*(/**/countersign.yaml)",
    "*(/**/countersign.yml)",
    "*(/**/countersign.db)",
    "*(/**/countersign.db-*)",
    "*(/**/.countersign/**)",
    "*(/**/.config/countersign/**)",
    "*(/**/.local/share/countersign/**)",
    "*(/**/.local/state/countersign/**)",
    "*(/**/Library/Application Support/countersign/**)",
];

/// Commands that answer, grant or change policy, or that show or erase the record.
const COMMANDS: &[&str] = &["approve", "reject", "inbox", "token", "migrate", "audit"];

pub(crate) fn patterns(own_paths: &[String]) -> Vec<Pattern> {
    let named = own_paths.iter().flat_map(|path| {
        let exact = path.replace('\\', "\\\\").replace('*', "\\*").replace('?', "\\?").replace(')', "\\)");
        [format!("*({exact})"), format!("*({exact}/**)")]
    });
    let commands = COMMANDS.iter().map(|command| format!("*(countersign {command}:*)"));
    let all = ALWAYS.iter().map(|&text| text.to_owned()).chain(named).chain(commands);
    all.filter_map(|text| Pattern::parse(&text).ok()).collect()
}
