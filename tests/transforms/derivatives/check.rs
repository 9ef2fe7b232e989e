//! What holds for each row: gradients against central differences, products forward against products backward, vectorised
//! calls against single ones.
//!
//! Not here: the rows.

use super::row::{Input, Row, irregular, made};
use mlx::{
    Complex32, Dtype, Result, Tensor, ops,
    prelude::*,
    transforms::{jvp, vjp, vmap_axes},
};

/// What was found wrong, a line each.
type Findings = Vec<String>;

/// How many calls are vectorised.
const ITEMS: usize = 3;

/// Fails with all that is wrong with the rows.
pub(crate) fn check(rows: &[Row]) {
    let findings: Findings = rows.iter().flat_map(of_row).collect();
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}

fn of_row(row: &Row) -> Findings {
    let single = Single::new(row, 0);
    let found = match single.run() {
        Err(error) => vec![format!("the call: {error}")],
        Ok(outputs) if row.is_discrete => [discrete(&outputs), vectorised(row)].concat(),
        Ok(outputs) => {
            let cotangents = Numbers::like(&outputs);
            [differentiated(&single, &outputs, &cotangents), vectorised(row)].concat()
        }
    };
    found.into_iter().map(|line| format!("{}: {line}", row.names)).collect()
}

/// One call of a row, with the numbers of its arguments.
struct Single<'a> {
    row: &'a Row,
    numbers: Vec<Vec<f64>>,
}

impl Single<'_> {
    fn new(row: &Row, item: usize) -> Single<'_> {
        let numbers = row.inputs.iter().enumerate().map(|(place, input)| input.numbers(place, item));
        Single { row, numbers: numbers.collect() }
    }

    fn inputs(&self) -> Vec<Tensor> {
        let pairs = self.row.inputs.iter().zip(&self.numbers);
        pairs.map(|(input, numbers)| input.tensor(numbers, self.row.dtype)).collect()
    }

    fn run(&self) -> Result<Vec<Tensor>> {
        let outputs = self.row.call(&self.inputs())?;
        outputs.iter().try_for_each(Tensor::eval)?;
        Ok(outputs)
    }

    /// The places of the arguments that derivatives are taken by.
    fn free(&self) -> Vec<usize> {
        (0..self.row.inputs.len()).filter(|&place| self.row.inputs[place].is_free()).collect()
    }

    /// The call as a function of its free arguments.
    fn of_free<'b>(&'b self, free: &'b [usize]) -> impl Fn(&Vec<Tensor>) -> Result<Vec<Tensor>> + 'b {
        move |given: &Vec<Tensor>| {
            let mut inputs = self.inputs();
            for (&place, tensor) in free.iter().zip(given) {
                inputs[place] = tensor.clone();
            }
            self.row.call(&inputs)
        }
    }

    /// The results' sum, weighted by the cotangents, after one number moved.
    fn moved(&mut self, place: usize, i: usize, by: f64, weights: &Numbers) -> f64 {
        let before = self.numbers[place][i];
        self.numbers[place][i] = before + by;
        let sum = weights.dot(&self.run().unwrap());
        self.numbers[place][i] = before;
        sum
    }
}

/// Numbers for each of several tensors.
struct Numbers {
    shapes: Vec<Vec<i32>>,
    dtypes: Vec<Dtype>,
    values: Vec<Vec<f64>>,
}

impl Numbers {
    /// Irregular ones; 0 for tensors of integers, which have no tangents.
    fn like(tensors: &[Tensor]) -> Numbers {
        let values = tensors.iter().enumerate().map(|(place, tensor)| {
            let count = numbers_of(tensor).len();
            let number = |i| match tensor.dtype().is_inexact() {
                true => 2.0 * irregular([place + 100, 7, i, 3]) - 0.9,
                false => 0.0,
            };
            // As a float32 has them, since a derivative may be computed in float32.
            (0..count).map(|i| f64::from(number(i) as f32)).collect()
        });
        Numbers {
            shapes: tensors.iter().map(|tensor| tensor.shape().to_vec()).collect(),
            dtypes: tensors.iter().map(Tensor::dtype).collect(),
            values: values.collect(),
        }
    }

    fn tensors(&self) -> Vec<Tensor> {
        let each = self.shapes.iter().zip(&self.values).zip(&self.dtypes);
        each.map(|((shape, values), &dtype)| made(shape, values, dtype)).collect()
    }

    fn dot(&self, tensors: &[Tensor]) -> f64 {
        let products = tensors.iter().zip(&self.values).flat_map(|(tensor, weights)| {
            let pairs = numbers_of(tensor).into_iter().zip(weights.clone());
            // What is not weighted may be infinite.
            pairs.filter(|(_, weight)| *weight != 0.0).map(|(value, weight)| value * weight).collect::<Vec<_>>()
        });
        products.sum()
    }
}

/// The numbers of a tensor, two for each complex element.
fn numbers_of(tensor: &Tensor) -> Vec<f64> {
    if tensor.dtype() == Dtype::Complex64 {
        let values = tensor.to_vec::<Complex32>().unwrap();
        return values.iter().flat_map(|value| [f64::from(value.re), f64::from(value.im)]).collect();
    }
    tensor.astype(Dtype::Float64).to_vec::<f64>().unwrap()
}

fn evaluated<T: AsRef<[Tensor]>>(result: Result<T>) -> Result<T> {
    let tensors = result?;
    tensors.as_ref().iter().try_for_each(Tensor::eval)?;
    Ok(tensors)
}

/// That an error has MLX's words, or that there is none.
fn refused<T>(what: &str, result: &Result<T>, words: Option<&str>) -> Findings {
    match (result, words) {
        (Ok(_), None) => Vec::new(),
        (Err(error), Some(words)) if error.message().contains(words) => Vec::new(),
        (Ok(_), Some(words)) => vec![format!("{what}: no error, though `{words}` is noted")],
        (Err(error), _) => vec![format!("{what}: {}", error.message())],
    }
}

fn discrete(outputs: &[Tensor]) -> Findings {
    let inexact = outputs.iter().filter(|output| output.dtype().is_inexact());
    inexact.map(|output| format!("a result of dtype {} has derivatives", output.dtype())).collect()
}

fn differentiated(single: &Single, outputs: &[Tensor], cotangents: &Numbers) -> Findings {
    let row = single.row;
    let free = single.free();
    let primals: Vec<Tensor> = free.iter().map(|&place| single.inputs()[place].clone()).collect();
    let mut found = Findings::new();
    let reals = outputs.iter().filter(|output| output.dtype().is_floating());
    for output in reals.filter(|output| output.dtype() != row.dtype) {
        found.push(format!("a result of dtype {} and not {}", output.dtype(), row.dtype));
    }
    let backward = vjp(single.of_free(&free), &primals, &cotangents.tensors());
    let backward = evaluated(backward.map(|(_, products)| products));
    found.extend(refused("vjp", &backward, row.no_vjp));
    let tangents = Numbers::like(&primals);
    let forward = jvp(single.of_free(&free), &primals, &tangents.tensors());
    let forward = evaluated(forward.map(|(_, products)| products));
    found.extend(refused("jvp", &forward, row.no_jvp));
    if let Ok(gradients) = &backward {
        for (&place, gradient) in free.iter().zip(gradients) {
            found.extend(gradient_by(row, place, &numbers_of(gradient), cotangents));
        }
    }
    if let (Ok(backward), Ok(forward)) = (&backward, &forward) {
        let (there, back) = (cotangents.dot(forward), tangents.dot(backward));
        // Two ways to one number, each with the rounding of its sums.
        let bound = row.bound.max(1e-12) * there.abs().max(1.0);
        if (there - back).abs().partial_cmp(&bound) != Some(std::cmp::Ordering::Less) && row.wrong.is_empty() {
            found.push(format!("<u, J v> is {there} and <J'u, v> {back}"));
        }
    }
    found
}

/// The gradient by one argument against central differences of fourth order.
fn gradient_by(row: &Row, place: usize, gradient: &[f64], cotangents: &Numbers) -> Findings {
    let is_single = row.dtype == Dtype::Float32 || matches!(row.inputs[place], Input::C(_));
    let step = if is_single { 1.0 / 32.0 } else { 1.0 / 1024.0 };
    let mut single = Single::new(row, 0);
    let slope = |i| {
        let mut sum = |steps: f64| single.moved(place, i, steps * step, cotangents);
        (8.0 * (sum(1.0) - sum(-1.0)) - (sum(2.0) - sum(-2.0))) / (12.0 * step)
    };
    let slopes: Vec<f64> = (0..gradient.len()).map(slope).collect();
    let largest = slopes.iter().fold(1.0_f64, |largest, slope| largest.max(slope.abs()));
    let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= row.bound * largest;
    let agrees = gradient.len() == slopes.len() && gradient.iter().zip(&slopes).all(is_near);
    match row.wrong.iter().find(|wrong| wrong.by == place) {
        None if agrees => Vec::new(),
        None => vec![format!("by argument {place}: {gradient:?} and by differences {slopes:?}")],
        Some(_) if agrees => vec![format!("by argument {place}: right, though noted as wrong")],
        Some(wrong) => {
            let is_it = wrong.gradient.len() == gradient.len()
                && wrong.gradient.iter().zip(gradient).all(|(a, b)| (a - b).abs() <= 1e-6);
            let line = format!("by argument {place}: another wrong gradient, {gradient:?}, by differences {slopes:?}");
            if is_it { Vec::new() } else { vec![line] }
        }
    }
}

/// The ways to take arguments apart: all along the first axis, all along the last, each one alone.
fn ways(row: &Row) -> Vec<(String, Vec<Option<i32>>)> {
    let count = row.inputs.len();
    let mut ways = vec![("first".to_owned(), vec![Some(0); count]), ("last".to_owned(), vec![Some(-1); count])];
    if count > 1 {
        let alone = |place| (0..count).map(|i| (i == place).then_some(0)).collect();
        ways.extend((0..count).map(|place| (place.to_string(), alone(place))));
    }
    ways
}

fn vectorised(row: &Row) -> Findings {
    let items: Vec<Vec<Tensor>> = (0..ITEMS).map(|item| Single::new(row, item).inputs()).collect();
    let mut found = Findings::new();
    for (way, axes) in ways(row) {
        let stacked = axes.iter().enumerate().map(|(place, axis)| match axis {
            Some(axis) => ops::stack(items.iter().map(|item| &item[place]), *axis).unwrap(),
            None => items[0][place].clone(),
        });
        let stacked: Vec<Tensor> = stacked.collect();
        let together = vmap_axes(|inputs: &Vec<Tensor>| row.call(inputs), axes.clone(), 0, &stacked);
        let together = evaluated(together);
        let noted = row.no_vmap.iter().find(|(ways, _)| *ways == "*" || ways.split(' ').any(|w| w == way));
        found.extend(refused(&format!("vmap {way}"), &together, noted.map(|(_, words)| *words)));
        if let Ok(together) = together {
            let call = |item: &Vec<Tensor>| {
                let pairs = axes.iter().enumerate();
                let inputs = pairs.map(|(i, axis)| if axis.is_some() { &item[i] } else { &items[0][i] });
                row.call(&inputs.cloned().collect::<Vec<_>>())
            };
            let alone: Vec<Vec<Tensor>> = items.iter().map(|item| call(item).unwrap()).collect();
            for (i, tensor) in together.iter().enumerate() {
                let expected = ops::stack(alone.iter().map(|outputs| &outputs[i]), 0).unwrap();
                found.extend(same(row, &way, tensor, &expected));
            }
        }
    }
    found
}

fn same(row: &Row, way: &str, together: &Tensor, alone: &Tensor) -> Findings {
    if (together.shape(), together.dtype()) != (alone.shape(), alone.dtype()) {
        let (shape, dtype) = (together.shape(), together.dtype());
        return vec![format!("vmap {way}: {shape:?} {dtype}, alone {:?} {}", alone.shape(), alone.dtype())];
    }
    let (together, alone) = (numbers_of(together), numbers_of(alone));
    let is_same = |(a, b): (&f64, &f64)| {
        a.to_bits() == b.to_bits() || (a - b).abs() <= row.vmap_bound * b.abs().max(1.0)
    };
    match together.iter().zip(&alone).position(|pair| !is_same(pair)) {
        None => Vec::new(),
        Some(at) => vec![format!("vmap {way}: {} alone is {} at {at}", together[at], alone[at])],
    }
}
