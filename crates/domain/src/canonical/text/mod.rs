//! Writes a thing as RFC 8785 says, without making a value of it first: what is saved most often is written most often.

mod parts;

use super::write::{write_double, write_string};
use parts::{Items, Members};
use serde::ser::{self, Serialize};
use std::fmt::{Display, Write as _};

/// The canonical text of a thing, and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The text, the same that [`super::canonical`] gives of the thing's value.
    pub text: String,
    /// Whether all its numbers are integers that every program takes for the same.
    pub is_plain: bool,
    /// How many arrays and objects stand inside one another.
    pub depth: usize,
}

/// The thing cannot be written as JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unwritable(String);

impl ser::Error for Unwritable {
    fn custom<T: Display>(why: T) -> Self {
        Self(why.to_string())
    }
}

/// The canonical text of `thing`.
pub fn text_of(thing: &(impl Serialize + ?Sized)) -> Result<Text, Unwritable> {
    let mut writer = Writer { out: String::with_capacity(USUAL), is_plain: true, open: 0, depth: 0 };
    thing.serialize(&mut writer)?;
    let Writer { out, is_plain, depth, .. } = writer;
    Ok(Text { text: out, is_plain, depth })
}

struct Writer {
    out: String,
    is_plain: bool,
    open: usize,
    depth: usize,
}

/// Room for what is written most often, so that it is not moved as it grows.
const USUAL: usize = 512;

/// The largest integer that every program takes for the same, in either direction.
const LARGEST: u64 = (1 << 53) - 1;

impl Writer {
    fn enter(&mut self, bracket: char) {
        self.open += 1;
        self.depth = self.depth.max(self.open);
        self.out.push(bracket);
    }

    fn leave(&mut self, brackets: &str) {
        self.open -= brackets.len();
        self.out.push_str(brackets);
    }

    /// Opens an object with one member, whose value comes next.
    fn variant(&mut self, name: &str) {
        self.enter('{');
        write_string(name, &mut self.out);
        self.out.push(':');
    }
}

type Done = Result<(), Unwritable>;

impl<'a> ser::Serializer for &'a mut Writer {
    type Ok = ();
    type Error = Unwritable;
    type SerializeSeq = Items<'a>;
    type SerializeTuple = Items<'a>;
    type SerializeTupleStruct = Items<'a>;
    type SerializeTupleVariant = Items<'a>;
    type SerializeMap = Members<'a>;
    type SerializeStruct = Members<'a>;
    type SerializeStructVariant = Members<'a>;

    fn serialize_bool(self, value: bool) -> Done {
        self.out.push_str(if value { "true" } else { "false" });
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> Done {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Done {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Done {
        self.serialize_i64(value.into())
    }

    #[expect(clippy::cast_precision_loss, reason = "RFC 8785 numbers are doubles")]
    fn serialize_i64(self, value: i64) -> Done {
        if value.unsigned_abs() > LARGEST {
            return self.serialize_f64(value as f64);
        }
        let _ = write!(self.out, "{value}");
        Ok(())
    }

    fn serialize_u8(self, value: u8) -> Done {
        self.serialize_i64(value.into())
    }

    fn serialize_u16(self, value: u16) -> Done {
        self.serialize_i64(value.into())
    }

    fn serialize_u32(self, value: u32) -> Done {
        self.serialize_i64(value.into())
    }

    #[expect(clippy::cast_precision_loss, reason = "RFC 8785 numbers are doubles")]
    fn serialize_u64(self, value: u64) -> Done {
        match i64::try_from(value) {
            Ok(small) => self.serialize_i64(small),
            Err(_) => self.serialize_f64(value as f64),
        }
    }

    fn serialize_f32(self, value: f32) -> Done {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Done {
        self.is_plain = false;
        if value.is_finite() {
            write_double(value, &mut self.out);
        } else {
            self.out.push_str("null");
        }
        Ok(())
    }

    fn serialize_char(self, value: char) -> Done {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Done {
        write_string(value, &mut self.out);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Done {
        ser::Serializer::collect_seq(self, value)
    }

    fn serialize_none(self) -> Done {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Done {
        self.out.push_str("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Done {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Done {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Done {
        self.variant(variant);
        value.serialize(&mut *self)?;
        self.leave("}");
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Items<'a>, Unwritable> {
        Ok(Items::open(self, "]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Items<'a>, Unwritable> {
        Ok(Items::open(self, "]"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Items<'a>, Unwritable> {
        Ok(Items::open(self, "]"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Items<'a>, Unwritable> {
        self.variant(variant);
        Ok(Items::open(self, "]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Members<'a>, Unwritable> {
        Ok(Members::open(self, "}"))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Members<'a>, Unwritable> {
        Ok(Members::open(self, "}"))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members<'a>, Unwritable> {
        self.variant(variant);
        Ok(Members::open(self, "}}"))
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Done {
        self.serialize_str(&value.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::super::canonical;
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Number, Value, json};
    use std::collections::BTreeMap;

    #[derive(serde::Serialize)]
    #[serde(rename_all = "snake_case")]
    enum Odd {
        Unit,
        Newtype(u8),
        Tuple(i32, char),
        Struct { z: Option<f32>, a: f64 },
    }

    #[derive(serde::Serialize)]
    struct Flat {
        z: (),
        #[serde(flatten)]
        inner: Inner,
        #[serde(flatten)]
        odd: Odd,
        b: u64,
    }

    #[derive(serde::Serialize)]
    #[serde(tag = "verdict")]
    enum Inner {
        Yes { m: Vec<Odd>, c: BTreeMap<String, i64> },
    }

    #[test]
    fn things_of_all_shapes_are_written_like_their_values() {
        let odd = || vec![Odd::Unit, Odd::Newtype(7), Odd::Tuple(-1, 'ä'), Odd::Struct { z: None, a: f64::NAN }];
        let c = BTreeMap::from([("\u{1f600}".into(), 1), ("\u{fb33}".into(), i64::MIN), ("q\"".into(), 0)]);
        for last in odd() {
            if matches!(last, Odd::Unit) {
                continue;
            }
            let flat = Flat { z: (), inner: Inner::Yes { m: odd(), c: c.clone() }, odd: last, b: u64::MAX };
            assert_eq!(text_of(&flat).unwrap().text, canonical(&serde_json::to_value(&flat).unwrap()));
        }
    }

    #[test]
    fn of_two_members_with_one_key_the_later_counts() {
        #[derive(serde::Serialize)]
        struct Twice {
            b: u8,
            a: u8,
            #[serde(flatten)]
            again: BTreeMap<String, u8>,
        }
        let twice = Twice { b: 1, a: 2, again: BTreeMap::from([("b".into(), 3)]) };
        assert_eq!(text_of(&twice).unwrap().text, r#"{"a":2,"b":3}"#);
    }

    #[test]
    fn it_is_told_how_deep_and_how_plain_a_text_is() {
        let of = |value: Value| text_of(&value).map(|text| (text.depth, text.is_plain)).unwrap();
        assert_eq!(of(json!(1)), (0, true));
        assert_eq!(of(json!({"a": [[1]], "b": []})), (3, true));
        assert_eq!(of(json!([1.5])), (1, false));
        assert_eq!(of(json!((1_u64 << 53) - 1)), (0, true));
        assert_eq!(of(json!(1_u64 << 53)), (0, false));
    }

    fn value() -> impl Strategy<Value = Value> {
        let number = prop_oneof![
            any::<i64>().prop_map(Number::from),
            any::<u64>().prop_map(Number::from),
            any::<f64>().prop_filter_map("a number", Number::from_f64),
        ];
        let text = prop_oneof![any::<String>(), "[\\PC\u{0}-\u{1f}\"\\\\]{0,8}"];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            number.prop_map(Value::Number),
            text.clone().prop_map(Value::String),
        ];
        leaf.prop_recursive(6, 64, 8, move |inner| {
            let members = prop::collection::hash_map(text.clone(), inner.clone(), 0..8);
            prop_oneof![
                prop::collection::vec(inner, 0..8).prop_map(Value::Array),
                members.prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_value_is_written_the_same_either_way(value in value()) {
            prop_assert_eq!(text_of(&value).unwrap().text, canonical(&value));
        }
    }
}
