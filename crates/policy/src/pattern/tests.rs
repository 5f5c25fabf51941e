use super::*;
use crate::compile::Policy;
use crate::source::Source;
use countersign_domain::Call;
use countersign_domain::describe::Surroundings;
use serde_json::{Value, json};

fn described(tool: &str, args: &Value, cwd: Option<&str>) -> Described {
    let policy = Policy::compile(&Source::default()).unwrap();
    let (server, tool) = tool.split_once('/').map_or((None, tool), |(server, tool)| (Some(server.to_owned()), tool));
    let call = Call::new(server, tool.to_owned(), args.as_object().unwrap().clone(), cwd.map(str::to_owned)).unwrap();
    policy.describe(call, &Surroundings { home: Some("/home/dev".into()), ..Surroundings::default() })
}

fn covers(pattern: &str, call: &Described) -> bool {
    cover(std::iter::once(&Pattern::parse(pattern).unwrap()), &Subject::new(call), &|_| false)
}

fn hits(pattern: &str, call: &Described) -> Fit {
    Pattern::parse(pattern).unwrap().hits(call)
}

fn path(tool: &str, path: &str) -> Described {
    described(tool, &json!({"file_path": path}), Some("/srv/repo"))
}

fn url(url: &str) -> Described {
    described("web_fetch", &json!({"url": url}), None)
}

fn command(line: &str) -> Described {
    described("bash", &json!({"command": line}), None)
}

#[test]
fn a_path_pattern_covers_what_it_says() {
    for (pattern, covered, not) in [
        (
            "file_read(./docs/**)",
            vec!["docs", "docs/a", "/srv/repo/docs/a/b"],
            vec!["docsx", "../docs/a", "docs/../x", "/docs/a"],
        ),
        ("file_read(docs/*.md)", vec!["docs/a.md", "./docs/b c.md"], vec!["docs/a/b.md", "docs/a.txt"]),
        ("file_read(../other/**)", vec!["../other/x", "/srv/other/x"], vec!["other/x"]),
        ("file_read(~/.zshrc)", vec!["~/.zshrc", "/home/dev/.zshrc"], vec!["~/.zshrc.bak", ".zshrc"]),
        ("file_read(~/**)", vec!["~", "~/a/b"], vec!["/home/devil/x", "/home"]),
        ("file_read(/**)", vec!["/", "/etc/passwd", "x"], vec![]),
        ("file_read(**)", vec![".", "a/b"], vec!["..", "/etc/passwd"]),
        ("file_read(./a?c)", vec!["abc"], vec!["a/c", "ac"]),
        ("file_read(./[ab]/{c,d})", vec!["[ab]/{c,d}"], vec!["a/c"]),
        (
            "file_read(./src/**/test/*.rs)",
            vec!["src/test/a.rs", "src/x/y/test/a.rs"],
            vec!["src/a.rs", "src/xtest/a.rs"],
        ),
        ("file_read(./a\\*b)", vec!["a*b"], vec!["axb"]),
        ("file_read(docs/./x/../y/)", vec!["docs/y"], vec!["docs/x"]),
    ] {
        for given in covered {
            assert!(covers(pattern, &path("file_read", given)), "{pattern} {given}");
        }
        for given in not {
            assert!(!covers(pattern, &path("file_read", given)), "{pattern} {given}");
        }
    }
}

#[test]
fn a_wildcard_reaches_protected_files_only_by_name() {
    for given in
        [".git/hooks/pre-commit", "sub/.git/config", ".claude/settings.json", ".mcp.json", ".GIT/config", "a/.bashrc"]
    {
        assert!(!covers("file_write(./**)", &path("file_write", given)), "{given}");
        assert!(covers("file_read(./**)", &path("file_read", given)), "reading {given}");
        assert!(covers(&format!("file_write(./{given})"), &path("file_write", given)), "by its exact name {given}");
    }
    assert!(covers("file_write(./.git/**)", &path("file_write", ".git/hooks/pre-commit")));
    assert!(!covers("file_write(./.git/**)", &path("file_write", ".git/x/.ssh/config")));
    assert!(covers("file_write(./**)", &path("file_write", ".github/workflows/ci.yml")));
}

#[test]
fn without_a_working_folder_a_relative_denial_fits_in_any() {
    let absolute = described("file_read", &json!({"file_path": "/a/secrets/k"}), None);
    let adrift = described("file_read", &json!({"file_path": "secrets/k"}), None);
    assert_eq!(hits("file_read(./secrets/**)", &absolute), Fit::Yes);
    assert_eq!(hits("file_read(./secrets/**)", &adrift), Fit::Yes);
    assert_eq!(hits("file_read(/etc/**)", &adrift), Fit::Maybe);
    assert_eq!(hits("file_read(/etc/**)", &absolute), Fit::No);
    assert!(!covers("file_read(./**)", &absolute) && !covers("file_read(./**)", &adrift));
}

#[test]
fn a_url_pattern_covers_what_it_says() {
    for (pattern, covered, not) in [
        (
            "web_fetch(https://github.com/*)",
            vec!["https://github.com/a/b?c=1#d", "HTTPS://GitHub.com:443/x"],
            vec!["http://github.com/x", "https://github.com:444/x", "https://github.com.evil.test/"],
        ),
        (
            "web_fetch(https://*.example.com/**)",
            vec!["https://a.example.com/", "https://a.b.example.com/x"],
            vec!["https://example.com/", "https://evil-example.com/", "https://evil.test/.example.com/"],
        ),
        (
            "web_fetch(https://api-*.example.com/v1/*)",
            vec!["https://api-eu.example.com/v1/x"],
            vec!["https://api-eu.x.example.com/v1/x", "https://api-eu.example.com/v2"],
        ),
        (
            "web_fetch(docs.rs)",
            vec!["https://docs.rs/", "https://docs.rs/serde/latest"],
            vec!["http://docs.rs/", "https://x.docs.rs/"],
        ),
        (
            "web_fetch(https://bücher.example/**)",
            vec!["https://xn--bcher-kva.example/a", "https://bücher.example/a"],
            vec![],
        ),
        (
            "web_fetch(http://127.0.0.1:8080/**)",
            vec!["http://127.0.0.1:8080/x", "http://2130706433:8080/x"],
            vec!["http://127.0.0.1/x"],
        ),
        ("web_fetch(http://[::1]:3000/*)", vec!["http://[0:0::1]:3000/x"], vec!["http://[::2]:3000/x"]),
        ("web_fetch(https://a.test/日本*)", vec!["https://a.test/日本語"], vec!["https://a.test/中国"]),
        ("web_fetch(https://*/x)", vec!["https://localhost/x"], vec!["https://a.b/x", "https://10.0.0.1/x"]),
        (
            "web_fetch(https://a.test/public/*)",
            vec!["https://a.test/public/x"],
            vec![
                "https://a.test/public/../admin",
                "https://a.test/public/%2e%2e/admin",
                "https://a.test/public/..%2fadmin",
            ],
        ),
    ] {
        for given in covered {
            assert!(covers(pattern, &url(given)), "{pattern} {given}");
        }
        for given in not {
            assert!(!covers(pattern, &url(given)), "{pattern} {given}");
        }
    }
}

#[test]
fn a_denied_url_is_denied_in_every_spelling() {
    for given in [
        "http://169.254.169.254/x",
        "http://2852039166/",
        "http://0xa9fea9fe/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://169.254.169.254:8080/",
        "http://user@169.254.169.254./",
        "http:\\\\169.254.169.254/",
    ] {
        assert_eq!(hits("web_fetch(http://169.254.169.254/*)", &url(given)), Fit::Yes, "{given}");
    }
    assert_eq!(hits("web_fetch(evil.test)", &url("http://evil.test:81/")), Fit::Yes);
    assert_eq!(hits("web_fetch(https://evil.test/*)", &url("https://good.test/?https://evil.test/")), Fit::No);
}

#[test]
fn a_command_is_covered_word_by_word() {
    for (pattern, covered, not) in [
        (
            "bash(npm run lint)",
            vec!["npm run lint", "npm run lint; npm run lint"],
            vec!["npm run lint --fix", "npm run lint && ls", "npm  run lint", " npm run lint", "npm run lint\n"],
        ),
        (
            "bash(npm run test:*)",
            vec![
                "npm run test",
                "npm run test:unit",
                "npm run test -- -v",
                "CI=1 npm run test",
                "npm run test 2>&1 >/dev/null",
                "'npm' \"run\" test",
            ],
            vec![
                "npm run test-x",
                "npm run test:../x",
                "npm run",
                "npm run test > out",
                "X=1 npm run test",
                "npm run test $(id)",
                "npm run test `id`",
                "npm run test; id",
            ],
        ),
        (
            "bash(git log:*)",
            vec!["git log", "git --no-pager log -5", "/usr/bin/git log --oneline", "git log --grep='a && b'"],
            vec!["git -C /x log", "./git log", "git log --output=x", "git log --outp=x", "git log $X"],
        ),
        ("bash(ls *)", vec!["ls -la", "ls src/*.rs"], vec!["lsblk", "ls -la | sh"]),
        (
            "bash(*)",
            vec!["ls -la", "echo $HOME", "rm -rf build"],
            vec!["eval x", "bash -c id", "ls \"unterminated", "$X", "ls > out"],
        ),
        (
            "bash(python3 -m pytest:*)",
            vec!["python3 -m pytest -x tests"],
            vec!["python3 -c 1", "python3 -m http.server"],
        ),
        ("bash(sudo apt-get update:*)", vec!["sudo apt-get update -q"], vec!["sudo apt-get install x", "sudo -s"]),
        (
            "bash(echo:*)",
            vec![
                "timeout 5 echo x",
                "nice -n 3 echo x",
                "time echo x",
                "echo a | echo b",
                "if echo a; then echo b; fi",
                "for x in a b; do echo \"$x\"; done",
                "( echo a; echo b )",
                "{ echo a; }",
                "! echo a",
                "echo a # rest",
            ],
            vec![
                "timeout 5 rm x",
                "env echo x",
                "echo a\nid",
                "echo x > /dev/tcp/a/1",
                "f() { echo a; }",
                "case a in a) echo b;; esac",
                "[[ -f x ]] && echo a",
            ],
        ),
        (
            "bash(git commit:*)",
            vec!["git commit -m \"$(cat <<'EOF'\nfix: rm -rf\n\nit's $5\nEOF\n)\"", "git commit -F - <<'E'\n$(id)\nE"],
            vec![
                "git commit -m \"$(cat <<EOF\n$(id)\nEOF\n)\"",
                "git commit -m \"$(cat x)\"",
                "git commit -m $(cat <<'E'\na\nE\n)",
            ],
        ),
    ] {
        for line in covered {
            assert!(covers(pattern, &command(line)), "{pattern} should cover {line}");
        }
        for line in not {
            assert!(!covers(pattern, &command(line)), "{pattern} should not cover {line}");
        }
    }
    assert!(covers("bash(echo \\*)", &command("echo *")));
    assert!(covers("bash", &command("anything | at all $(x)")));
    assert!(
        covers("bash(for x in $(ls); do rm $x; done)", &command("for x in $(ls); do rm $x; done")),
        "an exact text covers itself"
    );
}

#[test]
fn a_denial_finds_its_command_wherever_it_hides() {
    for line in [
        "curl",
        "curl -s x",
        "a && curl x",
        "a; curl",
        "a | curl x",
        "sudo -u root curl x",
        "/usr/bin/curl x",
        "c''url x",
        "\\curl x",
        "env A=b curl x",
        "X=1 curl x",
        "bash -c 'curl x'",
        "echo $(curl x)",
        "echo `curl x`",
        "a\ncurl x",
        "{ curl x; }",
        "if true; then curl x; fi",
        "xargs curl",
        "find . -exec curl {} \\;",
        "eval 'curl x'",
        "ssh host 'curl x'",
        "f() { curl x; }; f",
        "case a in a) curl x;; esac",
        "cu\\\nrl x",
        "$'\\x63url' x",
        "cat <(curl x)",
        "timeout 3 nice -n 1 env -i curl x",
        "bash -c \"bash -c 'curl x'\"",
        "while true; do curl x; done",
    ] {
        assert_eq!(hits("bash(curl:*)", &command(line)), Fit::Yes, "{line}");
    }
    for line in [
        "curlie x",
        "echo curl",
        "ls curl",
        "npm run curl",
        "echo 'curl x'",
        "git commit -m 'curl: x; curl'",
        "echo \"$X\"",
        "ls > x",
    ] {
        assert_eq!(hits("bash(curl:*)", &command(line)), Fit::No, "{line}");
    }
    for line in ["$CMD x", "$(x) y", "echo \"unfinished"] {
        assert_eq!(hits("bash(curl:*)", &command(line)), Fit::Maybe, "{line}");
    }
    for (pattern, line, fit) in [
        ("bash(npm run test:*)", "npm   run test:unit", Fit::Yes),
        ("bash(rm -rf *)", "rm  -rf build", Fit::Yes),
        ("bash(rm -rf:*)", "rm -r -f build", Fit::Yes),
        ("bash(rm -rf:*)", "rm build -fr", Fit::Yes),
        ("bash(rm -rf:*)", "rm --recursive --force build", Fit::Yes),
        ("bash(rm -rf:*)", "rm -r build", Fit::No),
        ("bash(rm -rf:*)", "rm $X build", Fit::Maybe),
        ("bash(git push --force:*)", "git push origin main --force", Fit::Yes),
        ("bash(git push --force:*)", "git -C x push -f", Fit::Yes),
        ("bash(git push --force:*)", "git push origin +main", Fit::Yes),
        ("bash(git push --force:*)", "git push origin main", Fit::No),
        ("bash(curl https://api.test/admin*)", "curl https://api.test/v1", Fit::No),
        ("bash(curl https://api.test/admin*)", "curl https://api.test/admin/x", Fit::Yes),
    ] {
        assert_eq!(hits(pattern, &command(line)), fit, "{pattern} {line}");
    }
}

#[test]
fn windows_shells_are_denied_by_their_first_word() {
    let powershell = |line: &str| described("powershell", &json!({"command": line}), None);
    assert_eq!(hits("powershell(Remove-Item:*)", &powershell("REMOVE-ITEM x")), Fit::Yes);
    assert_eq!(hits("powershell(Remove-Item:*)", &powershell("Get-Item x")), Fit::Maybe);
    assert!(!covers("powershell(Get-Item:*)", &powershell("Get-Item x")));
    assert!(covers("powershell(Get-Item x)", &powershell("Get-Item x")));
}

#[test]
fn text_is_matched_whole() {
    let call = |text: &str| described("t", &json!({"q": text}), None);
    assert!(covers("t(*SELECT*)", &call("SELECT 1\nFROM x")));
    assert!(covers(r#"t({"q":"a?c"})"#, &call("abc")));
    assert!(!covers(r#"t({"q":"a"})"#, &call("ab")));
    assert!(!covers("t(*)", &call("a\u{202e}b")), "a wildcard does not cover what is hidden");
    assert!(covers("t(*)", &call("two\nlines ❤\u{fe0f}")));
}

#[test]
fn servers_are_told_apart() {
    let tool = |name: &str| described(name, &json!({}), None);
    assert!(covers("github/get_*", &tool("github/get_issue")));
    for name in
        ["github-evil/get_issue", "get_issue", "Github/get_issue", "github/Get_issue", "github/get_\u{200b}issue"]
    {
        assert!(!covers("github/get_*", &tool(name)), "{name}");
    }
    assert!(!covers("read", &tool("srv/read")), "an unqualified allow means the tool without a server");
    assert_eq!(hits("read", &tool("srv/read")), Fit::Yes, "an unqualified denial means any server");
    assert_eq!(hits("srv/*", &tool("srv/admin.delete")), Fit::Yes);
    assert_eq!(hits("mcp__srv__admin.*", &tool("srv/admin.delete")), Fit::Yes);
    assert!(covers("s/caf\u{e9}", &tool("s/cafe\u{301}")), "names are compared in one normal form");
}

#[test]
fn a_call_in_doubt_is_covered_by_nothing() {
    for args in [
        json!({}),
        json!({"file_path": 1}),
        json!({"file_path": ["a"]}),
        json!({"file_path": "a", "path": "b"}),
        json!({"file_path": "a\u{0}b"}),
        json!({"file_path": ""}),
        json!({"file_path": "a", "File_path": "b"}),
    ] {
        let call = described("file_read", &args, Some("/srv"));
        assert!(!covers("file_read", &call) && !covers("file_read(/**)", &call), "{args}");
    }
}

#[test]
fn a_text_that_is_no_pattern_is_refused() {
    for (text, why) in [
        ("", "names no tool"),
        ("/x", "names no tool"),
        ("s/", "names no tool"),
        ("(x)", "names no tool"),
        ("a(b", "does not end with"),
        ("a(b)c", "does not end with"),
        ("a)", "never opened"),
        ("a()", "nothing in its brackets"),
        ("a(\\d)", "no escape"),
        ("a\\", "lone backslash"),
    ] {
        let error = Pattern::parse(text).unwrap_err().to_string();
        assert!(error.contains(why), "{text}: {error}");
    }
    assert!(Pattern::parse(&format!("a(*{})", "x".repeat(5000))).is_err());
    assert!(Pattern::parse(&format!("a({})", "x".repeat(5000))).is_ok(), "an exact one may be as long as a call");
}
