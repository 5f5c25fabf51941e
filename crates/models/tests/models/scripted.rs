//! Scripts.

use super::{assistant, result, speak, user};
use countersign_domain::run::{Message, Said};
use countersign_models::Scripted;
use countersign_runtime::ports::{Model, Spoken};

const SCRIPT: &str = r#"
scenarios:
  - when: [Deploy, staging]
    replies:
      - say: I will look first.
        calls:
          - {tool: bash, args: {command: "git status", timeout: 9007199254740993}}
          - {tool: file_read, args: '{"file_path": ', id: mine}
      - say: "{input} {other} gave {result}; all: {results}"
        delay_ms: 3
  - replies:
      - say: Something else.
"#;

async fn says(messages: &[Message]) -> Spoken {
    speak(&Scripted::read(SCRIPT).unwrap(), messages).await.0.unwrap()
}

#[tokio::test]
async fn the_first_scenario_whose_words_occur_speaks() {
    let first = says(&[user("please DEPLOY to Staging now")]).await;
    assert_eq!(first.text, "I will look first.");
    assert_eq!(says(&[user("deploy to production")]).await.text, "Something else.");
}

#[tokio::test]
async fn calls_are_written_as_a_model_would_write_them() {
    let said = says(&[user("deploy staging")]).await.calls;
    let call = |id: &str, name: &str, arguments: &str| Said {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    };
    assert_eq!(
        said,
        [
            call("call_0_0", "bash", r#"{"command":"git status","timeout":9007199254740993}"#),
            call("mine", "file_read", r#"{"file_path": "#),
        ]
    );
}

#[tokio::test]
async fn placeholders_are_filled_once() {
    let input = "deploy {result} to staging";
    let conversation = [user(input), assistant("I will look first."), result("clean"), result("{input}")];
    assert_eq!(says(&conversation).await.text, format!("{input} {{other}} gave {{input}}; all: clean\n{{input}}"));
}

#[tokio::test]
async fn a_script_says_that_it_has_ended() {
    let conversation = [user("x"), assistant("Something else.")];
    let spoken = says(&conversation).await;
    assert!(spoken.text.starts_with("The script has ended"), "{}", spoken.text);
    assert!(spoken.calls.is_empty());
    let narrow = Scripted::read("scenarios: [{when: [a], replies: [{say: b}]}]").unwrap();
    let (spoken, _) = speak(&narrow, &[user("x")]).await;
    assert_eq!(spoken.unwrap().text, "The script has no scenario for this message.");
}

#[tokio::test]
async fn words_are_heard_in_pieces_and_take_their_time() {
    let script = "scenarios: [{replies: [{say: 日本語を話す長い文をここに書きます。, delay_ms: 20}]}]";
    let model = Scripted::read(script).unwrap();
    assert!(model.is_script());
    let (spoken, heard) = speak(&model, &[user("x")]).await;
    assert!(heard.len() > 1, "{heard:?}");
    assert_eq!(heard.concat(), spoken.unwrap().text);
}

#[test]
fn what_is_wrong_in_a_script_is_told_with_its_line() {
    for (script, expected) in [
        ("scenarios:\n  - replies:\n      - sai: x\n", ["line 3", "unknown field `sai`"]), // typos: on purpose
        (
            "scenarios:\n  - replies:\n      - say: x\n        calls: [{tool: bash, args: 3}]\n",
            ["line 4", "`args` must be a map"],
        ),
        ("scenarios:\n  - replies: [{delay_ms: 3}]\n", ["line 2", "a reply needs `say` or `calls`"]),
        ("scenarios:\n  - replies: [{say: x, delay_ms: 700000}]\n", ["line 2", "`delay_ms` must be at most"]),
        ("scenarios:\n  - when: [a]\n", ["line 2", "missing field `replies`"]),
        ("scenarios: [\n", ["line", "the script cannot be read"]),
        ("scene: []\n", ["line 1", "unknown field `scene`"]),
    ] {
        let error = Scripted::read(script).unwrap_err().to_string();
        assert!(expected.iter().all(|part| error.contains(part)), "{script}{error}");
    }
    assert!(Scripted::read(&" ".repeat(2 * 1024 * 1024)).unwrap_err().to_string().contains("longer than"));
}

#[tokio::test]
async fn a_script_begins_anew_in_each_run_of_a_session() {
    let script =
        "scenarios:\n  - when: [one]\n    replies: [{say: first}, {say: second}]\n  - replies: [{say: '{input}!'}]\n";
    let model = Scripted::read(script).unwrap();
    let earlier = [user("one"), assistant("first"), assistant("second"), user("another")];
    assert_eq!(speak(&model, &earlier).await.0.unwrap().text, "another!");
    let again = [&earlier[..], &[assistant("another!"), user("one more")]].concat();
    assert_eq!(speak(&model, &again).await.0.unwrap().text, "first");
}
