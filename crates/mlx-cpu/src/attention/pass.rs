//! One pass over keys and values: a block of keys' scores, the largest so far, and sums that shrink when it grows.

use super::{Attention, Mask};
use crate::{
    Floats, Isa,
    arch::{Dense, Kernel, LANES, dispatch},
    dense::gemv::{Lines, MAX_ROWS, Part},
    elements::Element,
    reduce, share,
};

/// Keys whose scores are computed before their values are read.
const BLOCK: usize = 128;

/// Keys that a thread takes at a time where heads are too few to share.
const SHARE: usize = 512;

/// So many heads are shared as they are. Both numbers are fixed, that results do not depend on the threads.
const ENOUGH: usize = 16;

/// What a part of the keys gives: for each row the largest score, the sum of powers, and the sum of values.
struct Partial {
    stride: usize,
    values: Vec<f32>,
}

/// One head of keys and values, or some of its keys.
struct Pass<'a, T> {
    /// Products are entered anew: inlined here for every set they take minutes to compile.
    isa: Isa,
    call: &'a Attention<'a>,
    batch: usize,
    kv_head: usize,
    first: usize,
    /// From this head's first key and value on.
    k: &'a [T],
    v: &'a [T],
    q: &'a [T],
    keys: usize,
    partial: &'a mut [f32],
    stride: usize,
}

pub(super) fn attend<T: Element>(call: &Attention, isa: Isa, q: &[T], k: &[T], v: &[T], out: &mut [T]) {
    let places = call.batches * call.kv_heads;
    let rows = call.heads / call.kv_heads * call.queries;
    let some = if places < ENOUGH { SHARE } else { call.keys };
    let parts = call.keys.div_ceil(some);
    let stride = 2 + call.value_dim.next_multiple_of(LANES);
    let mut partial = Partial { stride, values: vec![0.0; places * parts * rows * stride] };
    let items = partial.values.chunks_mut(rows * stride).enumerate().map(|(number, partial)| {
        let (place, first) = (number / parts, number % parts * some);
        let (batch, kv_head) = (place / call.kv_heads, place % call.kv_heads);
        let k = &k[call.k.at(batch, kv_head) + first * call.k.row..];
        let v = &v[call.v.at(batch, kv_head) + first * call.v.row..];
        Pass { isa, call, batch, kv_head, first, k, v, q, keys: some.min(call.keys - first), partial, stride }
    });
    share::each(items.collect(), |pass| dispatch(isa, pass));
    dispatch(isa, Combine { call, partial, parts, rows, out });
}

impl<T: Element> Kernel for Pass<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Dense>(self, s: S) {
        let rows = self.partial.len() / self.stride;
        let queries = self.queries(rows);
        let width = self.stride - 2;
        let mut scores = vec![0.0; rows * BLOCK];
        let mut sums = vec![0.0; rows * width];
        let mut state = vec![(f32::NEG_INFINITY, 0.0); rows];
        for first in (0..self.keys).step_by(BLOCK) {
            let count = BLOCK.min(self.keys - first);
            let keys =
                Lines::whole(&self.k[first * self.call.k.row..], self.call.k.row, count, self.call.dim);
            let values =
                Lines::steps(&self.v[first * self.call.v.row..], self.call.v.row, self.call.value_dim, count);
            for (left, scores) in
                queries.chunks(MAX_ROWS * self.call.dim.max(1)).zip(scores.chunks_mut(MAX_ROWS * BLOCK))
            {
                let part =
                    Part { rows: scores.len() / BLOCK, left, columns: keys, sums: scores, block: BLOCK };
                dispatch(self.isa, part);
            }
            for row in 0..rows {
                let scores = &mut scores[row * BLOCK..][..count];
                self.mask(row, first, scores);
                step(s, scores, &mut state[row], &mut sums[row * width..][..width]);
            }
            // Sums are of rows of `count` scores, close.
            for row in 1..rows {
                scores.copy_within(row * BLOCK..row * BLOCK + count, row * count);
            }
            for (left, sums) in
                scores[..rows * count].chunks(MAX_ROWS * count).zip(sums.chunks_mut(MAX_ROWS * width))
            {
                let part = Part { rows: left.len() / count, left, columns: values, sums, block: width };
                dispatch(self.isa, part);
            }
        }
        for ((partial, sums), (most, total)) in
            self.partial.chunks_mut(self.stride).zip(sums.chunks(width)).zip(state)
        {
            partial[0] = most;
            partial[1] = total;
            partial[2..].copy_from_slice(sums);
        }
    }
}

impl<T: Element> Pass<'_, T> {
    /// The query head and the query of a row.
    fn row(&self, row: usize) -> (usize, usize) {
        let group = self.call.heads / self.call.kv_heads;
        (self.kv_head * group + row / self.call.queries, row % self.call.queries)
    }

    /// All rows' queries, scaled, close.
    fn queries(&self, rows: usize) -> Vec<f32> {
        let mut all = Vec::with_capacity(rows * self.call.dim);
        for row in 0..rows {
            let (head, query) = self.row(row);
            let q = &self.q[self.call.q.at(self.batch, head) + query * self.call.q.row..][..self.call.dim];
            all.extend(q.iter().map(|q| q.widen() * self.call.scale));
        }
        all
    }

    /// Puts what the mask says into the scores of a row and of keys from `first` of this part on.
    fn mask(&self, row: usize, first: usize, scores: &mut [f32]) {
        let (head, query) = self.row(row);
        let first = self.first + first;
        let start = |strides: &[usize; 4]| {
            [self.batch, head, query, first].iter().zip(strides).map(|(i, stride)| i * stride).sum::<usize>()
        };
        match &self.call.mask {
            Mask::Full => {}
            Mask::Causal => {
                // How many keys the query sees, none if it stands before all.
                let seen = (self.call.keys + query + 1).saturating_sub(self.call.queries);
                let from = seen.saturating_sub(first).min(scores.len());
                scores[from..].fill(T::LEAST);
            }
            Mask::Seen(seen, strides) => {
                let start = start(strides);
                for (key, score) in scores.iter_mut().enumerate() {
                    if seen[start + key * strides[3]] == 0 {
                        *score = T::LEAST;
                    }
                }
            }
            Mask::Add(added, strides) => match added {
                Floats::F32(added) => add(scores, added, start(strides), strides[3]),
                Floats::F16(added) => add(scores, added, start(strides), strides[3]),
                Floats::Bf16(added) => add(scores, added, start(strides), strides[3]),
            },
        }
    }
}

fn add<T: Element>(scores: &mut [f32], added: &[T], start: usize, stride: usize) {
    for (key, score) in scores.iter_mut().enumerate() {
        *score += added[start + key * stride].widen();
    }
}

/// Scores to powers against the largest score so far; what was summed before shrinks as that grows.
#[inline(always)]
fn step<S: Dense>(s: S, scores: &mut [f32], (most, total): &mut (f32, f32), sums: &mut [f32]) {
    let now = most.max(reduce::largest(s, scores));
    // Where all is minus infinity so far, every power is zero.
    let base = if now == f32::NEG_INFINITY { 0.0 } else { now };
    let mut powers = s.splat(0.0);
    for scores in scores.chunks_mut(LANES) {
        let power = s.exp(s.sub(f32::load_part(s, scores, f32::NEG_INFINITY), s.splat(base)));
        powers = s.add(powers, power);
        f32::store_part(s, power, scores);
    }
    let shrink = (*most - base).exp();
    *total = *total * shrink + s.sum(powers);
    *most = now;
    if shrink.to_bits() != 1.0_f32.to_bits() {
        for sums in sums.as_chunks_mut().0 {
            s.store(s.mul(s.load(sums), s.splat(shrink)), sums);
        }
    }
}

/// All parts' partials to the output.
struct Combine<'a, T> {
    call: &'a Attention<'a>,
    partial: Partial,
    parts: usize,
    rows: usize,
    out: &'a mut [T],
}

impl<T: Element> Kernel for Combine<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Dense>(self, s: S) {
        let Combine { call, partial: Partial { stride, values }, parts, rows, out } = self;
        for (number, out) in out.chunks_mut(call.value_dim).enumerate() {
            // Heads of a batch follow each other as rows of their places do.
            let (place, row) = (number / rows, number % rows);
            let all =
                || (0..parts).map(|part| &values[((place * parts + part) * rows + row) * stride..][..stride]);
            let sink = call.sinks.map(|sinks| one(sinks, number / call.queries % call.heads));
            let most = all().map(|partial| partial[0]).chain(sink).fold(f32::NEG_INFINITY, f32::max);
            let weight = |score: f32| if score == f32::NEG_INFINITY { 0.0 } else { (score - most).exp() };
            let total: f32 =
                all().map(|partial| weight(partial[0]) * partial[1]).sum::<f32>() + sink.map_or(0.0, weight);
            for (at, out) in out.chunks_mut(LANES).enumerate() {
                let mut sum = s.splat(0.0);
                for partial in all() {
                    let values = f32::load_part(s, &partial[2 + at * LANES..], 0.0);
                    sum = s.fma(s.splat(weight(partial[0])), values, sum);
                }
                T::store_part(s, s.mul(sum, s.splat(1.0 / total)), out);
            }
        }
    }
}

fn one(values: Floats, i: usize) -> f32 {
    match values {
        Floats::F32(values) => values[i],
        Floats::F16(values) => values[i].widen(),
        Floats::Bf16(values) => values[i].widen(),
    }
}
