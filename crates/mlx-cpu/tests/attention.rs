//! Attention against float64, on each set of instructions: groups, masks, sinks, caches that are views, special values.

#[path = "common/dense.rs"]
mod common;

use common::{Number, Random, near, sets};
use half::{bf16, f16};
use mlx_cpu::{
    Floats, Isa,
    attention::{Attention, Heads, Mask},
};

/// What a test says of a call; keys and values lie in buffers with room for more, rows apart.
#[derive(Clone, Copy, Debug)]
struct Case {
    batches: usize,
    kv_heads: usize,
    group: usize,
    queries: usize,
    keys: usize,
    dim: usize,
    value_dim: usize,
}

const SMALL: Case = Case { batches: 2, kv_heads: 2, group: 3, queries: 1, keys: 37, dim: 20, value_dim: 17 };

#[derive(Clone, Copy, Debug, PartialEq)]
enum Hide {
    Nothing,
    Later,
    Some,
    All,
    Added,
    Infinite,
}

struct Inputs<T> {
    q: Vec<T>,
    k: Vec<T>,
    v: Vec<T>,
    seen: Vec<u8>,
    added: Vec<f32>,
    sinks: Option<Vec<T>>,
}

fn inputs<T: Number>(random: &mut Random, case: Case, hide: Hide, sinks: bool) -> Inputs<T> {
    let room = case.keys + 3;
    let heads = case.kv_heads * case.group;
    let masked = case.batches * heads * case.queries * case.keys;
    Inputs {
        q: random.many(case.batches * heads * case.queries * case.dim),
        k: random.many(case.batches * case.kv_heads * room * (case.dim + 1)),
        v: random.many(case.batches * case.kv_heads * room * (case.value_dim + 2)),
        seen: (0..masked).map(|_| u8::from(hide != Hide::All && random.below(3) > 0)).collect(),
        added: (0..masked)
            .map(|_| if hide == Hide::Infinite { f32::NEG_INFINITY } else { random.unit() * 3.0 })
            .collect(),
        sinks: sinks.then(|| random.many(heads)),
    }
}

fn call<T: Number>(case: Case, hide: Hide, inputs: &Inputs<T>) -> Attention<'_> {
    let Case { batches, kv_heads, group, queries, keys, dim, value_dim } = case;
    let heads = kv_heads * group;
    let close = [heads * queries * keys, queries * keys, keys, 1];
    Attention {
        batches,
        heads,
        kv_heads,
        queries,
        keys,
        dim,
        value_dim,
        scale: 1.5,
        q: Heads::close(heads, queries, dim),
        k: Heads::close(kv_heads, keys + 3, dim + 1),
        v: Heads::close(kv_heads, keys + 3, value_dim + 2),
        mask: match hide {
            Hide::Nothing => Mask::Full,
            Hide::Later => Mask::Causal,
            Hide::Some | Hide::All => Mask::Seen(&inputs.seen, close),
            Hide::Added | Hide::Infinite => Mask::Add(Floats::F32(&inputs.added), close),
        },
        sinks: inputs.sinks.as_deref().map(T::floats),
    }
}

/// An output row in float64, with the size of what was summed.
fn row<T: Number>(
    case: Case,
    hide: Hide,
    x: &Inputs<T>,
    least: f64,
    [b, h, i]: [usize; 3],
) -> Vec<(f64, f64)> {
    let heads = case.kv_heads * case.group;
    let kv = (b * case.kv_heads + h / case.group) * (case.keys + 3);
    let q = &x.q[((b * heads + h) * case.queries + i) * case.dim..][..case.dim];
    let mut scores: Vec<f64> = (0..case.keys)
        .map(|j| {
            let k = &x.k[(kv + j) * (case.dim + 1)..];
            let score = 1.5 * q.iter().zip(k).map(|(q, k)| q.wide() * k.wide()).sum::<f64>();
            let at = ((b * heads + h) * case.queries + i) * case.keys + j;
            match hide {
                Hide::Later if j + case.queries > case.keys + i => least,
                Hide::Some | Hide::All if x.seen[at] == 0 => least,
                Hide::Added | Hide::Infinite => score + f64::from(x.added[at]),
                _ => score,
            }
        })
        .collect();
    scores.extend(x.sinks.as_ref().map(|sinks| sinks[h].wide()));
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = scores.iter().map(|&score: &f64| (score - most).exp()).collect();
    let total: f64 = powers.iter().sum::<f64>();
    let column = |d: usize| {
        let terms = (0..case.keys)
            .map(|j| -> f64 { powers[j] / total * x.v[(kv + j) * (case.value_dim + 2) + d].wide() });
        terms.fold((0.0, 0.0), |(sum, size), x: f64| (sum + x, size + x.abs()))
    };
    (0..case.value_dim).map(column).collect()
}

#[track_caller]
fn compare<T: Number>(case: Case, hide: Hide, inputs: &Inputs<T>, least: f64) {
    let heads = case.kv_heads * case.group;
    let want: Vec<_> = (0..case.batches * heads * case.queries)
        .flat_map(|n| {
            row(
                case,
                hide,
                inputs,
                least,
                [n / case.queries / heads, n / case.queries % heads, n % case.queries],
            )
        })
        .collect();
    for isa in sets() {
        let mut out = vec![T::of(9.0); want.len()];
        let (q, k, v) = (T::floats(&inputs.q), T::floats(&inputs.k), T::floats(&inputs.v));
        call(case, hide, inputs).run(isa, q, k, v, T::floats_mut(&mut out)).unwrap();
        for (i, (&out, &(want, size))) in out.iter().zip(&want).enumerate() {
            let what = format_args!("{} {case:?} {hide:?} on {isa}, element {i}", T::NAME);
            near(out, want, size, 16.0 + (case.dim + case.keys) as f64 / 16.0, &what);
        }
    }
}

fn all<T: Number>(least: f64) {
    let mut random = Random(23);
    let cases = [
        SMALL,
        Case { group: 1, ..SMALL },
        Case { group: 8, kv_heads: 1, ..SMALL },
        Case { queries: 5, ..SMALL },
        Case { queries: 5, keys: 3, ..SMALL },
        Case { keys: 1, ..SMALL },
        Case { keys: 300, dim: 64, value_dim: 64, ..SMALL },
        Case { keys: 1200, dim: 3, value_dim: 1, batches: 1, ..SMALL },
        Case { keys: 150, batches: 4, kv_heads: 5, dim: 16, value_dim: 32, ..SMALL },
    ];
    for case in cases {
        for hide in [Hide::Nothing, Hide::Later, Hide::Some, Hide::All, Hide::Added, Hide::Infinite] {
            for sinks in [false, true] {
                let inputs = inputs::<T>(&mut random, case, hide, sinks);
                compare(case, hide, &inputs, least);
            }
        }
    }
}

#[test]
fn float32() {
    all::<f32>(f64::from(f32::MIN));
}

#[test]
fn float16() {
    all::<f16>(-65504.0);
}

#[test]
fn bfloat16() {
    all::<bf16>(bf16::MIN.to_f64());
}

/// NaN and infinity among queries, keys, values and masks.
#[test]
fn nan_and_infinity() {
    let mut random = Random(29);
    let case = Case { keys: 700, ..SMALL };
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for hide in [Hide::Nothing, Hide::Some, Hide::Added] {
            for place in 0..4 {
                let mut inputs = inputs::<f32>(&mut random, case, hide, place == 3);
                let Inputs { q, k, v, added, .. } = &mut inputs;
                let array = [q, k, v, added].into_iter().nth(place).unwrap();
                let at = random.below(array.len());
                array[at] = value;
                compare(case, hide, &inputs, f64::from(f32::MIN));
            }
        }
    }
}

#[test]
fn without_keys_and_refusals() {
    let isa = Isa::best();
    let inputs = inputs::<f32>(&mut Random(1), SMALL, Hide::Nothing, true);
    let none = Case { keys: 0, ..SMALL };
    let mut out = vec![9f32; 2 * 6 * 17];
    let run = |call: Attention, k: &[f32], out: &mut [f32]| {
        call.run(isa, f32::floats(&inputs.q), f32::floats(k), f32::floats(&inputs.v), f32::floats_mut(out))
    };
    run(call(none, Hide::Nothing, &inputs), &[], &mut out).unwrap();
    assert!(out.iter().all(|&x| x.to_bits() == 0));
    let good = call(SMALL, Hide::Nothing, &inputs);
    let said = |call: Attention, k: &[f32], out: &mut [f32]| run(call, k, out).unwrap_err();
    let short = &inputs.k[..3 * 40 * 21 + 36 * 21 + 19];
    assert_eq!(said(good, short, &mut out), "attention: keys: 3296 elements are needed, the slice has 3295");
    assert_eq!(
        said(good, &inputs.k, &mut out[1..]),
        "attention: output: 204 elements are needed, the slice has 203"
    );
    let odd = Attention { kv_heads: 4, ..good };
    assert_eq!(
        said(odd, &inputs.k, &mut out),
        "attention: 6 query heads are no multiple of 4 of keys and values"
    );
    let masked = Attention { mask: Mask::Seen(&[1; 5], [0, 0, 0, 1]), ..good };
    assert_eq!(said(masked, &inputs.k, &mut out), "attention: mask: 37 elements are needed, the slice has 5");
    let far = Attention { k: Heads { row: usize::MAX, ..good.k }, ..good };
    assert_eq!(
        said(far, &inputs.k, &mut out),
        "attention: keys: more than memory has elements are needed, the slice has 3360"
    );
}
