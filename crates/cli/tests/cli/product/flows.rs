//! What people do on the page, flow by flow, in a real browser before this very program.

use std::process::Command;

/// Runs a script of `web/e2e` against this program, and fails with all that it said.
pub fn script(name: &str, arguments: &[&str]) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/e2e/");
    let mut command = Command::new("node");
    command.arg(format!("{path}{name}")).args(arguments).env("COUNTERSIGN_BIN", env!("CARGO_BIN_EXE_countersign"));
    let ran = command.output().expect("node runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(ran.status.success(), "{name}:\n{}{}", text(&ran.stdout), text(&ran.stderr));
}

/// One language, width and choice of colours, by the commit; all of them with `COUNTERSIGN_FULL=1`.
#[test]
fn nothing_on_any_screen_keeps_people_from_using_it() {
    script("look.mjs", &[]);
}

#[test]
fn every_flow_of_the_page_leads_where_it_should() {
    script("flows.mjs", &[]);
}
