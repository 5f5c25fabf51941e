//! The same for the arguments of a call: by the schema's mark, by the name of a member, and by looks.

use super::name::{NAMES, Name, Weight};
use super::reference::{is_place, is_reference};
use super::schema::Says;
use super::{Kind, in_text, mask_text, unmask_text};
use serde_json::{Map, Value};

/// Masks the secrets in the strings of `args`, at any depth, and in the names of its members.
///
/// `schema` is that of the tool's arguments. Numbers, booleans and nulls stay: a placeholder could not be told from a string.
pub fn mask_args(args: &mut Map<String, Value>, schema: Option<&Value>, put: &mut dyn FnMut(&str, Kind) -> String) {
    let mut ahead = Vec::new();
    open(args, &Says::of(schema), None, put, &mut ahead);
    // Not by recursion: how deep arguments are is their sender's choice.
    while let Some(Ahead { value, says, mark }) = ahead.pop() {
        match value {
            Value::String(text) => mask_string(text, mark, put),
            Value::Array(items) => ahead.extend(items.iter_mut().enumerate().map(|(index, value)| {
                let says = says.item(index);
                Ahead { value, mark: marked(&says).or(mark), says }
            })),
            Value::Object(members) => open(members, &says, mark.filter(|mark| mark.is_schema()), put, &mut ahead),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Puts back what stood at each placeholder in the strings and names of `args` that `get` knows.
pub fn unmask_args(args: &mut Map<String, Value>, get: &dyn Fn(&str) -> Option<String>) {
    each_string(args, &mut |text| unmask_text(text, get));
}

/// Changes the strings of `args`, at any depth, and the names of its members.
pub(super) fn each_string(args: &mut Map<String, Value>, change: &mut dyn FnMut(&mut String)) {
    let mut ahead: Vec<&mut Value> = Vec::new();
    rename(args, &mut *change);
    ahead.extend(args.values_mut());
    while let Some(value) = ahead.pop() {
        match value {
            Value::String(text) => change(text),
            Value::Array(items) => ahead.extend(items),
            Value::Object(members) => {
                rename(members, &mut *change);
                ahead.extend(members.values_mut());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

struct Ahead<'a, 's> {
    value: &'a mut Value,
    says: Says<'s>,
    mark: Option<Mark>,
}

/// Why a string is a secret as a whole.
#[derive(Clone, Copy)]
enum Mark {
    Schema,
    Name(Name),
}

impl Mark {
    /// A schema's mark holds for all below; a name's for a string and for a list of them.
    fn is_schema(self) -> bool {
        matches!(self, Self::Schema)
    }
}

fn marked(says: &Says<'_>) -> Option<Mark> {
    says.is_secret().then_some(Mark::Schema)
}

fn open<'a, 's>(
    members: &'a mut Map<String, Value>,
    says: &Says<'s>,
    mark: Option<Mark>,
    put: &mut dyn FnMut(&str, Kind) -> String,
    ahead: &mut Vec<Ahead<'a, 's>>,
) {
    rename(members, |name| {
        if !in_text(name).is_empty() {
            mask_text(name, put);
        }
    });
    ahead.extend(members.iter_mut().map(|(name, value)| {
        let says = says.member(name);
        let mark = mark.or_else(|| marked(&says)).or_else(|| NAMES.of(name).map(Mark::Name));
        Ahead { value, says, mark }
    }));
}

/// Changes the names of members. Those that stay are not touched.
fn rename(members: &mut Map<String, Value>, mut change: impl FnMut(&mut String)) {
    let renamed: Vec<(String, String)> = members
        .keys()
        .filter_map(|name| {
            let mut new = name.clone();
            change(&mut new);
            (new != *name).then(|| (name.clone(), new))
        })
        .collect();
    // All of them leave before one comes back: the new name of one may be the old name of another.
    let values: Vec<_> = renamed.iter().map(|(old, _)| members.remove(old)).collect();
    let named = renamed.into_iter().zip(values).filter_map(|((_, new), value)| Some((new, value?)));
    members.extend(named);
}

fn mask_string(text: &mut String, mark: Option<Mark>, put: &mut dyn FnMut(&str, Kind) -> String) {
    let whole = match mark {
        Some(Mark::Schema) => (!text.is_empty() && !is_reference(text)).then_some(Kind::MARKED),
        Some(Mark::Name(name)) => is_secret(text, name).then_some(name.kind),
        None => None,
    };
    match whole {
        Some(kind) => {
            let start = scheme(text, kind);
            let secret = put(text.get(start..).unwrap_or_default(), kind);
            text.truncate(start);
            text.push_str(&secret);
        }
        None => mask_text(text, put),
    }
}

/// Whether the value of a member with this name is a secret as a whole.
fn is_secret(text: &str, name: Name) -> bool {
    let named = name.weight == Weight::Likely && NAMES.is_label(text);
    !is_reference(text.get(scheme(text, name.kind)..).unwrap_or_default()) && !is_place(text) && !named
}

/// Where the secret begins after `Bearer ` and the like.
fn scheme(text: &str, kind: Kind) -> usize {
    let word = text.find(' ').filter(|_| kind == Kind("authorization")).unwrap_or(0);
    let is_scheme = word > 0 && text.bytes().take(word).all(|b| b.is_ascii_alphanumeric() || b == b'-');
    if is_scheme { word + 1 } else { 0 }
}
