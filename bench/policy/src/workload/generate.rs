//! Makes rules that look like people's, and calls of which half fit a rule and half are near misses.

use super::random::Random;
use super::{Answer, Call, Form, Grant, Rule, Workload, fits};
use std::collections::HashMap;

const COMMON: [&str; 8] =
    ["bash", "file_read", "file_write", "http_get", "http_post", "sql_query", "git", "email_send"];
/// How often the common tools are used; every other tool once.
const WEIGHTS: [usize; 8] = [16, 12, 8, 4, 4, 4, 4, 4];
const OTHERS: usize = 56;
const WORDS: [&str; 12] =
    ["lint", "test", "build", "deploy", "sync", "audit", "fetch", "pack", "scan", "report", "index", "clean"];
const COMMANDS: [&str; 8] =
    ["npm run", "cargo", "git push", "make", "docker run", "kubectl get", "pip install", "curl"];
const EXTENSIONS: [&str; 7] = ["rs", "py", "ts", "md", "json", "key", "env"];
const VERBS: [&str; 8] = ["read", "list", "get", "delete", "create", "update", "send", "export"];
const SERVERS: usize = 64;

/// As many at every size: more calls leave less to the processor's caches, so sizes are compared only on equal terms.
const CALLS: usize = 2_000;

pub fn tools() -> Vec<String> {
    COMMON.iter().map(|&name| name.to_owned()).chain((0..OTHERS).map(|i| format!("tool_{i:02}"))).collect()
}

pub fn patterns(size: usize) -> Workload {
    let mut r = Random::new(&format!("patterns/{size}"));
    let grants: Vec<Grant> =
        (0..size).map(|i| Grant { tool: tool(&mut r), glob: glob(&mut r, i), deny: r.percent(20) }).collect();
    let mut by_tool: HashMap<&str, Vec<&Grant>> = HashMap::new();
    for grant in &grants {
        by_tool.entry(&grant.tool).or_default().push(grant);
    }
    let expect = |tool: &str, arg: &str| {
        let fitting = |deny| {
            let of_tool = by_tool.get(tool).into_iter().flatten();
            of_tool.filter(|grant| grant.deny == deny).any(|grant| fits(&grant.glob, arg))
        };
        if fitting(true) {
            Answer::Deny
        } else if fitting(false) {
            Answer::Allow
        } else {
            Answer::Ask
        }
    };
    let mut calls = Vec::new();
    while calls.len() < CALLS {
        let near_miss = calls.len() % 2 == 1;
        let (tool, arg) = if near_miss {
            // The shape of a rule, with a number that no rule has.
            let number = size + r.below(10 * size);
            let shape = glob(&mut r, number);
            (tool(&mut r), filled(&mut r, &shape))
        } else {
            let grant = &grants[r.below(size)];
            (grant.tool.clone(), filled(&mut r, &grant.glob))
        };
        let expect = expect(&tool, &arg);
        if near_miss == (expect == Answer::Ask) {
            calls.push(Call { server: None, tool, arg, expect });
        }
    }
    r.shuffle(&mut calls);
    Workload { form: Form::Patterns, grants, rules: vec![], calls }
}

pub fn priority(size: usize) -> Workload {
    let mut r = Random::new(&format!("priority/{size}"));
    let mut rules: Vec<Rule> = (0..size)
        .map(|i| {
            let server = if r.percent(10) { None } else { Some(server(&mut r)) };
            let base = format!("{}_{}_{i}", r.of(&VERBS), r.word());
            let tool = match r.below(100) {
                0..40 => base,
                40..90 => format!("{base}_*"),
                _ => format!("*_{base}"),
            };
            Rule { server, tool, approve: r.percent(70) }
        })
        .collect();
    // Their order is their priority.
    r.shuffle(&mut rules);
    let first = |server: &str, tool: &str| {
        let of_server = |rule: &&Rule| rule.server.as_deref().is_none_or(|own| own == server);
        rules.iter().filter(of_server).find(|rule| fits(&rule.tool, tool))
    };
    let mut calls = Vec::new();
    while calls.len() < CALLS {
        let near_miss = calls.len() % 2 == 1;
        let (server, tool) = if near_miss {
            let number = size + r.below(10 * size);
            (server(&mut r), format!("{}_{}_{number}", r.of(&VERBS), r.word()))
        } else {
            let rule = &rules[r.below(size)];
            (rule.server.clone().unwrap_or_else(|| server(&mut r)), filled(&mut r, &rule.tool))
        };
        let found = first(&server, &tool);
        if near_miss == found.is_none() {
            let expect = if found.is_some_and(|rule| rule.approve) { Answer::Allow } else { Answer::Ask };
            calls.push(Call { server: Some(server), tool, arg: String::new(), expect });
        }
    }
    r.shuffle(&mut calls);
    Workload { form: Form::Priority, grants: vec![], rules, calls }
}

fn tool(r: &mut Random) -> String {
    let mut at = r.below(WEIGHTS.iter().sum::<usize>() + OTHERS);
    for (name, weight) in COMMON.iter().zip(WEIGHTS) {
        match at.checked_sub(weight) {
            None => return (*name).to_owned(),
            Some(rest) => at = rest,
        }
    }
    format!("tool_{at:02}")
}

fn server(r: &mut Random) -> String {
    format!("srv-{}", r.below(SERVERS))
}

/// What stands in the brackets. The number makes it one of its kind, so that big sets are not full of doubles.
fn glob(r: &mut Random, number: usize) -> String {
    let (command, word, extension) = (r.of(&COMMANDS), r.of(&WORDS), r.of(&EXTENSIONS));
    match r.below(100) {
        0..30 => format!("{command} {word}-{number}"),
        30..60 => format!("{command} {word}-{number}:*"),
        60..80 => format!("./{word}/{}-{number}/**", r.word()),
        80..95 => format!("./{word}-{number}/*/{}.{extension}", r.word()),
        _ => format!("*/{}-{number}.{extension}", r.word()),
    }
}

/// A text that `glob` matches.
fn filled(r: &mut Random, glob: &str) -> String {
    let (two, one) = (format!("{}/{}", r.word(), r.word()), r.word());
    glob.replace("**", &two).replace('*', &one)
}
