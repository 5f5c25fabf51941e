//! The cases that read as examples: policies with their own tests.

use crate::program::{countersign, file};
use std::path::Path;

#[test]
fn every_example_of_the_specification_gives_what_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../policy/tests/cases");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 8);
    for file in files {
        let ran = countersign(&["policy", "test", file.to_str().unwrap()], "");
        assert_eq!(ran.code, 0, "{}\n{}{}", file.display(), ran.stdout, ran.stderr);
        let lint = countersign(&["policy", "lint", file.to_str().unwrap()], "");
        assert_eq!(lint.code, 0, "{}", lint.stderr);
    }
}

/// The policies in the guide and the demo are tested as they stand.
#[test]
fn every_policy_in_the_documents_is_right() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let guide = std::fs::read_to_string(root.join("docs/guide/policy.md")).unwrap();
    let mut policies: Vec<String> =
        guide.split("```yaml\n").skip(1).map(|block| block.split("```").next().unwrap().to_owned()).collect();
    assert!(policies.len() >= 4);
    policies.push(std::fs::read_to_string(root.join("demo/countersign.yaml")).unwrap());
    for text in policies {
        let (_folder, path) = file("policy.yaml", &text);
        let lint = countersign(&["policy", "lint", &path, "--strict"], "");
        assert_eq!(lint.code, 0, "{text}\n{}{}", lint.stdout, lint.stderr);
        if text.contains("tests:") {
            let test = countersign(&["policy", "test", &path], "");
            assert_eq!(test.code, 0, "{text}\n{}{}", test.stdout, test.stderr);
        }
    }
}
