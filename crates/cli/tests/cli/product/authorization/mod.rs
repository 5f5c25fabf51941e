//! Every call × every kind of principal × own things and others', made over HTTP and held against the table in
//! `docs/reference/authorization.md`.

mod calls;
mod house;

use calls::{CALLS, Call};
use house::{House, Who, Whose};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// What a table says: by call and whose thing it is, what each principal gets.
type Table = BTreeMap<(String, String), Vec<String>>;

#[tokio::test]
async fn everybody_gets_what_the_table_says_and_nothing_else() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/authorization.md");
    let (people, table) = read(&std::fs::read_to_string(page).unwrap());
    let house = House::new().await;
    let everybody: Vec<_> = house.everybody().iter().map(|who| who.name.to_owned()).collect();
    assert_eq!(people, everybody, "the columns of the table");
    every_route_has_a_row(&house, &table).await;
    let mut found = Table::new();
    // Lists first, before they grow past a page.
    let (changing, looking): (Vec<&Call>, Vec<&Call>) = CALLS.iter().partition(|call| is_change(call));
    for call in looking.into_iter().chain(changing) {
        for whose in if call.about.is_owned() { &Whose::BOTH } else { [Whose::Nobodys].as_slice() } {
            let mut cells = vec![];
            for who in house.everybody() {
                cells.push(house.cell(call, who, *whose).await);
            }
            found.insert((call.name.to_owned(), whose.word().to_owned()), cells);
        }
    }
    let differences = differences(&table, &found);
    assert!(differences.is_empty(), "the table does not say this of:\n{differences}");
}

async fn every_route_has_a_row(house: &House, table: &Table) {
    let document = house.document().await;
    let mut routes = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            routes.insert(format!("{} {path}", method.to_uppercase()));
        }
    }
    routes.extend(undocumented());
    let of = |name: &str| name.split(" (").next().unwrap().to_owned();
    let called: BTreeSet<_> = CALLS.iter().map(|call| of(call.name)).collect();
    let missing: Vec<_> = routes.difference(&called).collect();
    assert!(missing.is_empty(), "add to authorization/calls.rs: {missing:#?}");
    let gone: Vec<_> = called.difference(&routes).collect();
    assert!(gone.is_empty(), "there is no such route: {gone:#?}");
    let listed: BTreeSet<_> = table.keys().map(|(name, _)| of(name)).collect();
    let missing: Vec<_> = routes.difference(&listed).collect();
    assert!(missing.is_empty(), "add rows to docs/reference/authorization.md: {missing:#?}");
}

/// The routes that the document does not speak of, as the code adds them.
fn undocumented() -> BTreeSet<String> {
    let mut routes = BTreeSet::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../api/src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for other in [".route_service(", ".nest_service(", "on_service("] {
                assert!(!text.contains(other), "{} adds routes by `{other}`, which nothing looks at", path.display());
            }
            for added in text.split(".route(").skip(1).filter(|added| !added.starts_with(')')) {
                assert!(added.trim().starts_with('"'), "{}: a route that is not named here", path.display());
                let (name, handler) = added.trim().split_once(',').unwrap();
                let handler = handler.trim().trim_start_matches("axum::routing::");
                assert!(handler.starts_with("get("), "{}: {handler} changes something unseen", path.display());
                routes.insert(format!("GET {}", name.trim_matches('"')));
            }
        }
    }
    assert!(routes.contains("GET /healthz"), "{routes:?}");
    routes
}

/// The columns and the rows of all tables on the page.
fn read(page: &str) -> (Vec<String>, Table) {
    let mut people = vec![];
    let mut table = Table::new();
    for line in page.lines().filter(|line| line.starts_with('|') && !line.starts_with("|--")) {
        let mut cells = line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`').to_owned());
        let (name, whose) = (cells.next().unwrap(), cells.next().unwrap());
        let cells: Vec<_> = cells.collect();
        if name == "call" {
            people = cells;
        } else {
            assert_eq!(cells.len(), people.len(), "{line}");
            assert!(table.insert((name, whose), cells).is_none(), "twice: {line}");
        }
    }
    (people, table)
}

/// The rows that were found, where the table says something else.
fn differences(table: &Table, found: &Table) -> String {
    let mut lines = String::new();
    for (row @ (name, whose), cells) in found {
        if table.get(row) != Some(cells) {
            let _ = writeln!(lines, "| `{name}` | {whose} | {} |\n   said {:?}", cells.join(" | "), table.get(row));
        }
    }
    for (name, whose) in table.keys().filter(|row| !found.contains_key(*row)) {
        let _ = writeln!(lines, "`{name}` of {whose}: nothing was called");
    }
    lines
}

fn is_change(call: &Call) -> bool {
    !call.name.starts_with("GET ")
}

fn method(call: &Call) -> reqwest::Method {
    call.name.split(' ').next().unwrap().parse().unwrap()
}

/// What came of a call, in a word of the table.
fn word(call: &Call, status: u16, answer: &str, shows: &str) -> String {
    match status {
        200..=299 if answer.contains(shows) => "yes".into(),
        200..=299 if !is_change(call) => "unseen".into(),
        401 => "401".into(),
        403 => "no".into(),
        404 => "unseen".into(),
        other => format!("{other}: {answer}"),
    }
}

/// Whether there are things of their own.
fn has_own(who: &Who) -> bool {
    who.user.is_some() || who.starts
}
