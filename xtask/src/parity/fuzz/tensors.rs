//! Tensor arguments: one that the program has already, or a new one, often seen through a view.
//!
//! Not here: other kinds of arguments (`kinds`), values (`values`).

use super::{
    kinds::broadcast,
    program::{Known, Program},
    values::{self, Flavour},
};
use mlx_core::Dtype;
use serde_json::{Map, Value as Json, json};

/// What shape a tensor argument may have.
struct Wanted {
    dtypes: &'static [Dtype],
    least_axes: usize,
    most_axes: usize,
    not_empty: bool,
    /// An empty one only as an input: what is guarded elsewhere has another graph.
    empty_inputs: bool,
    /// Only a new input: Python reads foreign memory behind a split of a reversed view.
    own_input: bool,
    flavour: Flavour,
}

impl Program {
    /// A tensor or scalar of the kind.
    pub(super) fn tensor_kind(&mut self, head: &str, rest: &str, kind: &str) -> Option<Json> {
        match head {
            "left" if self.once_in(8) => Some(self.weak(rest, Flavour::Any)),
            "left" => self.wanted(rest),
            "right" => self.right(rest),
            "optoperand" => match self.chance.below(5) {
                0 => Some(json!(null)),
                1 | 2 => Some(values::scalar(&mut self.chance, Flavour::Finite)),
                _ => self.fitting(rest, Flavour::Any),
            },
            "bcast" => self.fitting(rest, Flavour::Any),
            "same" => self.of_shape_of(0, rest),
            "likeidx" => self.of_shape_of(1, rest),
            "mm" => self.factor(),
            "key" => self.input(Dtype::Uint32, &[2], Flavour::Any).map(|known| reference(&known)),
            "catlist" | "stacklist" => self.list(head, rest),
            "takeidx" | "alongidx" => self.positions(head),
            "idx" => self.positions_of_letter(rest),
            "segments" => self.segments(rest),
            "starts" | "updates" => self.starts(head),
            _ if kind.contains('<') => self.lettered(kind),
            _ => self.wanted(kind),
        }
    }

    /// A tensor of a class and shape; rarely of another class.
    fn wanted(&mut self, kind: &str) -> Option<Json> {
        let (head, rest) = kind.split_once(' ').unwrap_or((kind, ""));
        let class = class_of(head);
        let flavour = flavour(rest);
        let axes = head.split_once('@').map(|(_, axes)| axes.trim_end_matches(['*', '!']));
        let at_least = axes.is_some_and(|axes| axes.ends_with('+'));
        let count = axes.and_then(|axes| axes.trim_end_matches('+').parse::<usize>().ok());
        let wanted = Wanted {
            dtypes: values::dtypes(if self.once_in(60) && rest.is_empty() { "any" } else { class })?,
            least_axes: count.unwrap_or(0),
            most_axes: if at_least || count.is_none() { usize::MAX } else { count? },
            not_empty: head.ends_with('*'),
            empty_inputs: head.ends_with('!'),
            own_input: rest == "own",
            flavour,
        };
        self.pooled(&wanted, rest == "ones").or_else(|| self.fresh(&wanted, rest == "ones"))
    }

    /// One of the program's own.
    fn pooled(&mut self, wanted: &Wanted, with_ones: bool) -> Option<Json> {
        if wanted.flavour != Flavour::Any || wanted.own_input || self.once_in(3) {
            return None;
        }
        let fits = |known: &&Known| {
            wanted.dtypes.contains(&known.dtype)
                && (wanted.least_axes..=wanted.most_axes).contains(&known.shape.len())
                && !(wanted.not_empty && known.shape.contains(&0))
                && !(wanted.empty_inputs && known.shape.contains(&0) && !known.name.starts_with('x'))
                && (!with_ones || known.shape.contains(&1))
        };
        let names: Vec<String> =
            self.pool.iter().filter(fits).map(|known| format!("${}", known.name)).collect();
        if names.is_empty() { None } else { Some(json!(self.chance.of(&names))) }
    }

    fn fresh(&mut self, wanted: &Wanted, with_ones: bool) -> Option<Json> {
        let mut shape = self.small_shape();
        shape.truncate(wanted.most_axes);
        while shape.len() < wanted.least_axes {
            let size = self.chance.below(4);
            shape.push(size);
        }
        if wanted.not_empty {
            for size in &mut shape {
                *size = (*size).max(1);
            }
        }
        if with_ones && !shape.is_empty() {
            let at = self.chance.below(shape.len());
            shape[at] = 1;
        }
        let dtype = self.chance.of(wanted.dtypes);
        if wanted.own_input || wanted.empty_inputs && shape.contains(&0) {
            return self.input(dtype, &shape, wanted.flavour).map(|known| reference(&known));
        }
        self.of_shape(dtype, &shape, wanted.flavour)
    }

    /// A new tensor of that shape, often a view of another.
    pub(super) fn of_shape(&mut self, dtype: Dtype, shape: &[usize], flavour: Flavour) -> Option<Json> {
        let plain = flavour == Flavour::Definite || !self.once_in(4) || shape.is_empty();
        if plain {
            return self.input(dtype, shape, flavour).map(|known| reference(&known));
        }
        let (op, base, args) = match self.chance.below(3) {
            0 => {
                let order = self.permutation(shape.len());
                let mut base = vec![0; shape.len()];
                order.iter().zip(shape).for_each(|(&axis, &size)| base[axis] = size);
                ("mx.transpose", base, json!(order))
            }
            1 => {
                let narrow = |size: usize, one: bool| if one { 1 } else { size };
                let base = shape.iter().map(|&size| narrow(size, self.chance.below(2) == 0)).collect();
                ("mx.broadcast_to", base, json!(shape))
            }
            _ => {
                let mut base = shape.to_vec();
                let (step, more) = self.chance.of(&[(-1, 0), (2, shape[0]), (1, 1), (-2, shape[0])]);
                base[0] += more;
                let start = if (step, more) == (1, 1) { json!(1) } else { json!(null) };
                ("index", base, json!([{"slice": [start, null, step]}]))
            }
        };
        let base = self.input(dtype, &base, flavour)?;
        self.run(op, vec![reference(&base), args], Map::new()).ok()?;
        let made = self.pool.last().filter(|known| known.shape == shape && known.dtype == dtype)?;
        Some(reference(made))
    }

    /// The right operand: a scalar, or a tensor that broadcasts with what stands left.
    fn right(&mut self, rest: &str) -> Option<Json> {
        let (class, role) = rest.split_once(' ').unwrap_or((rest, ""));
        let flavour = match role {
            "divisor" => Flavour::Divisor,
            "exponent" => Flavour::Exponent,
            "shift" => Flavour::Shift,
            _ => Flavour::Any,
        };
        let has_tensor = self.shared.args.iter().flatten().next().is_some();
        if has_tensor && self.once_in(3) {
            return Some(self.weak(class, flavour));
        }
        self.fitting(class, flavour)
    }

    /// A weak scalar, seldom a float where integers are asked for.
    fn weak(&mut self, class: &str, flavour: Flavour) -> Json {
        let mut scalar = values::scalar(&mut self.chance, flavour);
        while class == "int" && !(scalar.is_i64() || scalar.is_boolean()) && !self.once_in(20) {
            scalar = values::scalar(&mut self.chance, flavour);
        }
        scalar
    }

    /// A tensor that broadcasts with those before it.
    fn fitting(&mut self, class: &str, flavour: Flavour) -> Option<Json> {
        let before: Vec<Known> = self.shared.args.iter().flatten().cloned().collect();
        let Some(shape) = before.iter().map(|known| known.shape.clone()).reduce(|a, b| broadcast(&a, &b))
        else {
            return self.wanted(class).filter(|_| flavour == Flavour::Any).or_else(|| {
                let shape = self.small_shape();
                let dtype = self.chance.of(values::dtypes(class)?);
                self.of_shape(dtype, &shape, flavour)
            });
        };
        let dtypes = values::dtypes(class)?;
        if flavour == Flavour::Any && self.once_in(2) {
            let fits = |known: &&Known| dtypes.contains(&known.dtype) && broadcasts(&known.shape, &shape);
            let names: Vec<Json> = self.pool.iter().filter(fits).map(reference).collect();
            if !names.is_empty() {
                return Some(self.chance.of(&names));
            }
        }
        let mut shape: Vec<usize> =
            shape.iter().map(|&size| if self.chance.below(4) == 0 { 1 } else { size }).collect();
        if self.once_in(4) && !shape.is_empty() {
            shape.remove(0);
        } else if self.once_in(60) {
            shape.push(7);
        }
        let same = before.first().map(|known| known.dtype).filter(|dtype| dtypes.contains(dtype));
        let dtype = match same {
            Some(dtype) if self.once_in(2) => dtype,
            _ => self.chance.of(dtypes),
        };
        self.of_shape(dtype, &shape, flavour)
    }

    fn of_shape_of(&mut self, number: usize, class: &str) -> Option<Json> {
        let shape = self.shared.args.get(number)?.clone()?.shape;
        let dtype = self.chance.of(values::dtypes(class)?);
        self.of_shape(dtype, &shape, Flavour::Any)
    }

    /// Sizes from 0 to 5, seldom 0; of 0 to 4 axes.
    pub(super) fn small_shape(&mut self) -> Vec<usize> {
        let count = self.chance.of(&[0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4]);
        (0..count)
            .map(|_| if self.once_in(30) { 0 } else { self.chance.of(&[1, 2, 2, 3, 3, 4, 5]) })
            .collect()
    }

    /// A tensor whose shape is written by letters.
    fn lettered(&mut self, kind: &str) -> Option<Json> {
        let (class, rest) = kind.split_once('<')?;
        let (written, rest) = rest.split_once('>')?;
        let shape: Option<Vec<usize>> = written.split(' ').map(|size| self.size(size)).collect();
        let shape = shape?;
        let dtypes = values::dtypes(class)?;
        let mixed = self.once_in(10);
        let dtype = match self.shared.dtype {
            Some(dtype) if dtypes.contains(&dtype) && !mixed => dtype,
            _ => self.chance.of(dtypes),
        };
        self.shared.dtype = Some(dtype);
        if rest.trim() == "own" {
            return self.input(dtype, &shape, Flavour::Any).map(|known| reference(&known));
        }
        self.of_shape(dtype, &shape, flavour(rest.trim()))
    }

    fn size(&mut self, written: &str) -> Option<usize> {
        if let Some((letter, more)) = written.split_once('+') {
            return Some(self.size(letter)? + more.parse::<usize>().ok()?);
        }
        if let Ok(size) = written.parse() {
            return Some(size);
        }
        let letter = written.chars().next()?;
        let drawn = if letter.is_uppercase() || !self.once_in(40) { 1 + self.chance.below(3) } else { 0 };
        Some(*self.shared.sizes.entry(letter).or_insert(drawn))
    }

    /// What `mx.matmul` multiplies the first argument with.
    fn factor(&mut self) -> Option<Json> {
        let first = self.shared.args.first()?.clone()?;
        let inner = *first.shape.last()? + usize::from(self.once_in(40));
        let mut shape = vec![inner];
        if !self.once_in(4) {
            let columns = self.chance.below(4);
            shape.push(columns);
            let batch = first.shape.len().saturating_sub(2);
            for axis in (0..batch).rev().take(self.chance.below(batch + 1)) {
                shape.insert(0, if self.once_in(3) { 1 } else { first.shape[axis] });
            }
        }
        let dtype = if self.once_in(4) { self.chance.of(values::dtypes("any")?) } else { first.dtype };
        self.of_shape(dtype, &shape, Flavour::Any)
    }

    fn list(&mut self, head: &str, class: &str) -> Option<Json> {
        let first = self.wanted(class)?;
        let shape = self.pool.iter().find(|known| reference(known) == first)?.shape.clone();
        let is_stack = head == "stacklist";
        let rank = shape.len() + usize::from(is_stack);
        if rank == 0 {
            return None;
        }
        let axis = self.chance.below(rank);
        let mut list = vec![first];
        for _ in 0..self.chance.below(3) {
            let mut shape = shape.clone();
            if !is_stack && self.once_in(2) {
                shape[axis] = self.chance.below(4);
            }
            let dtype = self.chance.of(values::dtypes(class)?);
            list.push(self.of_shape(dtype, &shape, Flavour::Any)?);
        }
        let axis = if self.once_in(2) { axis as i64 } else { axis as i64 - rank as i64 };
        let flat = self.once_in(8);
        self.shared.settled.push_back(if flat { json!(null) } else { json!(axis) });
        Some(json!(list))
    }

    /// Integers that are positions of an axis, or of the flattened tensor.
    fn positions(&mut self, head: &str) -> Option<Json> {
        let shape = self.shared.args.first()?.clone()?.shape;
        let flat = shape.is_empty() || self.once_in(4);
        let axis = self.chance.below(shape.len().max(1));
        let size = if flat { shape.iter().product() } else { shape[axis] };
        let written = if self.once_in(2) { axis as i64 } else { axis as i64 - shape.len() as i64 };
        self.shared.settled.push_back(if flat { json!(null) } else { json!(written) });
        // Larger positions do not fit into 8 bits.
        let dtype = if size > 100 { Dtype::Int32 } else { self.chance.of(values::dtypes("int")?) };
        if head == "takeidx" {
            if self.once_in(4) {
                return Some(json!(
                    self.chance.below(size) as i64 - if self.once_in(2) { size as i64 } else { 0 }
                ));
            }
            let shape = self.small_shape();
            return self.of_shape(dtype, &shape, Flavour::Position(size));
        }
        let mut taken = if flat { vec![1] } else { shape };
        let at = if flat { 0 } else { axis };
        taken[at] = 1 + self.chance.below(4);
        self.of_shape(dtype, &taken, Flavour::Position(size))
    }

    /// `idx A R`: positions below the size of A, in the shape of R.
    fn positions_of_letter(&mut self, rest: &str) -> Option<Json> {
        let (below, shape) = rest.split_once(' ')?;
        let (below, size) = (self.size(below)?, self.size(shape)?);
        self.of_shape(Dtype::Uint32, &[size], Flavour::Below(below))
    }

    fn segments(&mut self, letter: &str) -> Option<Json> {
        let size = self.size(letter)?;
        self.of_shape(Dtype::Uint32, &[2, 2], Flavour::Below(size + 1))
    }

    /// Where a slice of known size starts, with the axes and its size or the update in its place.
    fn starts(&mut self, head: &str) -> Option<Json> {
        let shape = self.shared.args.first()?.clone()?;
        let axis = self.chance.below(shape.shape.len());
        let size = 1 + self.chance.below(shape.shape[axis]);
        let start = self.input(Dtype::Int32, &[1], Flavour::Below(shape.shape[axis] - size + 1))?;
        let mut sizes = shape.shape.clone();
        sizes[axis] = size;
        if head == "starts" {
            self.shared.settled.extend([json!([axis]), json!(sizes)]);
            return Some(reference(&start));
        }
        self.shared.settled.extend([reference(&start), json!([axis])]);
        self.of_shape(shape.dtype, &sizes, Flavour::Any)
    }
}

/// Kinds of tensors other than classes.
const KINDS: [&str; 14] = [
    "left",
    "right",
    "optoperand",
    "bcast",
    "same",
    "likeidx",
    "mm",
    "key",
    "catlist",
    "stacklist",
    "takeidx",
    "alongidx",
    "idx",
    "segments",
];

/// Whether a kind is one of tensors.
pub(super) fn is_tensor(head: &str, kind: &str) -> bool {
    let is_class = || values::dtypes(class_of(head)).is_some();
    KINDS.contains(&head) || ["starts", "updates"].contains(&head) || kind.contains('<') || is_class()
}

/// How an argument names a tensor.
pub(super) fn reference(known: &Known) -> Json {
    json!(format!("${}", known.name))
}

fn class_of(head: &str) -> &str {
    head.split(['*', '!', '@', '<']).next().unwrap_or(head)
}

fn flavour(word: &str) -> Flavour {
    match word {
        "fin" | "fft" => Flavour::Finite,
        "unit" => Flavour::Unit,
        "spd" => Flavour::Definite,
        _ => Flavour::Any,
    }
}

fn broadcasts(from: &[usize], to: &[usize]) -> bool {
    let ends = from.iter().rev().zip(to.iter().rev());
    from.len() <= to.len() && ends.clone().all(|(a, b)| a == b || *a == 1)
}
