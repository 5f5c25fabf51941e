//! Ids that cannot be mistaken for one another: `run_0197…`, `call_0197…`, `int_0197…`.

use crate::Digest;
use uuid::Uuid;

/// Declares an id type that prints, parses and serialises with its prefix.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Uuid);

        impl $name {
            /// The id with this number. Drawing one is the caller's business: nothing here is random.
            pub const fn new(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The number, as databases keep it.
            pub const fn uuid(self) -> Uuid {
                self.0
            }

            /// The id that follows from `digest`: whoever computes it again computes the same.
            pub fn derived(digest: Digest) -> Self {
                Self(digest.to_uuid())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "_{}"), self.0.simple())
            }
        }

        impl std::str::FromStr for $name {
            type Err = BadId;

            fn from_str(text: &str) -> Result<Self, BadId> {
                parse(text, $prefix).map(Self)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

id!(
    /// One run of an agent.
    RunId, "run"
);
id!(
    /// One tool call, from proposal to end.
    CallId, "call"
);
id!(
    /// One question put to a person.
    InteractionId, "int"
);

/// The text is not an id of the kind that was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not an id of the form `{prefix}_` and 32 hexadecimal digits")]
pub struct BadId {
    given: String,
    prefix: &'static str,
}

fn parse(text: &str, prefix: &'static str) -> Result<Uuid, BadId> {
    text.strip_prefix(prefix)
        .and_then(|rest| rest.strip_prefix('_'))
        .filter(|hex| hex.len() == 32 && hex.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'a'..=b'f')))
        .and_then(|hex| Uuid::try_parse(hex).ok())
        .ok_or_else(|| BadId { given: text.chars().take(64).collect(), prefix })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_prints_and_parses_with_its_prefix() {
        let id = RunId::new(Uuid::from_u128(0x0197_0000_0000_7000_8000_0000_0000_0001));
        assert_eq!(id.to_string(), "run_01970000000070008000000000000001");
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"run_01970000000070008000000000000001\"");
    }

    #[test]
    fn an_id_of_another_kind_is_refused() {
        let error = "run_01970000000070008000000000000001".parse::<InteractionId>().unwrap_err();
        assert!(error.to_string().contains("`int_`"), "{error}");
        for bad in
            ["", "run_", "run_xyz", "run_0197000000007000800000000000000", "run_{1970000000070008000000000000001"]
        {
            assert!(bad.parse::<RunId>().is_err(), "{bad}");
        }
    }
}
