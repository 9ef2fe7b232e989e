//! Feature `serde`: dtypes by their names in Python. The print options derive theirs where they are (`format`).

use crate::Dtype;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// The dtype's name in Python.
///
/// ```
/// # use mlx_core::Dtype;
/// assert_eq!(serde_json::to_string(&Dtype::Bfloat16).unwrap(), "\"bfloat16\"");
/// assert_eq!(serde_json::from_str::<Dtype>("\"int8\"").unwrap(), Dtype::Int8);
/// assert!(serde_json::from_str::<Dtype>("\"float8\"").is_err());
/// ```
impl Serialize for Dtype {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A dtype by its name in Python.
impl<'de> Deserialize<'de> for Dtype {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Dtype, D::Error> {
        struct Name;
        impl de::Visitor<'_> for Name {
            type Value = Dtype;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a dtype")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<Dtype, E> {
                name.parse().map_err(|error: crate::Error| E::custom(error.message()))
            }
        }
        deserializer.deserialize_str(Name)
    }
}
