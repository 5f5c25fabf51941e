//! Arrays and objects that are being written.

use super::{Done, Text, Unwritable, Writer, text_of, write_string};
use serde::ser::{self, Serialize};
use std::borrow::Cow;

/// An array that is being written.
pub(super) struct Items<'a> {
    writer: &'a mut Writer,
    begin: usize,
    closes: &'static str,
}

impl<'a> Items<'a> {
    pub(super) fn open(writer: &'a mut Writer, closes: &'static str) -> Self {
        writer.enter('[');
        Self { begin: writer.out.len(), writer, closes }
    }

    fn add<T: Serialize + ?Sized>(&mut self, item: &T) -> Done {
        if self.writer.out.len() > self.begin {
            self.writer.out.push(',');
        }
        item.serialize(&mut *self.writer)
    }

    fn close(self) {
        self.writer.leave(self.closes);
    }
}

/// An object that is being written: its members as they come, and sorted when all have.
pub(super) struct Members<'a> {
    writer: &'a mut Writer,
    begin: usize,
    written: Vec<Member>,
    closes: &'static str,
}

struct Member {
    key: Cow<'static, str>,
    /// Where its text ends. It begins where the one before it ends.
    end: usize,
}

impl<'a> Members<'a> {
    pub(super) fn open(writer: &'a mut Writer, closes: &'static str) -> Self {
        writer.enter('{');
        Self { begin: writer.out.len(), writer, written: vec![], closes }
    }

    fn key(&mut self, key: Cow<'static, str>) {
        write_string(&key, &mut self.writer.out);
        self.writer.out.push(':');
        self.written.push(Member { key, end: 0 });
    }

    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        value.serialize(&mut *self.writer)?;
        self.writer.out.push(',');
        let end = self.writer.out.len();
        let member = self.written.last_mut().ok_or_else(|| Unwritable("a value without its key".into()))?;
        member.end = end;
        Ok(())
    }

    fn close(self) {
        let Self { writer, begin, written, closes } = self;
        let is_sorted = written.is_sorted_by(|a, b| a.key.encode_utf16().lt(b.key.encode_utf16()));
        if !is_sorted {
            let text = writer.out.split_off(begin);
            let mut from = begin;
            let mut pieces: Vec<(&str, &str)> = Vec::with_capacity(written.len());
            for Member { key, end } in &written {
                pieces.push((key, text.get(from - begin..end - begin).unwrap_or_default()));
                from = *end;
            }
            pieces.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            let mut pieces = pieces.into_iter().peekable();
            while let Some((key, text)) = pieces.next() {
                // Of two members with one key the later one counts, as it does in a map.
                if pieces.peek().is_none_or(|(next, _)| *next != key) {
                    writer.out.push_str(text);
                }
            }
        }
        if writer.out.len() > begin {
            // The comma after the last one.
            writer.out.pop();
        }
        writer.leave(closes);
    }
}

macro_rules! items {
    ($($compound:ident: $add:ident),*) => {$(
        impl ser::$compound for Items<'_> {
            type Ok = ();
            type Error = Unwritable;

            fn $add<T: Serialize + ?Sized>(&mut self, item: &T) -> Done {
                self.add(item)
            }

            fn end(self) -> Done {
                self.close();
                Ok(())
            }
        }
    )*};
}

items!(
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field
);

macro_rules! members {
    ($($compound:ident),*) => {$(
        impl ser::$compound for Members<'_> {
            type Ok = ();
            type Error = Unwritable;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Done {
                self.key(Cow::Borrowed(key));
                self.value(value)
            }

            fn end(self) -> Done {
                self.close();
                Ok(())
            }
        }
    )*};
}

members!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Members<'_> {
    type Ok = ();
    type Error = Unwritable;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Done {
        let Text { text, .. } = text_of(key)?;
        // What needs no escape stands between its quotes as it is.
        let plain = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).filter(|text| !text.contains('\\'));
        let key = match plain {
            Some(plain) => plain.to_owned(),
            None => serde_json::from_str(&text).map_err(|_| Unwritable("a key must be a text".into()))?,
        };
        self.key(Cow::Owned(key));
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        self.value(value)
    }

    fn end(self) -> Done {
        self.close();
        Ok(())
    }
}
