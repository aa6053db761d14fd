//! The shape of a case file, field by field, as serde reads it.
//!
//! Nothing is judged here beyond names and YAML types. Numbers that become tensor elements stay
//! text ([`Number`]); absent, null and empty stay apart; keys of maps are in file order or sorted,
//! and never silently overwrite each other. What the fields mean is said in [the format](super).

use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseFile {
    pub(super) topic: String,
    pub(super) specs: Vec<String>,
    pub(super) cases: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) clauses: Vec<String>,
    pub(super) why: String,
    #[serde(default, deserialize_with = "present")]
    pub(super) specs: Option<Vec<String>>,
    pub(super) dtypes: Vec<String>,
    pub(super) data: Data,
    #[serde(default)]
    pub(super) axes: Axes,
    #[serde(default, deserialize_with = "present")]
    pub(super) keep_dims: Option<bool>,
    #[serde(default, deserialize_with = "present")]
    pub(super) keepdims: Option<i64>,
    #[serde(default, deserialize_with = "present")]
    pub(super) noop_with_empty_axes: Option<i64>,
    #[serde(default, deserialize_with = "present")]
    pub(super) output_shape: Option<Vec<usize>>,
    pub(super) expect: Expect,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Data {
    pub(super) shape: Vec<usize>,
    #[serde(default, deserialize_with = "present")]
    pub(super) values: Option<Vec<Number>>,
    #[serde(default, deserialize_with = "present")]
    pub(super) repeat: Option<Number>,
    #[serde(default, deserialize_with = "present")]
    pub(super) cycle: Option<Vec<Number>>,
    #[serde(default, deserialize_with = "present")]
    pub(super) random: Option<Random>,
    #[serde(default)]
    pub(super) except: Sparse,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Random {
    pub(super) seed: u64,
    pub(super) low: i64,
    pub(super) high: i64,
    #[serde(default)]
    pub(super) scale: i32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AxesTensor {
    pub(super) dtypes: Vec<String>,
    pub(super) shape: Vec<usize>,
    pub(super) values: Vec<Number>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expect {
    #[serde(default, deserialize_with = "present")]
    pub(super) shape: Option<Vec<usize>>,
    #[serde(default, deserialize_with = "present")]
    pub(super) values: Option<Vec<Number>>,
    #[serde(default, deserialize_with = "present")]
    pub(super) roots: Option<Vec<Number>>,
    #[serde(default, deserialize_with = "present")]
    pub(super) repeat: Option<Number>,
    #[serde(default, deserialize_with = "present")]
    pub(super) reference: Option<bool>,
    #[serde(default)]
    pub(super) at: Sparse,
    #[serde(default)]
    pub(super) roots_at: Sparse,
    #[serde(default, deserialize_with = "present")]
    pub(super) printed: Option<Vec<Number>>,
    #[serde(default, deserialize_with = "present")]
    pub(super) unchanged: Option<bool>,
    #[serde(default, deserialize_with = "present")]
    pub(super) rejected: Option<String>,
    #[serde(default, deserialize_with = "present")]
    pub(super) open: Option<String>,
    #[serde(default, deserialize_with = "present")]
    pub(super) readings: Option<Readings>,
}

/// A number as it is spelled. Reading a plain scalar as a string keeps its text; reading it as
/// anything else would round it.
#[derive(Debug, Deserialize)]
pub(super) struct Number(pub(super) String);

/// Single elements by flat index.
#[derive(Debug, Default)]
pub(super) struct Sparse(pub(super) BTreeMap<usize, Number>);

/// Readings in file order.
#[derive(Debug)]
pub(super) struct Readings(pub(super) Vec<(String, Expect)>);

#[derive(Debug, Default)]
pub(super) enum Axes {
    #[default]
    Absent,
    Null,
    List(Vec<Number>),
    Tensor(AxesTensor),
}

/// A field that is there. Without this, `null` would be as good as leaving it out.
pub(super) fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

impl<'de> Deserialize<'de> for Axes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Form;
        impl<'de> Visitor<'de> for Form {
            type Value = Axes;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("null, a list, or a map of dtypes, shape and values")
            }
            fn visit_unit<E: Error>(self) -> Result<Axes, E> {
                Ok(Axes::Null)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Axes, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list)).map(Axes::List)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Axes, A::Error> {
                AxesTensor::deserialize(MapAccessDeserializer::new(map)).map(Axes::Tensor)
            }
        }
        from.deserialize_any(Form)
    }
}

impl<'de> Deserialize<'de> for Sparse {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Sparse;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of flat indices to numbers")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Sparse, A::Error> {
                let mut entries = BTreeMap::new();
                while let Some((index, number)) = map.next_entry()? {
                    if entries.insert(index, number).is_some() {
                        return Err(A::Error::custom(format_args!("duplicate index {index}")));
                    }
                }
                Ok(Sparse(entries))
            }
        }
        from.deserialize_map(Entries)
    }
}

impl<'de> Deserialize<'de> for Readings {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Readings;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of readings to what each expects")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Readings, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Readings(entries))
            }
        }
        from.deserialize_map(Entries)
    }
}
