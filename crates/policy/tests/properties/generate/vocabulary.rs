//! The few names, patterns and arguments that everything is made of.

/// Tool patterns without brackets, for whatever takes a pattern.
pub const WIDE: &[&str] = &[
    "*",
    "*",
    "bash",
    "file_*",
    "file_read",
    "read_*",
    "pay",
    "delete_row",
    "web_fetch",
    "café",
    "cafe\u{301}",
    "fs/*",
    "fs/read_doc",
    "*/delete_row",
    "d*/*_row",
    "*/*",
    "mcp__db__delete_row",
];

/// The same for allow grants, which need a literal server and a tool that begins with something.
pub const GRANTED: &[&str] = &[
    "bash",
    "cmd",
    "file_read",
    "file_*",
    "pay",
    "read_*",
    "delete_row",
    "web_fetch",
    "ask_user",
    "café",
    "cafe\u{301}",
    "fs/read_doc",
    "db/delete_*",
    "fs/run_it",
];

/// Patterns with brackets, for whatever takes a pattern.
///
/// Patterns that allow commands by wildcard are left out: what such a pattern covers is for the tests of the shell
/// analysis.
pub const NARROW: &[&str] = &[
    "cmd(npm run lint)",
    "bash(npm run lint)",
    "bash(curl x)",
    "file_read(./secrets/**)",
    "file_*(src/*.rs)",
    "file_write(./*.md)",
    "file_read(~/notes)",
    "file_read(/etc/passwd)",
    "file_read(/srv/repo/a.md)",
    "file_*(/srv/**/key)",
    "file_read(**/key)",
    "file_read(../out)",
    "file_read(src/?ain.rs)",
    "file_read([a].md)",
    "list_files(/srv/repo)",
    "web_fetch(https://*.example.com/**)",
    "web_fetch(https://api.example.com/v1/*)",
    "web_fetch(example.com)",
    "web_fetch(*.example.com)",
    "web_fetch(https://example.com:8443/**)",
    "web_fetch(https://example.com)",
    "web_fetch(https://example.com/**)",
    "web_fetch(http://example.com/*)",
    "web_fetch(https://api.*.com/v1/**)",
    "pay(*bob*)",
    "pay({\"amount\":5,\"to\":\"bob\"})",
    "pay(b?b)",
    "pay(a(b\\))",
    "pay(*)",
    "pay(?)",
    "pay(/srv/repo/*.md)",
    "fs/read_doc(b\\*b)",
    "fs/read_doc(./**)",
    "ask_user(x)",
    "memory_*(*\"to\":\"bob\"*)",
];

/// Patterns with brackets that only ever allow. As denials they would deny almost every command as well, since a
/// command may name any file of the folder; which words are files is for the tests of the shell analysis.
pub const ALLOWING: &[&str] = &[
    "file_read(/srv/repo/**)",
    "file_read(./**)",
    "file_read(/**)",
    "file_*(*)",
    "file_*(/srv/*)",
    "file_*(/srv/repo/*)",
    "list_files(/srv/**/**)",
];

/// Patterns with brackets that only ever deny or ask.
pub const DENYING: &[&str] = &[
    "bash(curl:*)",
    "bash(rm *)",
    "bash(npm run *)",
    "cmd(NPM:*)",
    "*(/etc/**)",
    "*/*(*bob*)",
    // Bad for one kind of resource, and nobody knows which one is meant.
    "web_*(*://evil.test/*)",
    "*(domain:example.com)",
    "file_*(./*/../secrets/**)",
    "*/*(https://example.com/?q)",
    "mcp__fs__read__pay",
    "mcp__fs__*",
    "mcp__fs__read__*(*bob*)",
    "web_fetch(*)",
    "web_fetch(https://*)",
    "web_fetch(http://*/x)",
];

pub const CAPABILITIES: &[&str] = &["shell", "read_file", "write_file", "network", "payment", "audit"];

/// Tools that are known only where the policy declares them.
pub const TOOLS: &[&str] = &["pay", "read_doc", "delete_row", "run_it", "café", "Pay"];

/// Names that are not what they look like; the last is only spelt in another normal form.
pub const DISGUISED: &[&str] = &["rеad_doc", "pay\u{200b}", "bash ", "pаy", "cafe\u{301}"];

/// Plain words and separators; the last two are not, and nobody can tell what they run.
pub const COMMANDS: &[&str] = &[
    "npm run lint",
    "npm run test",
    "npm  run   lint",
    "npm run lint && curl x",
    "curl x",
    "curl",
    "curlie x",
    "rm x; ls",
    "ls",
    "echo rm x",
    "ls | curl x",
    "ls\ncurl x",
    "countersign approve x",
    "ls; countersign token create",
    "cat secrets/key",
    "cat /etc/passwd && ls",
    "countersign doctor",
    "$x y",
    "eval \"$x\"",
];

pub const PATHS: &[&str] = &[
    "./a.md",
    "a.md",
    "src/main.rs",
    "src/../src/main.rs",
    "/srv/repo/src/deep/x.rs",
    "secrets/key",
    "./secrets",
    "/srv/other/secrets/key",
    "/srv/key",
    "/etc/passwd",
    "../out",
    "~/notes",
    "/",
    ".",
    "link/key",
    "[a].md",
    "/srv/own/tokens",
    "/srv/repo/countersign.yaml",
    "docs\\x",
    "a\nb",
];

pub const URLS: &[&str] = &[
    "https://example.com/",
    "https://example.com/a/b",
    "https://api.example.com/v1/items?q=1",
    "https://api.example.com/v1/",
    "https://a.b.example.com/v1",
    "http://example.com/x",
    "http://example.com:8080/x",
    "https://example.com:8443/x",
    "https://example.com./x",
    "https://evil.test/x",
    "https://example.com@evil.test/x",
    "https://example.com\\x",
    "not a url",
];

pub const TEXTS: &[&str] = &["bob", "eve", "hello world", "b*b", "a(b)", "", "bob\u{200b}"];
