//! Attention of a few queries over many keys: scores, softmax and sum in one pass over keys and values, in f32.
//!
//! Scores are as in MLX on a CPU: what a mask of truth values hides gets the least finite value of the element type, so
//! that a query that sees nothing gets the mean of all values; one hidden by minus infinity is NaN; without keys it is zero.
//! Here: what a call is and its checks. `pass` computes. Not here: long queries, which are better multiplied by `dense`.

mod pass;

use crate::{Floats, FloatsMut, Isa, elements::Element};

/// How an array of batches, heads and rows lies in its slice; a row's elements follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heads {
    /// From one batch to the next.
    pub batch: usize,
    /// From one head to the next.
    pub head: usize,
    /// From one row to the next.
    pub row: usize,
}

impl Heads {
    /// An array of `heads` heads of `rows` rows of `dim` elements each, with nothing between.
    #[must_use]
    pub const fn close(heads: usize, rows: usize, dim: usize) -> Heads {
        Heads { batch: heads * rows * dim, head: rows * dim, row: dim }
    }

    fn at(self, batch: usize, head: usize) -> usize {
        batch * self.batch + head * self.head
    }

    /// How many elements the slice needs.
    fn needs(self, [batches, heads, rows, dim]: [usize; 4]) -> Option<usize> {
        if [batches, heads, rows, dim].contains(&0) {
            return Some(0);
        }
        let last = (batches - 1).checked_mul(self.batch)?.checked_add((heads - 1).checked_mul(self.head)?)?;
        last.checked_add((rows - 1).checked_mul(self.row)?)?.checked_add(dim)
    }
}

/// What a query sees of the keys. Strides are those of batches, query heads, queries and keys; 0 where there is one for all.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Mask<'a> {
    /// Everything.
    Full,
    /// The last query sees every key, the one before all but the last, and so on.
    Causal,
    /// Keys whose byte is not 0.
    Seen(&'a [u8], [usize; 4]),
    /// Everything, with this added to the scores.
    Add(Floats<'a>, [usize; 4]),
}

/// A call: numbers, places, and options.
#[derive(Clone, Copy, Debug)]
pub struct Attention<'a> {
    /// Batches of everything.
    pub batches: usize,
    /// Heads of queries and of the output, a multiple of `kv_heads`.
    pub heads: usize,
    /// Heads of keys and values, each for as many query heads in a row.
    pub kv_heads: usize,
    /// Queries of a head.
    pub queries: usize,
    /// Keys and values of a head.
    pub keys: usize,
    /// Elements of a query and of a key.
    pub dim: usize,
    /// Elements of a value and of an output.
    pub value_dim: usize,
    /// Times the scores.
    pub scale: f32,
    /// How queries lie.
    pub q: Heads,
    /// How keys lie.
    pub k: Heads,
    /// How values lie.
    pub v: Heads,
    /// What queries see.
    pub mask: Mask<'a>,
    /// For each query head a score that takes its share and adds nothing.
    pub sinks: Option<Floats<'a>>,
}

impl Attention<'_> {
    /// Attends into `out`, which has batches, heads, queries and `value_dim`, close to each other.
    ///
    /// # Errors
    /// Element types of queries, keys, values and output differ, a slice is too short, or heads do not divide; `dim` is 0.
    ///
    /// ```
    /// use mlx_cpu::{Floats, FloatsMut, Isa, attention::{Attention, Heads, Mask}};
    /// let call = Attention {
    ///     batches: 1, heads: 1, kv_heads: 1, queries: 1, keys: 2, dim: 1, value_dim: 2, scale: 1.0,
    ///     q: Heads::close(1, 1, 1), k: Heads::close(1, 2, 1), v: Heads::close(1, 2, 2), mask: Mask::Full, sinks: None,
    /// };
    /// let mut out = [0.0; 2];
    /// let (q, k, v) = ([1.0], [0.5, 0.5], [1.0, 2.0, 3.0, 4.0]);
    /// call.run(Isa::best(), Floats::F32(&q), Floats::F32(&k), Floats::F32(&v), FloatsMut::F32(&mut out))?;
    /// assert!((out[0] - 2.0).abs() < 1e-6 && (out[1] - 3.0).abs() < 1e-6);
    /// # Ok::<(), String>(())
    /// ```
    pub fn run(&self, isa: Isa, q: Floats, k: Floats, v: Floats, out: FloatsMut) -> Result<(), String> {
        match (q, k, v, out) {
            (Floats::F32(q), Floats::F32(k), Floats::F32(v), FloatsMut::F32(out)) => {
                self.typed(isa, q, k, v, out)
            }
            (Floats::F16(q), Floats::F16(k), Floats::F16(v), FloatsMut::F16(out)) => {
                self.typed(isa, q, k, v, out)
            }
            (Floats::Bf16(q), Floats::Bf16(k), Floats::Bf16(v), FloatsMut::Bf16(out)) => {
                self.typed(isa, q, k, v, out)
            }
            (q, k, v, out) => {
                let names = [q.name(), k.name(), v.name(), out.name()];
                Err(format!("attention: queries, keys, values and output are {}", names.join(", ")))
            }
        }
    }

    fn typed<T: Element>(&self, isa: Isa, q: &[T], k: &[T], v: &[T], out: &mut [T]) -> Result<(), String> {
        let Attention { batches, heads, kv_heads, queries, keys, dim, value_dim, .. } = *self;
        if !(if kv_heads == 0 { heads == 0 } else { heads.is_multiple_of(kv_heads) }) {
            return Err(format!(
                "attention: {heads} query heads are no multiple of {kv_heads} of keys and values"
            ));
        }
        if dim == 0 {
            return Err("attention: queries and keys of no elements".into());
        }
        let all = [
            ("queries", q.len(), self.q.needs([batches, heads, queries, dim])),
            ("keys", k.len(), self.k.needs([batches, kv_heads, keys, dim])),
            ("values", v.len(), self.v.needs([batches, kv_heads, keys, value_dim])),
            (
                "output",
                out.len(),
                Heads::close(heads, queries, value_dim).needs([batches, heads, queries, value_dim]),
            ),
            ("mask", self.mask.len(), self.mask.needs([batches, heads, queries, keys])),
            ("sinks", self.sinks.map_or(heads, |sinks| sinks.len()), Some(heads)),
        ];
        for (what, has, needs) in all {
            if needs.is_none_or(|needs| needs > has) {
                let needs = needs.map_or("more than memory has".into(), |needs| needs.to_string());
                return Err(format!("attention: {what}: {needs} elements are needed, the slice has {has}"));
            }
        }
        let out = &mut out[..batches * heads * queries * value_dim];
        if keys == 0 {
            out.fill(T::default());
        } else if !out.is_empty() {
            pass::attend(self, isa, q, k, v, out);
        }
        Ok(())
    }
}

impl Mask<'_> {
    fn len(&self) -> usize {
        match self {
            Mask::Full | Mask::Causal => 0,
            Mask::Seen(seen, _) => seen.len(),
            Mask::Add(added, _) => added.len(),
        }
    }

    fn needs(&self, shape: [usize; 4]) -> Option<usize> {
        match self {
            Mask::Seen(_, strides) | Mask::Add(_, strides) if !shape.contains(&0) => {
                let steps = shape.iter().zip(strides).map(|(&n, &stride)| (n - 1).checked_mul(stride));
                steps.into_iter().try_fold(1usize, |sum, step| sum.checked_add(step?))
            }
            _ => Some(0),
        }
    }
}
