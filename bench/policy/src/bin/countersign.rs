//! Countersign's own judge: a described call in, a verdict and its trail as ids out.

use bench_policy::engine::{Engine, run};
use bench_policy::measure::processor_time;
use bench_policy::workload::{Answer, Call, Form, Workload};
use bench_report::median;
use countersign_domain::describe::{Described, Surroundings};
use countersign_policy::command::Analysis;
use countersign_policy::source::{
    AutoApprove, ContextSource, GrantSource, OneOrMany, ResourceSource, RuleSource, Source, ToolSource, UserSource,
};
use countersign_policy::{Context, Effect, Policy, judge};
use std::hint::black_box;

struct Countersign {
    policy: Policy,
    /// The same for all calls: they are made in one run.
    context: Context,
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("commands") => commands(),
        Some("lengths") => lengths(),
        _ => run::<Countersign>(),
    }
}

impl Engine for Countersign {
    type Prepared = Described;

    fn build(workload: &Workload) -> Self {
        let source = match workload.form {
            Form::Patterns => of_grants(workload),
            Form::Priority => of_rules(workload),
        };
        Self { policy: Policy::compile(&source).expect("the workload is a policy"), context: context() }
    }

    fn prepare(&self, call: &Call) -> Self::Prepared {
        described(&self.policy, call.server.clone(), &call.tool, "arg", &call.arg)
    }

    fn judge(&mut self, call: &Self::Prepared) -> Answer {
        match judge(&self.policy, call, &self.context).effect {
            Effect::Allow => Answer::Allow,
            Effect::Ask(_) => Answer::Ask,
            Effect::Deny => Answer::Deny,
        }
    }
}

fn of_grants(workload: &Workload) -> Source {
    let mut source = Source::default();
    source.tools = Workload::tools()
        .into_iter()
        .map(|tool| ToolSource {
            tool,
            risk: Some(countersign_policy::source::RiskName::Unknown),
            resource: Some(ResourceSource { text: Some(OneOrMany::One("arg".into())), ..ResourceSource::default() }),
            ..ToolSource::default()
        })
        .collect();
    let mut user = UserSource::default();
    for grant in &workload.grants {
        let list = if grant.deny { &mut user.deny } else { &mut user.allow };
        list.push(GrantSource::Pattern(format!("{}({})", grant.tool, grant.glob)));
    }
    source.policy.users.insert("u".into(), user);
    source
}

fn of_rules(workload: &Workload) -> Source {
    let mut source = Source::default();
    let rule = |(priority, rule): (i64, &bench_policy::workload::Rule)| RuleSource {
        name: None,
        priority: Some(priority),
        server: rule.server.clone(),
        tool: rule.tool.clone(),
        when: None,
        effect: None,
        remember: None,
        approvals: None,
        approvers: vec![],
        auto_approve: Some(AutoApprove::Flag(rule.approve)),
        description: None,
    };
    source.policy.rules = (0..).zip(&workload.rules).map(rule).collect();
    source
}

fn described(policy: &Policy, server: Option<String>, tool: &str, name: &str, arg: &str) -> Described {
    let args = [(name.to_owned(), arg.into())].into_iter().collect();
    let call = countersign_domain::Call::new(server, tool.to_owned(), args, Some("/srv/repo".into()));
    policy.describe(call.expect("a plain call"), &Surroundings::default())
}

fn context() -> Context {
    let context = ContextSource { user: Some("u".into()), ..ContextSource::default() };
    let of_no_call = countersign_domain::Digest::of(b"");
    Context::new(&context, of_no_call, jiff::Timestamp::UNIX_EPOCH).expect("a plain context")
}

/// How often a command line is judged between two readings of the clock, and how many such times there are.
const TOGETHER: u32 = 20;
const RUNS: usize = 31;

/// Everyday command lines under a handful of grants, their analysis included: prints the median in nanoseconds.
fn commands() {
    let mut source = Source::default();
    let grants = |all: &[&str]| all.iter().map(|&text| GrantSource::Pattern(text.into())).collect();
    let user = UserSource {
        allow: grants(&["bash(git status:*)", "bash(git diff:*)", "bash(npm run:*)", "bash(cargo:*)", "bash(ls:*)"]),
        deny: grants(&["bash(rm -rf:*)", "bash(curl:*)", "bash(git push --force:*)"]),
        ..UserSource::default()
    };
    source.policy.users.insert("u".into(), user);
    let policy = Policy::compile(&source).expect("a plain policy");
    let context = context();
    let lines = include_str!("../../commands.txt").lines().filter(|line| !line.starts_with('#'));
    let lines: Vec<_> = lines.filter_map(|line| line.split_once(": ")).collect();
    let time = |&(_, line): &(&str, &str)| {
        let some = |_| {
            let begin = processor_time();
            for _ in 0..TOGETHER {
                let call = described(&policy, None, "bash", "command", black_box(line));
                black_box(judge(&policy, &call, &context));
            }
            (processor_time() - begin) * 1e9 / f64::from(TOGETHER)
        };
        median((0..RUNS).map(some).collect())
    };
    println!("{}", median(lines.iter().map(time).collect()));
}

/// How many times as long the analysis of 256 KiB takes as that of 16 KiB, of the worst of several kinds of line.
fn lengths() {
    let least = |line: &str| {
        let time = |_| {
            let begin = processor_time();
            black_box(Analysis::of(black_box(line)));
            processor_time() - begin
        };
        (0..RUNS).map(time).fold(f64::MAX, f64::min)
    };
    let kinds =
        ["git status && ", "npm run lint -- --fix; ", "echo \"$(date)\" | tee a.txt; ", "'quoted words' ", "x=1 "];
    let ratio = |kind: &str| {
        let of = |bytes: usize| least(&kind.repeat(bytes / kind.len()));
        of(256 << 10) / of(16 << 10)
    };
    println!("{}", kinds.map(ratio).into_iter().fold(0.0, f64::max));
}
