//! Kinds of arguments: what the table of templates may ask for besides tensors, most of it after the first tensor's shape.
//!
//! Not here: tensors (`tensors`), index specs (`indexing`).

use super::{
    program::{Known, Program},
    tensors,
    values::{self, Flavour},
};
use serde_json::{Value as Json, json};

impl Program {
    /// An argument of the kind; `None` when there can be none now.
    pub(super) fn argument(&mut self, kind: &str) -> Option<Json> {
        let (head, rest) = kind.split_once(' ').unwrap_or((kind, ""));
        if tensors::is_tensor(head, kind) {
            return self.tensor_kind(head, rest, kind);
        }
        Some(match head {
            "flag" => json!(self.once_in(2)),
            "none" => json!(null),
            "from" => {
                let [low, high] = bounds(rest)?;
                json!(low as i64 + self.chance.below((high - low) as usize + 1) as i64)
            }
            "frac" => {
                let [low, high] = bounds(rest)?;
                if self.once_in(4) {
                    json!(low as i64 + self.chance.below((high - low) as usize + 1) as i64)
                } else {
                    json!(low + (high - low) * self.chance.below(101) as f64 / 100.0)
                }
            }
            "pair" => {
                let one = self.argument(&format!("from {rest}"))?;
                if self.once_in(2) { one } else { json!([one, self.argument(&format!("from {rest}"))?]) }
            }
            "str" => {
                let words: Vec<&str> = rest.split(' ').collect();
                json!(self.chance.of(&words))
            }
            "scalar" => values::scalar(&mut self.chance, Flavour::Any),
            "dtype" => self.dtype_argument(rest),
            "memo" => self.shared.settled.pop_front()?,
            "shape" => json!(self.small_shape()),
            "onesshape" => {
                let shape = self.small_shape();
                json!(shape.iter().map(|_| 1).collect::<Vec<_>>())
            }
            "shape1" => {
                let shape = self.small_shape();
                if shape.len() == 1 && self.once_in(2) { json!(shape[0]) } else { json!(shape) }
            }
            "argshape" => {
                let mut shapes = self.shared.args.iter().flatten().map(|known| known.shape.clone());
                let first = shapes.next()?;
                json!(shapes.fold(first, |a, b| broadcast(&a, &b)))
            }
            "axes01" => json!([0, 1]),
            "pairs11" => json!([[1], [1]]),
            _ => return self.shape_kind(head),
        })
    }

    fn dtype_argument(&mut self, class: &str) -> Json {
        let class = if class.is_empty() { "any" } else { class };
        let dtype = self.chance.of(values::dtypes(class).expect("a class of the table"));
        json!({"dtype": crate::parity::worker::value::python_name(dtype)})
    }

    /// What depends on the first tensor's shape.
    fn shape_kind(&mut self, head: &str) -> Option<Json> {
        let first = self.shared.args.first()?.clone()?;
        let shape = first.shape.clone();
        Some(match head {
            "axis" => json!(self.axis(shape.len())),
            "axes" => self.axes(shape.len()),
            "axeslist" => {
                let count = 1 + self.chance.below(shape.len().max(1));
                json!(self.some_axes(shape.len(), count))
            }
            "oneaxes" => {
                let ones: Vec<usize> = (0..shape.len()).filter(|&axis| shape[axis] == 1).collect();
                if ones.is_empty() || self.once_in(30) {
                    self.axes(shape.len())
                } else {
                    json!(self.chance.of(&ones))
                }
            }
            "newaxes" => {
                if self.once_in(2) {
                    json!(self.axis(shape.len() + 1))
                } else {
                    let count = 1 + self.chance.below(2);
                    json!(self.some_axes(shape.len() + count, count))
                }
            }
            "perm" => json!(self.permutation(shape.len())),
            "reshape" => json!(self.same_size(&shape)),
            "bshape" => json!(self.broadcast_target(&shape)),
            "reps" => {
                if self.once_in(3) {
                    json!(self.chance.below(3))
                } else {
                    let count = self.chance.below(shape.len() + 2);
                    json!((0..count).map(|_| self.chance.below(3)).collect::<Vec<_>>())
                }
            }
            "padwidth" => self.pad_width(shape.len()),
            _ => return self.settling(head, &first),
        })
    }

    /// Those that settle arguments after them too.
    fn settling(&mut self, head: &str, first: &Known) -> Option<Json> {
        let shape = &first.shape;
        let rank = shape.len();
        if head == "shifts" {
            let (shift, axis) = if rank == 0 || self.once_in(3) {
                (json!(self.chance.below(7) as i64 - 3), json!(null))
            } else if self.once_in(2) {
                (json!(self.chance.below(7) as i64 - 3), json!(self.axis(rank)))
            } else {
                let axes = self.some_axes(rank, rank.min(2));
                (json!(axes.iter().map(|_| self.chance.below(7) as i64 - 3).collect::<Vec<_>>()), json!(axes))
            };
            self.shared.settled.push_back(axis);
            return Some(shift);
        }
        if head == "strided" {
            return Some(self.strided(shape));
        }
        if rank == 0 {
            return None;
        }
        let axis = self.chance.below(rank);
        let written = if self.once_in(2) { axis as i64 } else { axis as i64 - rank as i64 };
        let size = shape[axis];
        Some(match head {
            "kth" | "topk" => {
                let flat = head == "kth" && self.once_in(4);
                let size = if flat { shape.iter().product() } else { size };
                self.shared.settled.push_back(if flat { json!(null) } else { json!(written) });
                let past = usize::from(self.once_in(40));
                let number = self.chance.below(size.max(1)) + past;
                json!(if head == "topk" { number + 1 } else { number })
            }
            "sections" => {
                self.shared.settled.push_back(json!(written));
                if self.once_in(2) {
                    let count = self.chance.below(3);
                    let mut at: Vec<usize> = (0..count).map(|_| self.chance.below(size + 1)).collect();
                    at.sort_unstable();
                    json!(at)
                } else {
                    let even: Vec<usize> =
                        (1..=size.max(1)).filter(|&count| size.is_multiple_of(count)).collect();
                    json!(if self.once_in(30) { 4 } else { self.chance.of(&even) })
                }
            }
            "unflatten" => {
                let sizes = self.same_size(&[size]);
                self.shared.settled.push_back(json!(sizes));
                json!(written)
            }
            _ => return None,
        })
    }

    /// An axis of so many, counted from either end; rarely one that is not there.
    pub(super) fn axis(&mut self, rank: usize) -> i64 {
        if rank == 0 || self.once_in(40) {
            return self.chance.of(&[rank as i64, -(rank as i64) - 1]);
        }
        let axis = self.chance.below(rank) as i64;
        if self.once_in(2) { axis } else { axis - rank as i64 }
    }

    /// None, one or several.
    fn axes(&mut self, rank: usize) -> Json {
        if rank > 0 && self.once_in(2) {
            return json!(self.axis(rank));
        }
        let count = self.chance.below(rank + 1);
        json!(self.some_axes(rank, count))
    }

    fn some_axes(&mut self, rank: usize, count: usize) -> Vec<i64> {
        let all = self.permutation(rank);
        let signed =
            |axis: usize, from_end: bool| if from_end { axis as i64 - rank as i64 } else { axis as i64 };
        let mut picked: Vec<i64> =
            all[..count.min(rank)].iter().map(|&axis| signed(axis, self.chance.below(3) == 0)).collect();
        if !picked.is_empty() && self.once_in(60) {
            picked.push(picked[0]);
        }
        picked
    }

    pub(super) fn permutation(&mut self, rank: usize) -> Vec<usize> {
        let mut left: Vec<usize> = (0..rank).collect();
        (0..rank).map(|_| left.swap_remove(self.chance.below(left.len()))).collect()
    }

    /// A shape of as many elements, one size perhaps as -1.
    fn same_size(&mut self, shape: &[usize]) -> Vec<i64> {
        let mut rest: usize = shape.iter().product();
        let mut made = Vec::new();
        if self.once_in(50) {
            rest += 1;
        }
        while made.len() < 3 && (rest != 1 || self.once_in(4)) {
            let factors: Vec<usize> =
                (1..=rest.max(1)).filter(|&factor| rest.is_multiple_of(factor)).collect();
            let factor = self.chance.of(&factors);
            made.push(factor as i64);
            rest /= factor;
        }
        if rest != 1 {
            made.push(rest as i64);
        }
        if !made.is_empty() && self.once_in(3) {
            let at = self.chance.below(made.len());
            made[at] = -1;
        }
        made
    }

    fn broadcast_target(&mut self, shape: &[usize]) -> Vec<usize> {
        let mut target: Vec<usize> =
            shape.iter().map(|&size| if size == 1 { self.chance.below(4) } else { size }).collect();
        for _ in 0..self.chance.below(3) {
            target.insert(0, self.chance.below(4));
        }
        if self.once_in(40) {
            target.push(3);
        }
        target
    }

    fn pad_width(&mut self, rank: usize) -> Json {
        match self.chance.below(3) {
            0 => json!(self.chance.below(3)),
            1 => json!([self.chance.below(3), self.chance.below(3)]),
            _ => json!((0..rank).map(|_| [self.chance.below(3), self.chance.below(3)]).collect::<Vec<_>>()),
        }
    }

    /// A shape whose strides and offset, which it settles, stay inside the tensor.
    fn strided(&mut self, shape: &[usize]) -> Json {
        let size: usize = shape.iter().product();
        let offset = self.chance.below(size);
        let mut room = size - 1 - offset;
        let (mut sizes, mut strides) = (Vec::new(), Vec::new());
        for _ in 0..self.chance.below(3) {
            let length = 1 + self.chance.below(3);
            let stride = if length == 1 { 1 } else { self.chance.below(room / (length - 1) + 1) };
            room -= stride * (length - 1);
            sizes.push(length);
            strides.push(stride);
        }
        self.shared.settled.extend([json!(strides), json!(offset)]);
        json!(sizes)
    }
}

fn bounds(text: &str) -> Option<[f64; 2]> {
    let (low, high) = text.split_once(' ')?;
    Some([low.parse().ok()?, high.parse().ok()?])
}

/// The shape two shapes broadcast to, where they do.
pub(super) fn broadcast(a: &[usize], b: &[usize]) -> Vec<usize> {
    let rank = a.len().max(b.len());
    let at =
        |shape: &[usize], axis: usize| (axis + shape.len()).checked_sub(rank).map_or(1, |axis| shape[axis]);
    (0..rank).map(|axis| if at(a, axis) == 1 { at(b, axis) } else { at(a, axis) }).collect()
}
