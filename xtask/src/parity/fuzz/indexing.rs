//! Index specs, and what is assigned through them.
//!
//! Not here: positions for `take` and its kind (`tensors`).

use super::{
    program::{Known, Program},
    tensors::reference,
    values::{self, Flavour},
};
use mlx_core::Dtype;
use serde_json::{Value as Json, json};

/// A spec under way.
#[derive(Default)]
struct Spec {
    items: Vec<Json>,
    /// The shape of what is picked, while that is easily told.
    picked: Option<Vec<usize>>,
    axis: usize,
    has_ellipsis: bool,
    arrays: usize,
    with_arrays: bool,
    writes: bool,
}

impl Spec {
    fn pick(&mut self, sizes: &[usize]) {
        if let Some(picked) = &mut self.picked {
            picked.extend(sizes);
        }
    }
}

impl Program {
    /// The arguments of `index`, `set_index` or `at`.
    pub(super) fn indexing(&mut self, op: &str) -> Option<Vec<Json>> {
        let kind = if self.once_in(8) { "any" } else { "any@1+" };
        let tensor = self.argument(kind)?;
        let known = self.pool.iter().find(|known| reference(known) == tensor)?.clone();
        let masks = op == "set_index" && self.once_in(6);
        let (spec, shape) = if masks { self.mask(&known)? } else { self.spec(&known, op != "index")? };
        if op == "index" {
            return Some(vec![tensor, spec]);
        }
        // Scattering nothing is a division by zero in Python.
        let nothing = known.shape.contains(&0) || self.picks_nothing;
        if shape.is_none() && nothing {
            return None;
        }
        let value = self.assigned(&known, shape.as_deref())?;
        if op == "set_index" {
            return Some(vec![tensor, spec, value]);
        }
        let updates = ["add", "subtract", "multiply", "divide", "maximum", "minimum"];
        Some(vec![tensor, spec, value, json!(self.chance.of(&updates))])
    }

    fn mask(&mut self, known: &Known) -> Option<(Json, Option<Vec<usize>>)> {
        let rank = if self.once_in(3) { self.chance.below(known.shape.len() + 1) } else { known.shape.len() };
        let mask = self.of_shape(Dtype::Bool, &known.shape[..rank], Flavour::Any)?;
        Some((json!([mask]), None))
    }

    /// A spec, and the shape of what it picks where that is easily told.
    fn spec(&mut self, known: &Known, writes: bool) -> Option<(Json, Option<Vec<usize>>)> {
        let rank = known.shape.len();
        let mut spec =
            Spec { writes, with_arrays: self.once_in(3), picked: Some(Vec::new()), ..Spec::default() };
        let length = self.chance.below(rank + 1).max(1);
        self.picks_nothing = false;
        while spec.axis < rank && spec.items.len() < length + 2 {
            self.item(&mut spec, &known.shape)?;
            if spec.items.len() >= length && !spec.has_ellipsis && self.once_in(2) {
                break;
            }
        }
        if spec.has_ellipsis && spec.axis < rank {
            return None;
        }
        if spec.items.is_empty() {
            spec.items.push(json!(self.chance.of(&["...", "newaxis"])));
            spec.picked = None;
        }
        // Behind an ellipsis one index too many moves the others to axes they may not fit.
        if !spec.items.contains(&json!("...")) && self.once_in(50) {
            spec.items.push(json!({"slice": [null, null, null]}));
        }
        if let Some(picked) = &mut spec.picked {
            picked.extend(&known.shape[spec.axis.min(rank)..]);
        }
        Some((json!(spec.items), spec.picked))
    }

    /// Adds an item to a spec.
    fn item(&mut self, spec: &mut Spec, shape: &[usize]) -> Option<()> {
        let size = shape[spec.axis];
        match self.chance.below(10) {
            0 => {
                spec.items.push(json!("newaxis"));
                spec.pick(&[1]);
                return Some(());
            }
            1 if !spec.has_ellipsis => {
                spec.has_ellipsis = true;
                spec.items.push(json!("..."));
                // The items behind it have to reach the end.
                let skipped = self.chance.below(shape.len() - spec.axis + 1);
                spec.pick(&shape[spec.axis..spec.axis + skipped]);
                spec.axis += skipped;
                return Some(());
            }
            2 | 3 if spec.with_arrays && size > 0 && spec.arrays < 3 => {
                spec.arrays += 1;
                let shapes: [&[usize]; 6] = [&[], &[2], &[1], &[3], &[2, 1], &[2, 2]];
                let (shape, dtype) = (self.chance.of(&shapes), self.chance.of(values::dtypes("int")?));
                spec.items.push(self.of_shape(dtype, shape, Flavour::Position(size))?);
                spec.picked = None;
            }
            4..=6 if size > 0 => {
                let position = self.chance.below(size) as i64;
                // Writing, Python counts from the end of another axis behind a new one.
                let from_end = self.once_in(3) && !(spec.writes && spec.items.contains(&json!("newaxis")));
                spec.items.push(json!(if from_end { position - size as i64 } else { position }));
            }
            _ => {
                let (slice, count) = self.slice(size, spec.with_arrays);
                self.picks_nothing |= count == 0;
                spec.items.push(slice);
                spec.pick(&[count]);
            }
        }
        spec.axis += 1;
        Some(())
    }

    /// A slice of an axis, and how many it picks.
    ///
    /// Beside positions by tensor Python does not stop at the axis's end, so such a slice stays `within`.
    fn slice(&mut self, size: usize, within: bool) -> (Json, usize) {
        let size = size as i64;
        let beyond = if within { 0 } else { 2 };
        let mut bound = || {
            let count = if within { 2 * size.max(1) } else { 2 * (size + beyond) + 1 };
            let any = self.chance.below(count as usize) as i64 - size - beyond;
            if self.chance.below(3) == 0 { None } else { Some(any) }
        };
        let (start, stop) = (bound(), bound());
        let step = self.chance.of(&[None, None, None, Some(1), Some(2), Some(3), Some(-1), Some(-2)]);
        let by = step.unwrap_or(1);
        let clamp = |bound: i64| {
            let bound = if bound < 0 { bound + size } else { bound };
            if by > 0 { bound.clamp(0, size) } else { bound.clamp(-1, size - 1) }
        };
        let from = start.map_or(if by > 0 { 0 } else { size - 1 }, clamp);
        let to = stop.map_or(if by > 0 { size } else { -1 }, clamp);
        let count = ((to - from + by - by.signum()) / by).max(0) as usize;
        (json!({"slice": [start, stop, step]}), count)
    }

    /// What is assigned: a scalar, or a tensor that broadcasts to what is picked.
    fn assigned(&mut self, known: &Known, picked: Option<&[usize]>) -> Option<Json> {
        if self.once_in(3) {
            return Some(values::scalar(&mut self.chance, Flavour::Finite));
        }
        let dtype = if self.once_in(2) { known.dtype } else { self.chance.of(values::dtypes("any")?) };
        let shape = match picked {
            Some(shape) => {
                let kept = self.chance.below(shape.len() + 1);
                shape[kept..].iter().map(|&size| if self.chance.below(4) == 0 { 1 } else { size }).collect()
            }
            None => self.chance.of(&[vec![], vec![1], vec![1, 1]]),
        };
        self.of_shape(dtype, &shape, Flavour::Any)
    }
}
