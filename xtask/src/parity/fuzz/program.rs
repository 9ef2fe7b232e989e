//! A random program: steps over inputs, each step run here lazily, so that dtypes and shapes are known as they grow.
//!
//! Not here: the ops (`template`), arguments (`kinds`), index specs (`indexing`), values (`values`).

use super::{
    template::{Mode, Parameter, Template},
    values::{self, Flavour},
};
use crate::{
    chance::Chance,
    parity::worker::{
        case,
        failure::Failure,
        value::{Names, Value, python_name},
    },
};
use mlx_core::{Dtype, Tensor};
use serde_json::{Map, Value as Json, json};
use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    panic::{self, AssertUnwindSafe},
    path::Path,
};

/// A tensor of the program.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) name: String,
    pub(super) dtype: Dtype,
    pub(super) shape: Vec<usize>,
}

/// What the arguments of one call share.
#[derive(Default)]
pub(super) struct Shared {
    /// The tensors among the arguments so far; `None` for other arguments.
    pub(super) args: Vec<Option<Known>>,
    /// Sizes by letter.
    pub(super) sizes: HashMap<char, usize>,
    /// The dtype of tensors that are given by letters.
    pub(super) dtype: Option<Dtype>,
    /// Arguments that an earlier one has settled.
    pub(super) settled: VecDeque<Json>,
}

/// A program under way.
pub(super) struct Program {
    pub(super) chance: Chance,
    names: Names,
    inputs: Map<String, Json>,
    steps: Vec<Json>,
    pub(super) pool: Vec<Known>,
    counter: usize,
    pub(super) shared: Shared,
    /// A step has failed, or cannot be run here: the program ends with it.
    ended: bool,
    /// A slice of the last index spec is empty.
    pub(super) picks_nothing: bool,
    only_supported: bool,
}

/// How a program is drawn.
pub(super) struct Draw<'a> {
    pub(super) templates: &'a [Template],
    /// Leave out what this library has not.
    pub(super) only_supported: bool,
}

impl Draw<'_> {
    /// The case `number` of a seed; what is left out is told to `lacking`.
    pub(super) fn case(&self, seed: u64, number: u64, lacking: &mut BTreeSet<String>) -> Json {
        let mut mixed = Chance::new(seed);
        let mixed = (mixed.below(usize::MAX) as u64) ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut program = Program::new(Chance::new(mixed), self.only_supported);
        let length = 1 + program.chance.below(MOST_STEPS);
        for _ in 0..4 * length {
            if program.ended || program.steps.len() >= length {
                break;
            }
            let template = &self.templates[program.chance.below(self.templates.len())];
            let before = (program.steps.len(), program.inputs.clone(), program.pool.len());
            // A call that could not be made leaves nothing behind.
            if let Err(lacks) = program.grow(template) {
                lacking.extend(lacks);
                program.steps.truncate(before.0);
                program.inputs = before.1;
                program.pool.truncate(before.2);
            }
        }
        program.finish(&format!("fuzz_{seed}_{number}"))
    }
}

impl Program {
    fn new(chance: Chance, only_supported: bool) -> Program {
        Program {
            chance,
            names: Names::new(),
            inputs: Map::new(),
            steps: Vec::new(),
            pool: Vec::new(),
            counter: 0,
            shared: Shared::default(),
            ended: false,
            picks_nothing: false,
            only_supported,
        }
    }

    /// Once in `count` times.
    pub(super) fn once_in(&mut self, count: usize) -> bool {
        self.chance.below(count) == 0
    }

    pub(super) fn new_name(&mut self, kind: char) -> String {
        self.counter += 1;
        format!("{kind}{}", self.counter)
    }

    /// Adds a call by the template; `Err` when none can be made: of what the library lacks, by its name.
    fn grow(&mut self, template: &Template) -> Result<(), Option<String>> {
        self.shared = Shared::default();
        if let Some(special) = template.parameters.first().filter(|parameter| parameter.name == "special") {
            let args = self.indexing(&special.kind).ok_or(None)?;
            return self.run(&template.op, args, Map::new());
        }
        let (args, kw) = self.arguments(&template.parameters).ok_or(None)?;
        self.run(&template.op, args, kw)
    }

    fn arguments(&mut self, parameters: &[Parameter]) -> Option<(Vec<Json>, Map<String, Json>)> {
        let (mut args, mut kw) = (Vec::new(), Map::new());
        let mut by_position = true;
        for parameter in parameters {
            let left_out = parameter.optional && self.once_in(2);
            if left_out {
                by_position = false;
                self.shared.args.push(None);
                continue;
            }
            let given = if parameter.takes_none && self.once_in(6) {
                json!(null)
            } else {
                self.argument(&parameter.kind)?
            };
            let known = given.as_str().and_then(|text| self.known(text));
            self.shared.args.push(known);
            by_position &= parameter.mode != Mode::Keyword;
            if by_position && (parameter.mode == Mode::Positional || !self.once_in(4)) {
                args.push(given);
            } else if parameter.mode == Mode::Positional {
                // Behind one that is left out, this cannot be given.
            } else {
                by_position = false;
                kw.insert(parameter.name.clone(), given);
            }
        }
        Some((args, kw))
    }

    fn known(&self, text: &str) -> Option<Known> {
        let name = text.strip_prefix('$')?;
        self.pool.iter().find(|known| known.name == name).cloned()
    }

    /// Runs a step and keeps it with what came out.
    pub(super) fn run(
        &mut self,
        op: &str,
        args: Vec<Json>,
        kw: Map<String, Json>,
    ) -> Result<(), Option<String>> {
        let name = self.new_name('t');
        let mut step = json!({"out": name, "op": op, "args": args});
        if !kw.is_empty() {
            step["kw"] = Json::Object(kw);
        }
        let steps = json!([step]);
        let names = &mut self.names;
        let ran = panic::catch_unwind(AssertUnwindSafe(|| case::steps(&steps, names)));
        match ran {
            Ok(Ok(())) => {}
            Ok(Err(Failure::Unsupported(what))) if self.only_supported => return Err(Some(what)),
            // Python judges it too: an error, a mistake of a template, or a difference.
            Ok(Err(_)) | Err(_) => {
                self.steps.push(step);
                self.ended = true;
                return Ok(());
            }
        }
        let result = self.names.get(&name).cloned();
        match result {
            Some(Value::Tensor(tensor)) => self.remember(op, name, &tensor),
            Some(Value::List(parts)) if parts.iter().any(|part| matches!(part, Value::Tensor(_))) => {
                let mut outs = Vec::new();
                for part in parts {
                    let out = self.new_name('t');
                    if let Value::Tensor(tensor) = &part {
                        self.remember(op, out.clone(), tensor);
                    }
                    self.names.insert(out.clone(), part);
                    outs.push(out);
                }
                step["out"] = json!(outs);
            }
            _ => {}
        }
        self.steps.push(step);
        Ok(())
    }

    /// A tensor that later steps may take.
    fn remember(&mut self, op: &str, name: String, tensor: &Tensor) {
        // MLX counts bytes for elements in it, and what takes it writes beyond its memory, on both sides: graphs are
        // compared without guards.
        if op == "linalg.lu_factor" {
            return;
        }
        let shape: Vec<usize> = tensor.shape().iter().map(|&size| size as usize).collect();
        if shape.iter().product::<usize>() <= MOST_ELEMENTS && shape.len() <= MOST_AXES {
            self.pool.push(Known { name, dtype: tensor.dtype(), shape });
        }
    }

    /// A new input.
    pub(super) fn input(&mut self, dtype: Dtype, shape: &[usize], flavour: Flavour) -> Option<Known> {
        let name = self.new_name('x');
        let values = values::draw(&mut self.chance, dtype, shape, flavour);
        let spec = json!({"dtype": python_name(dtype), "shape": shape, "values": values});
        let mut made = Map::new();
        made.insert(name.clone(), spec);
        let made = Json::Object(made);
        self.names.extend(case::inputs(&made, Path::new(".")).ok()?);
        if let Json::Object(made) = made {
            self.inputs.extend(made);
        }
        let known = Known { name, dtype, shape: shape.to_vec() };
        self.pool.push(known.clone());
        Some(known)
    }

    fn finish(mut self, name: &str) -> Json {
        let named = |step: &Json| match &step["out"] {
            Json::Array(outs) => outs.clone(),
            out => vec![out.clone()],
        };
        if self.steps.is_empty() {
            let input = self.input(Dtype::Float32, &[2], Flavour::Any).map(|known| known.name);
            return json!({"name": name, "inputs": self.inputs, "steps": [], "outputs": [input]});
        }
        let last = self.steps.len() - 1;
        let mut outputs = named(&self.steps[last]);
        if !self.ended {
            for step in &self.steps[..last] {
                if self.chance.below(4) == 0 {
                    outputs.extend(named(step));
                }
            }
        }
        json!({"name": name, "inputs": self.inputs, "steps": self.steps, "outputs": outputs, "compare": ["value", "graph"]})
    }
}

/// A tensor beyond this is not computed with again.
const MOST_ELEMENTS: usize = 512;
const MOST_AXES: usize = 6;
/// How many steps a program has at most.
const MOST_STEPS: usize = 12;
