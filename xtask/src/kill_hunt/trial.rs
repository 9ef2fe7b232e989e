//! The trials: each way to call each op, with each hostile tensor, each hostile argument, and mixtures by chance.

use super::{
    hostile::{Content, Form, HUGE, RECIPES, Recipe, Setup, arguments},
    template::{Kind, Template},
};
use crate::chance::Chance;
use mlx_core::Dtype;
use serde_json::{Value as Json, json};
use std::time::Duration;

/// The op that is none and ends the process.
pub(super) const KILLER: &str = "exit";

/// One call of one op.
#[derive(Clone)]
pub(super) struct Trial {
    pub(super) op: String,
    setup: Setup,
    /// Whether the tensors are computed before the call.
    ready: bool,
    step: Json,
    /// How often the step is applied to its own result; 0 for a call like any other.
    depth: u32,
}

impl Trial {
    /// A trial that ends its process in the most silent way, by exit code 0: what the hunt must see.
    pub(super) fn killer() -> Trial {
        let step = json!({"op": KILLER});
        Trial { op: KILLER.into(), setup: Setup::default(), ready: false, step, depth: 0 }
    }

    /// The line that the worker reads.
    pub(super) fn line(&self) -> String {
        let Setup { inputs, steps } = &self.setup;
        let (ready, step, depth) = (self.ready, &self.step, self.depth);
        json!({"inputs": inputs, "setup": steps, "ready": ready, "step": step, "depth": depth}).to_string()
    }

    /// How long it may take, where a call may take `limit`.
    pub(super) fn patience(&self, limit: Duration) -> Duration {
        if self.depth < DEEPEST { limit } else { 6 * limit }
    }

    /// A parity case that does the same.
    pub(super) fn case(&self) -> String {
        let steps: Vec<&Json> = self.setup.steps.iter().chain([&self.step]).collect();
        let case = json!({"name": "killer", "inputs": self.setup.inputs, "steps": steps,
            "outputs": [self.step["out"]], "python": "skip"});
        let ready = if self.ready { ", tensors computed before the last step" } else { "" };
        let depth =
            if self.depth > 0 { format!(", the last step {} times", self.depth) } else { String::new() };
        format!("{case}{ready}{depth}")
    }
}

/// Mixtures by chance of each template.
const MIXTURES: usize = 60;
/// Nodes of the graph that each op makes of its own results: too deep to be dropped on the stack it is dropped on.
const DEEP: u32 = 3_000;
/// Nodes of the graphs of a few ops, which the seed chooses.
const DEEPEST: u32 = 100_000;
const DEEPEST_GRAPHS: usize = 3;

const PLAIN: Recipe = Recipe { content: Content::Ones, shape: &[2, 3], form: Form::Plain };

/// The trials of the templates, which stand op by op: made an op at a time, as they are asked for, since all together take
/// gigabytes. At most `most` of each op, which the seed chooses; behind them the deepest graphs.
pub(super) fn all(
    templates: &[Template],
    seed: u64,
    most: Option<usize>,
) -> impl Iterator<Item = Trial> + '_ {
    let mut chance = Chance::new(seed);
    let deepening: Vec<Trial> = templates.iter().filter_map(|template| deep(template, DEEPEST)).collect();
    let graphs = DEEPEST_GRAPHS.min(deepening.len());
    let deepest: Vec<Trial> = (0..graphs).map(|_| chance.of(&deepening)).collect();
    let of_op = move |templates: &[Template]| {
        let mut trials = Vec::new();
        for template in templates {
            shapes(template, &mut trials);
            huge(template, &mut trials);
            hostile_arguments(template, &mut trials);
            trials.extend((0..MIXTURES).map(|_| mixture(template, &mut chance)));
            trials.extend(deep(template, DEEP));
        }
        some(trials, most.unwrap_or(usize::MAX), &mut chance)
    };
    templates.chunk_by(|a, b| a.op == b.op).flat_map(of_op).chain(deepest)
}

/// At most so many of an op's trials, chosen by chance where there are more.
fn some(mut trials: Vec<Trial>, most: usize, chance: &mut Chance) -> Vec<Trial> {
    if trials.len() > most {
        for place in 0..most {
            let other = place + chance.below(trials.len() - place);
            trials.swap(place, other);
        }
        trials.truncate(most);
    }
    trials
}

fn trial(template: &Template, setup: Setup, ready: bool, values: Vec<(&str, Json)>) -> Trial {
    let mut step = template.with(values);
    step["out"] = json!("y");
    Trial { op: template.op.clone(), setup, ready, step, depth: 0 }
}

/// The template with one tensor in all places of tensors.
fn uniform(template: &Template, recipe: Recipe, dtype: Dtype, ready: bool) -> Trial {
    let mut setup = Setup::default();
    let values = if template.tensors().next().is_some() {
        let name = format!("${}", setup.tensor(recipe, dtype));
        template.tensors().map(|(at, kind)| (at.as_str(), tensors(*kind, &[&name, &name]))).collect()
    } else {
        Vec::new()
    };
    trial(template, setup, ready, values)
}

fn tensors(kind: Kind, names: &[&str]) -> Json {
    if kind == Kind::Tensors { json!(names) } else { json!(names[0]) }
}

fn shapes(template: &Template, trials: &mut Vec<Trial>) {
    if template.tensors().next().is_none() {
        return;
    }
    for recipe in RECIPES {
        trials.extend(Dtype::ALL.map(|dtype| {
            let ready = matches!(recipe.form, Form::Transposed | Form::Reversed);
            uniform(template, recipe, dtype, ready)
        }));
    }
}

fn huge(template: &Template, trials: &mut Vec<Trial>) {
    if template.tensors().next().is_none() {
        return;
    }
    for (i, recipe) in HUGE.into_iter().enumerate() {
        for (k, dtype) in
            [Dtype::Uint8, Dtype::Int64, Dtype::Float32, Dtype::Complex64].into_iter().enumerate()
        {
            trials.push(uniform(template, recipe, dtype, (i + k) % 2 == 0));
        }
    }
}

/// One place filled with each hostile argument, the others as in the parity case.
fn hostile_arguments(template: &Template, trials: &mut Vec<Trial>) {
    for (at, kind) in &template.slots {
        for value in arguments(*kind) {
            for dtype in [Dtype::Float32, Dtype::Int32] {
                let mut trial = uniform(template, PLAIN, dtype, true);
                if let Some(place) = trial.step.pointer_mut(at) {
                    *place = value.clone();
                }
                trials.push(trial);
            }
        }
    }
}

fn mixture(template: &Template, chance: &mut Chance) -> Trial {
    let mut setup = Setup::default();
    let mut values = Vec::new();
    for (at, kind) in &template.slots {
        if kind.is_tensor() {
            let names: Vec<String> = (0..=chance.below(2))
                .map(|_| {
                    let recipe = if chance.below(8) == 0 { chance.of(&HUGE) } else { chance.of(&RECIPES) };
                    format!("${}", setup.tensor(recipe, chance.of(&Dtype::ALL)))
                })
                .collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            values.push((at.as_str(), tensors(*kind, &names)));
        } else if chance.below(2) == 0 {
            values.push((at.as_str(), chance.of(&arguments(*kind))));
        }
    }
    trial(template, setup, chance.below(2) == 0, values)
}

/// The step applied to its own result again and again.
fn deep(template: &Template, depth: u32) -> Option<Trial> {
    template.tensors().next()?;
    let mut trial = uniform(template, PLAIN, Dtype::Float32, true);
    trial.step["out"] = json!("t0");
    trial.depth = depth;
    Some(trial)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn templates(ops: &[&str]) -> Vec<Template> {
        ops.iter().map(|op| Template::of(&json!({"op": op, "args": ["$a", 1]})).expect("a step")).collect()
    }

    fn lines(templates: &[Template], seed: u64, most: Option<usize>) -> Vec<String> {
        all(templates, seed, most).map(|trial| trial.line()).collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_trials() {
        let one = templates(&["+"]);
        for most in [None, Some(20)] {
            assert_eq!(lines(&one, 1, most), lines(&one, 1, most));
            assert_ne!(lines(&one, 1, most), lines(&one, 2, most));
        }
        assert!(lines(&one, 1, None).len() > RECIPES.len() * Dtype::ALL.len() + MIXTURES);
    }

    #[test]
    fn some_trials_are_as_many_an_op_as_asked_for() {
        let both = templates(&["+", "-"]);
        let of_each = |most| {
            let shallow = all(&both, 0, most).filter(|trial| trial.depth < DEEPEST);
            let plus: Vec<bool> = shallow.map(|trial| trial.op == "+").collect();
            (plus.iter().filter(|it| **it).count(), plus.len())
        };
        assert_eq!(of_each(Some(20)), (20, 40));
        assert_eq!(of_each(Some(usize::MAX)), of_each(None));
        assert_eq!(all(&both, 0, Some(20)).filter(|trial| trial.depth == DEEPEST).count(), 2);
    }

    #[test]
    fn a_trial_tells_how_to_repeat_it() {
        let template = Template::of(&json!({"op": "mx.exp", "args": ["$a"]})).expect("a step");
        let huge = uniform(&template, HUGE[0], Dtype::Uint8, true).case();
        assert!(huge.contains("mx.broadcast_to") && huge.contains("[65536,65536]"), "{huge}");
        assert!(
            deep(&template, DEEP).expect("it takes a tensor").case().ends_with("the last step 3000 times")
        );
    }
}
