//! Reads the fields of a case file that have several forms, such as a list or a map.
//!
//! Each says in plain words what it expects.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::format::{Axes, AxesTensor, Expect, Keep, Listed, Number, Sparse, Stated, present};

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Form;
        impl Visitor<'_> for Form {
            type Value = Number;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
                Ok(Number(text.to_owned()))
            }
        }
        from.deserialize_str(Form)
    }
}

impl<'de> Deserialize<'de> for Keep {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Form;
        impl Visitor<'_> for Form {
            type Value = Keep;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false or an integer")
            }
            fn visit_bool<E: Error>(self, flag: bool) -> Result<Keep, E> {
                Ok(Keep::Flag(flag))
            }
            fn visit_i64<E: Error>(self, integer: i64) -> Result<Keep, E> {
                Ok(Keep::Integer(integer))
            }
            fn visit_u64<E: Error>(self, integer: u64) -> Result<Keep, E> {
                i64::try_from(integer).map(Keep::Integer).map_err(E::custom)
            }
        }
        from.deserialize_any(Form)
    }
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

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Listed<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Listed<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map, as in `open: {empty-set: {zero: [0], reject: {rejected: norm}}}`")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Listed<T>, A::Error> {
                std::iter::from_fn(|| map.next_entry().transpose()).collect::<Result<_, _>>().map(Listed)
            }
        }
        from.deserialize_map(Entries(PhantomData))
    }
}

impl<'de> Deserialize<'de> for Stated {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Form;
        impl<'de> Visitor<'de> for Form {
            type Value = Stated;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of values, or a map of what the reading expects")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Stated, A::Error> {
                Ok(Stated(Expect { values: present(SeqAccessDeserializer::new(list))?, ..Expect::default() }))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Stated, A::Error> {
                match Expect::deserialize(MapAccessDeserializer::new(map))? {
                    Expect { values: Some(_), shape: None, printed: None, .. } => {
                        Err(A::Error::custom("expected `values` with a shape, or else their list alone"))
                    }
                    expect => Ok(Stated(expect)),
                }
            }
        }
        from.deserialize_any(Form)
    }
}
