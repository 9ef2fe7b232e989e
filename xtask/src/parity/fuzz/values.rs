//! Values of the generator's inputs, and its weak scalars.
//!
//! Not here: which dtypes and shapes (`program`).

use crate::chance::Chance;
use mlx_core::Dtype;
use serde_json::{Value as Json, json};

/// What an op asks of a tensor's values, so that Python survives it and its result is defined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Flavour {
    Any,
    /// Finite and small.
    Finite,
    /// From 0 to 1.
    Unit,
    /// Integers that may divide: neither 0 nor -1. Floats are free.
    Divisor,
    /// Integers that may be exponents: from 0 to 4. Floats are free.
    Exponent,
    /// Integers that may be shifted by: from 0 to 6.
    Shift,
    /// A square matrix, symmetric and with a strong diagonal.
    Definite,
    /// Positions of an axis of that size, negative ones too.
    Position(usize),
    /// Numbers from 0 up to and without that one.
    Below(usize),
}

/// The dtypes of a class in the table of templates.
pub(super) fn dtypes(class: &str) -> Option<&'static [Dtype]> {
    use Dtype::{
        Bfloat16, Bool, Complex64, Float16, Float32, Float64, Int8, Int16, Int32, Int64, Uint8, Uint16,
        Uint32, Uint64,
    };
    Some(match class {
        "any" => &Dtype::ALL,
        "bool" => &[Bool],
        "uint8" => &[Uint8],
        "int" => &[Int8, Int16, Int32, Int32, Int64, Uint8, Uint16, Uint32, Uint64],
        "uint" => &[Uint8, Uint16, Uint32, Uint64],
        "real" => &[
            Bool, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64, Float16, Bfloat16, Float32,
            Float32, Float64,
        ],
        "num" | "nobool" => &[
            Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64, Float16, Bfloat16, Float32, Float64,
            Complex64,
        ],
        "float" => &[Float16, Bfloat16, Float32, Float32, Float64],
        "random" | "hada" => &[Float16, Bfloat16, Float32],
        "blas" => &[Float32, Float64],
        "lapack" => &[Float32, Float64, Complex64],
        "single" => &[Float32],
        "inexact" => &[Float16, Bfloat16, Float32, Float32, Float64, Complex64],
        _ => return None,
    })
}

/// As many values as the shape asks for.
pub(super) fn draw(chance: &mut Chance, dtype: Dtype, shape: &[usize], flavour: Flavour) -> Vec<Json> {
    let size: usize = shape.iter().product();
    if flavour == Flavour::Definite {
        return definite(chance, shape, dtype == Dtype::Complex64);
    }
    // Special values in every tensor would hide everything else.
    let special = chance.below(4) == 0;
    (0..size).map(|_| value(chance, dtype, flavour, special)).collect()
}

fn value(chance: &mut Chance, dtype: Dtype, flavour: Flavour, special: bool) -> Json {
    if dtype == Dtype::Bool {
        return json!(flavour == Flavour::Divisor || chance.below(2) == 0);
    }
    if dtype == Dtype::Complex64 {
        let part = |chance: &mut Chance| float(chance, flavour, special);
        return json!([part(chance), part(chance)]);
    }
    if dtype.is_floating() {
        float(chance, flavour, special)
    } else {
        integer(chance, dtype, flavour, special)
    }
}

fn integer(chance: &mut Chance, dtype: Dtype, flavour: Flavour, special: bool) -> Json {
    let is_signed = dtype.name().starts_with('i');
    match flavour {
        Flavour::Unit => return json!(chance.below(2)),
        Flavour::Divisor => return json!(1 + chance.below(7)),
        Flavour::Exponent => return json!(chance.below(5)),
        Flavour::Shift => return json!(chance.below(7)),
        Flavour::Below(count) => return json!(chance.below(count.max(1))),
        Flavour::Position(count) => {
            let position = chance.below(count.max(1)) as i64;
            let from_end = is_signed && chance.below(3) == 0;
            return json!(if from_end { position - count as i64 } else { position });
        }
        Flavour::Any | Flavour::Finite | Flavour::Definite => {}
    }
    if special && flavour == Flavour::Any && chance.below(3) == 0 {
        let bits = 8 * dtype.size() as u32 - u32::from(is_signed);
        let most = ((1_u128 << bits) - 1) as u64;
        let least = if is_signed { -i128::from(most) - 1 } else { 0 };
        return match chance.below(3) {
            0 => json!(most),
            1 => json!(least as i64),
            _ => json!(most / 2 + 1),
        };
    }
    let small = chance.below(12) as i64;
    json!(if is_signed { small - 5 } else { small })
}

fn float(chance: &mut Chance, flavour: Flavour, special: bool) -> Json {
    match flavour {
        Flavour::Unit => return json!(chance.below(17) as f64 / 16.0),
        Flavour::Below(count) | Flavour::Position(count) => return json!(chance.below(count.max(1))),
        _ => {}
    }
    if special && flavour != Flavour::Finite && chance.below(3) == 0 {
        let rare = ["nan", "inf", "-inf"].map(|text| json!(text));
        let more =
            [json!(-0.0), json!(0.0), json!(1e-40), json!(65504.0), json!(3.0e38), json!(-1e-5), json!(1e10)];
        return chance.of(&[&rare[..], &more[..]].concat());
    }
    json!((chance.below(4001) as f64 - 2000.0) / chance.of(&[250.0, 500.0, 1000.0]))
}

fn definite(chance: &mut Chance, shape: &[usize], is_complex: bool) -> Vec<Json> {
    let n = shape.last().copied().unwrap_or(1);
    let count: usize = shape.iter().product::<usize>() / (n * n).max(1);
    let mut values = Vec::new();
    for _ in 0..count {
        let mut matrix = vec![0.0; n * n];
        for row in 0..n {
            for column in 0..=row {
                let near = (chance.below(201) as f64 - 100.0) / 100.0;
                matrix[row * n + column] =
                    if row == column { near + 2.0 * n as f64 + row as f64 } else { near };
                matrix[column * n + row] = matrix[row * n + column];
            }
        }
        values.extend(matrix.into_iter().map(|x| if is_complex { json!([x, 0.0]) } else { json!(x) }));
    }
    values
}

/// A weak scalar.
pub(super) fn scalar(chance: &mut Chance, flavour: Flavour) -> Json {
    match chance.below(14) {
        0..6 => match flavour {
            Flavour::Divisor => json!(1 + chance.below(7)),
            Flavour::Exponent => json!(chance.below(5)),
            Flavour::Shift => json!(chance.below(7)),
            _ if chance.below(6) == 0 => {
                json!(chance.of(&[
                    300_i64,
                    -300,
                    70_000,
                    2_147_483_647,
                    -2_147_483_648,
                    4_294_967_296,
                    16_777_217
                ]))
            }
            _ => json!(chance.below(13) as i64 - 4),
        },
        6..11 => json!((chance.below(4001) as f64 - 2000.0) / 500.0),
        11 => json!(chance.below(2) == 0 || flavour == Flavour::Divisor),
        12 if flavour == Flavour::Any => {
            let mut part = || (chance.below(41) as f64 - 20.0) / 8.0;
            json!({"complex": [part(), part()]})
        }
        _ => chance.of(&[
            json!(0.1),
            json!(1e-8),
            json!(1e39),
            json!(-0.0),
            json!({"float": "nan"}),
            json!({"float": "inf"}),
            json!({"float": "-inf"}),
        ]),
    }
}
