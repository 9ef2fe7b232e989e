//! Against Python MLX: what it packs, decodes and multiplies, as `generate.py` wrote it down.

use crate::reference::{Case, Stack, Type, Values};
use mlx_cpu::{Isa, quantized::Format};

struct Fixture {
    stack: Stack,
    of: Type,
    decoded: Vec<f32>,
    across: Vec<f32>,
    down: Vec<f32>,
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect()
}

fn values(of: Type, text: &str) -> Values {
    let bytes = if text == "-" { Vec::new() } else { unhex(text) };
    let half = |b: &[u8]| u16::from_le_bytes([b[0], b[1]]);
    match of {
        Type::F32 => Values::F32(bytes.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect()),
        Type::F16 => Values::F16(bytes.chunks(2).map(|b| half::f16::from_bits(half(b))).collect()),
        Type::Bf16 => Values::Bf16(bytes.chunks(2).map(|b| half::bf16::from_bits(half(b))).collect()),
    }
}

fn fixture(line: &str) -> Fixture {
    let fields: Vec<&str> = line.split(' ').collect();
    let [mode, bits, group, of, codes, scales, biases, decoded, across, down] = fields[..] else {
        panic!("{} fields", fields.len());
    };
    let format = match mode {
        "affine" => Format::Affine { bits: bits.parse().unwrap(), group: group.parse().unwrap() },
        "mxfp4" => Format::Mxfp4,
        "mxfp8" => Format::Mxfp8,
        _ => Format::Nvfp4,
    };
    let of = match of {
        "float32" => Type::F32,
        "float16" => Type::F16,
        _ => Type::Bf16,
    };
    let bytes = if mode == "affine" { Vec::new() } else { unhex(scales) };
    let scales = if mode == "affine" { scales } else { "-" };
    let (scales, biases, codes) = (values(of, scales), values(of, biases), unhex(codes));
    let stack = Stack { format, codes, scales, biases, bytes, count: 1, rows: 4, columns: 128 };
    let wide = |text| values(of, text).wide();
    Fixture { stack, of, decoded: wide(decoded), across: wide(across), down: wide(down) }
}

fn fixtures() -> impl Iterator<Item = Fixture> {
    include_str!("fixtures.txt").lines().map(fixture)
}

impl Fixture {
    /// The product of this matrix with the generator's `x`.
    fn case(&self, transpose: bool) -> Case {
        let len = if transpose { 3 * 128 } else { 3 * 4 };
        let x = Values::new(self.of, (0..len).map(|i| ((i * 7919 % 257) as f32 - 128.0) / 64.0));
        Case { stack: self.stack.clone(), of: self.of, x, m: 3, transpose }
    }
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn the_reference_decodes_as_python() {
    for fixture in fixtures() {
        let Fixture { stack, of, decoded, .. } = &fixture;
        for (i, decoded) in decoded.iter().enumerate() {
            let (scale, bias) = stack.scale(i / 128, i % 128);
            let scaled = of.round(of.round(scale) * of.round(stack.unscaled(i / 128, i % 128)));
            let value = if bias.to_bits() == 0 { scaled } else { of.round(scaled + bias) };
            assert_eq!(value.to_bits(), decoded.to_bits(), "{:?} {of:?} {i}", stack.format);
        }
    }
}

#[test]
fn the_reference_multiplies_as_python() {
    for fixture in fixtures() {
        let (format, of) = (fixture.stack.format, fixture.of);
        assert_eq!(bits(&fixture.case(true).stock()), bits(&fixture.across), "{format:?} {of:?}");
        assert_eq!(bits(&fixture.case(false).stock()), bits(&fixture.down), "{format:?} {of:?}");
    }
}

#[test]
fn products_are_those_of_python_but_for_its_roundings() {
    for fixture in fixtures() {
        for transpose in [true, false] {
            let case = fixture.case(transpose);
            for isa in Isa::ALL.into_iter().filter(|isa| isa.is_supported()) {
                crate::accuracy::check(&case, isa);
            }
        }
    }
}
