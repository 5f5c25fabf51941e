//! The built-in tools, and the tools that coding agents bring: what each of them is.

use super::tool::{Argument, Dialect, Reach, Risk, Tool, Touches};

/// The names of the tools that [`builtin`] knows.
pub const BUILTIN: [&str; 15] = [
    "bash",
    "powershell",
    "cmd",
    "file_read",
    "list_files",
    "grep",
    "glob",
    "file_write",
    "file_edit",
    "web_fetch",
    "ask_user",
    "wait",
    "escalate_to_group",
    "memory_write",
    "memory_search",
];

/// What is known of the tool `name` without a server, if it is one of ours.
pub fn builtin(name: &str) -> Option<Tool> {
    let one = |name: &str| vec![Argument::named(name)];
    let file = || Touches::Path(vec![Argument { alias: Some("path".into()), ..Argument::named("file_path") }]);
    let search = |glob: &str, reach| {
        let folder = Argument { unless_given: Some(".".into()), ..Argument::named("path") };
        Touches::Search { folder, glob: Argument::named(glob), reach }
    };
    let tool = match name {
        "bash" => {
            let touches = Touches::Command(one("command"), Dialect::Posix);
            tool(&["shell"], Risk::High, touches, &["command", "description", "timeout", "run_in_background"])
        }
        "powershell" | "cmd" => {
            let touches = Touches::Command(one("command"), Dialect::Windows);
            tool(&["shell"], Risk::High, touches, &["command", "description", "timeout", "run_in_background"])
        }
        "file_read" => tool(&["read_file"], Risk::Low, file(), &["file_path", "path", "offset", "limit", "pages"]),
        "list_files" => {
            let (alias, unless_given) = (Some("file_path".into()), Some(".".into()));
            let touches = Touches::Path(vec![Argument { alias, unless_given, ..Argument::named("path") }]);
            let known = ["path", "file_path", "depth", "pattern", "ignore", "recursive"];
            tool(&["read_file"], Risk::Low, touches, &known)
        }
        "grep" => {
            let known = [
                "pattern",
                "path",
                "glob",
                "type",
                "output_mode",
                "-A",
                "-B",
                "-C",
                "-n",
                "-i",
                "-o",
                "context",
                "head_limit",
                "offset",
                "multiline",
            ];
            tool(&["read_file"], Risk::Low, search("glob", Reach::Within), &known)
        }
        "glob" => tool(&["read_file"], Risk::Low, search("pattern", Reach::From), &["pattern", "path"]),
        "file_write" => tool(&["write_file"], Risk::Medium, file(), &["file_path", "path", "content"]),
        "file_edit" => {
            let known = ["file_path", "path", "old_string", "new_string", "replace_all", "edits"];
            tool(&["write_file"], Risk::Medium, file(), &known)
        }
        "web_fetch" => {
            let known = ["url", "prompt", "method", "headers", "body", "max_bytes"];
            tool(&["network"], Risk::Medium, Touches::Url(one("url")), &known)
        }
        "wait" => {
            let known = &["signal", "message", "until", "seconds", "timeout_seconds"];
            tool(&[], Risk::Low, Touches::Nothing, known)
        }
        "ask_user" => Tool { arguments: None, ..tool(&[], Risk::Low, Touches::Nothing, &[]) },
        "escalate_to_group" => undemanding(&["delegate"], Risk::Medium),
        "memory_write" => undemanding(&["memory"], Risk::Medium),
        "memory_search" => undemanding(&[], Risk::Low),
        _ => return None,
    };
    Some(tool)
}

fn tool(capabilities: &[&str], risk: Risk, touches: Touches, arguments: &[&str]) -> Tool {
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    Tool { capabilities: words(capabilities), risk, touches, arguments: Some(words(arguments)) }
}

/// A tool whose resource is all of its arguments, whichever they are.
fn undemanding(capabilities: &[&str], risk: Risk) -> Tool {
    Tool { arguments: None, ..tool(capabilities, risk, Touches::Everything, &[]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_in_the_list_is_known() {
        assert!(BUILTIN.iter().all(|name| builtin(name).is_some()));
        assert!(builtin("bash ").is_none());
    }
}
