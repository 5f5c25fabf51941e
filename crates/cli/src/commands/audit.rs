//! `countersign audit key|verify|export`: the record.

use super::serve::operator;
use crate::args::{AuditCommand, AuditErase, AuditExport, AuditKey, AuditVerify};
use crate::config::{AuditConfig, Loaded};
use crate::failure::Failure;
use crate::home::Database;
use crate::notary::{Kept, notes};
use crate::output;
use countersign_api::audit::{Export, Filter, Format};
use countersign_domain::audit::export::Exported;
use countersign_domain::audit::hex;
use countersign_domain::audit::note::VerifierKey;
use countersign_domain::audit::verify::{Checkpoints, Kept as KeptLeaf, Verifier};
use countersign_runtime::audit::{Found, Report, erase, verify};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Write};
use std::path::Path;

/// Something is wrong with the record.
const WRONG: u8 = 1;

/// Carries out the command.
pub fn run(command: &AuditCommand) -> Result<u8, Failure> {
    super::in_async(async {
        match command {
            AuditCommand::Key(key) => shown(key),
            AuditCommand::Verify(verify) => verified(verify).await,
            AuditCommand::Export(export) => exported(export).await,
            AuditCommand::Erase(erase) => erased(erase).await,
        }
    })
}

/// Where the database, the key and the checkpoints are.
fn places(config: Option<&Path>, db: Option<&str>) -> Result<(Database, Kept), Failure> {
    let loaded = config.map(Loaded::read).transpose()?;
    let (named, audit) = match &loaded {
        Some(loaded) => {
            let store = loaded.config.store.as_ref().map(|store| store.expand("store")).transpose()?;
            (store, &loaded.config.audit)
        }
        None => (None, &AuditConfig::default()),
    };
    let database = Database::named(db.or(named.as_deref()))?;
    let kept = Kept::of(audit, &database)?;
    Ok((database, kept))
}

fn shown(key: &AuditKey) -> Result<u8, Failure> {
    let (_, kept) = places(key.config.as_deref(), key.db.as_deref())?;
    output::line(&own_key(&kept)?.to_string());
    Ok(0)
}

fn own_key(kept: &Kept) -> Result<VerifierKey, Failure> {
    let missing = || {
        let place = kept.key.display();
        Failure::new(format!("there is no key at `{place}`: name a public one with --key, or start the server first"))
    };
    kept.key().map(|key| key.verifier()).map_err(|failure| failure.unwrap_or_else(missing))
}

async fn verified(args: &AuditVerify) -> Result<u8, Failure> {
    let named: Result<Vec<VerifierKey>, _> = args.key.iter().map(|key| key.parse()).collect();
    let named = named.map_err(|wrong| Failure::new(format!("--key: {wrong}")))?;
    let mut found = Found::default();
    let mut anchored = |path: &Path, checkpoints: &mut Checkpoints| {
        let text = std::fs::read_to_string(path).map_err(|error| Failure::unreadable(path, &error))?;
        let notes = notes(&text);
        found.add(checkpoints.add(&path.display().to_string(), notes.iter().map(String::as_str)));
        Ok::<_, Failure>(())
    };
    let report = if let Some(file) = &args.export {
        if named.is_empty() {
            return Err(Failure::new("an export is verified with a public key: name it with --key"));
        }
        let mut checkpoints = Checkpoints::new(named);
        args.checkpoints.iter().try_for_each(|path| anchored(path, &mut checkpoints))?;
        of_file(file, checkpoints, found)?
    } else {
        let (database, kept) = places(args.config.as_deref(), args.db.as_deref())?;
        let keys = if named.is_empty() { vec![own_key(&kept)?] } else { named };
        let mut checkpoints = Checkpoints::new(keys);
        let beside = Some(&kept.checkpoints).filter(|path| path.exists());
        args.checkpoints.iter().chain(beside).try_for_each(|path| anchored(path, &mut checkpoints))?;
        let store = database.open_existing().await?;
        let progress = |seen| told(&format!("{seen} entries"));
        let report = verify(&*store, checkpoints, progress).await.map_err(|error| Failure::from_store(&error))?;
        found.with(report)
    };
    told("");
    if args.json {
        say_to_machines(&report);
    } else {
        say(&report);
    }
    Ok(if report.wrong == 0 { 0 } else { WRONG })
}

/// Verifies an exported log, or a part of one.
fn of_file(path: &Path, mut checkpoints: Checkpoints, mut found: Found) -> Result<Report, Failure> {
    let unreadable = |error: &io::Error| Failure::unreadable(path, error);
    let lines = || File::open(path).map(|file| BufReader::new(file).lines()).map_err(|error| unreadable(&error));
    let read = |number: usize, line: io::Result<String>| {
        let line = line.map_err(|error| unreadable(&error))?;
        Exported::read(&line).map_err(|wrong| Failure::new(format!("{}:{}: {wrong}", path.display(), number + 1)))
    };
    let (mut inside, mut part_of) = (vec![], None);
    for (number, line) in lines()?.enumerate() {
        // Only lines that begin so are read twice.
        let is_head = |line: &String| line.starts_with(r#"{"checkpoint""#) || line.starts_with(r#"{"part_of""#);
        if !line.as_ref().is_ok_and(is_head) {
            continue;
        }
        match read(number, line)? {
            Exported::Checkpoint(note) => inside.push(note),
            Exported::PartOf(size) => part_of = Some(size),
            Exported::Entry { .. } => {}
        }
    }
    found.add(checkpoints.add(&path.display().to_string(), inside.iter().map(String::as_str)));
    let mut verifier = match part_of {
        Some(size) => Verifier::of_part(checkpoints, size),
        None => Verifier::new(checkpoints),
    };
    for (number, line) in lines()?.enumerate() {
        if let Exported::Entry { place, entry, leaf, proof } = read(number, line)? {
            let kept = KeptLeaf { leaf, commitment: None };
            found.add(match part_of {
                Some(_) => verifier.proven(place, &entry, &kept, proof.as_deref()),
                None => verifier.entry(place, &entry, &kept),
            });
        }
        if number % 10_000 == 0 {
            told(&format!("{number} lines"));
        }
    }
    Ok(found.report(verifier, 0))
}

fn say_to_machines(report: &Report) {
    let Report { verified, findings, wrong, waiting } = report;
    let findings: Vec<_> = findings.iter().map(ToString::to_string).collect();
    output::json_line(
        &serde_json::json!({
            "whole": *wrong == 0, "entries": verified.entries, "root": hex(&verified.root),
            "checkpoints": verified.checkpoints, "unsigned": verified.unsigned, "waiting": waiting, "wrong": wrong,
            "findings": findings,
        })
        .to_string(),
    );
}

fn say(report: &Report) {
    let Report { verified, findings, wrong, waiting } = report;
    let root = hex(&verified.root);
    for finding in findings {
        output::line(&output::visible(&finding.to_string()));
    }
    if *wrong > findings.len() {
        output::line(&format!("… and {} more", wrong - findings.len()));
    }
    let verdict = if *wrong == 0 { "whole".to_owned() } else { format!("NOT whole: {wrong} findings") };
    output::line(&format!("the record is {verdict}"));
    output::line(&format!("  entries      {}  (root {root})", verified.entries));
    output::line(&format!("  runs         {} ended, {} open", verified.ended, verified.open));
    output::line(&format!(
        "  checkpoints  {} hold; {} entries since the last",
        verified.checkpoints, verified.unsigned
    ));
    if *waiting > 0 {
        output::line(&format!("  waiting      {waiting} events have no place in the log yet"));
    }
}

async fn exported(args: &AuditExport) -> Result<u8, Failure> {
    let format = match args.format.as_str() {
        "csv" => Format::Csv,
        "json" => Format::Json,
        "jsonl" => Format::Jsonl,
        other => return Err(Failure::new(format!("--format: expected csv, json or jsonl, not `{other}`"))),
    };
    let time = |value: &Option<String>, flag: &str| {
        let parsed = value.as_ref().map(|value| value.parse()).transpose();
        parsed.map_err(|_| Failure::new(format!("{flag}: expected a time as `2026-01-31T12:00:00Z`")))
    };
    let run = args.run.as_ref().map(|run| run.parse()).transpose();
    let filter = Filter {
        run: run.map_err(|wrong| Failure::new(format!("--run: {wrong}")))?,
        user: args.user.clone(),
        agent: args.agent.clone(),
        tool: args.tool.clone(),
        status: args.status.clone(),
        since: time(&args.since, "--since")?,
        until: time(&args.until, "--until")?,
    };
    let (database, _) = places(args.config.as_deref(), args.db.as_deref())?;
    let store = database.open_existing().await?;
    let unwritable = |error: io::Error| Failure::new(format!("cannot write the export: {error}"));
    let mut out: Box<dyn Write> = match &args.output {
        Some(path) => Box::new(io::BufWriter::new(File::create(path).map_err(unwritable)?)),
        None => Box::new(io::stdout()),
    };
    let mut export = Export::new(format, filter);
    if args.proofs {
        export = export.with_proofs();
    }
    while let Some(part) = export.part(&*store).await.map_err(Failure::new)? {
        out.write_all(part.as_bytes()).map_err(unwritable)?;
        told(&format!("{} entries", export.read()));
    }
    out.flush().map_err(unwritable)?;
    told("");
    Ok(0)
}

async fn erased(args: &AuditErase) -> Result<u8, Failure> {
    let run = args.run.parse().map_err(|wrong| Failure::new(format!("`{}`: {wrong}", args.run)))?;
    let (database, _) = places(args.config.as_deref(), args.db.as_deref())?;
    let store = database.open_existing().await?;
    let events = erase(&*store, run, operator(), &args.why).await.map_err(Failure::new)?;
    output::line(&format!("erased what was written in {events} events of {run}"));
    Ok(0)
}

/// Tells a person how far it has come, in one line that is written over.
fn told(how_far: &str) {
    if io::stderr().is_terminal() {
        let _ = write!(io::stderr(), "\r\x1b[K{how_far}");
    }
}
