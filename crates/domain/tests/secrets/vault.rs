//! Keeps secrets for a test.

use countersign_domain::secret::{Kind, Placeholder, mask_args, mask_text, unmask_args, unmask_text};
use serde_json::{Map, Value};

#[derive(Default)]
pub(crate) struct Vault {
    pub(crate) kept: Vec<(String, Kind)>,
}

impl Vault {
    fn put(&mut self, secret: &str, kind: Kind) -> String {
        self.kept.push((secret.to_owned(), kind));
        let number = u32::try_from(self.kept.len()).unwrap();
        Placeholder { number, nonce: "a91f5c02".to_owned(), kind: kind.to_string() }.to_string()
    }

    fn get(&self, text: &str) -> Option<String> {
        let placeholder: Placeholder = text.parse().unwrap();
        let at = usize::try_from(placeholder.number).unwrap().checked_sub(1)?;
        self.kept.get(at).filter(|_| placeholder.nonce == "a91f5c02").map(|(secret, _)| secret.clone())
    }

    pub(crate) fn mask(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        mask_text(&mut text, &mut |secret, kind| self.put(secret, kind));
        text
    }

    pub(crate) fn unmask(&self, text: &str) -> String {
        let mut text = text.to_owned();
        unmask_text(&mut text, &|place| self.get(place));
        text
    }

    pub(crate) fn mask_args(&mut self, args: &Map<String, Value>, schema: Option<&Value>) -> Map<String, Value> {
        let mut args = args.clone();
        mask_args(&mut args, schema, &mut |secret, kind| self.put(secret, kind));
        args
    }

    pub(crate) fn unmask_args(&self, args: &Map<String, Value>) -> Map<String, Value> {
        let mut args = args.clone();
        unmask_args(&mut args, &|place| self.get(place));
        args
    }
}
