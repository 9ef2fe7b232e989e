//! What holds for each row: gradients against central differences, products forward against products backward, vectorised
//! calls against single ones.
//!
//! Not here: the rows.

use super::row::{N, Row, irregular, made, row};
use mlx::{
    Complex32, Device, Dtype, Result, Tensor, ops,
    prelude::*,
    transforms::{CustomFunction, VmapAxes, jvp, vjp, vmap_axes},
    with_device,
};

/// What was found wrong, a line each.
type Findings = Vec<String>;

/// How many calls are vectorised.
const ITEMS: usize = 3;

/// Fails with all that is wrong with the rows.
pub(crate) fn check(rows: &[Row]) {
    let findings = findings(rows);
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}

fn findings(rows: &[Row]) -> Findings {
    // The only device that knows float64.
    with_device(Device::cpu(), || rows.iter().enumerate().flat_map(of_row).collect()).unwrap()
}

fn of_row((place, row): (usize, &Row)) -> Findings {
    let single = Single::new(row, 0);
    let called = single.run();
    let found = match called {
        Err(_) => refused("the call", &called, row.no_call),
        Ok(_) if row.no_call.is_some() => vec!["the call: no error, though one is noted".to_owned()],
        Ok(outputs) if row.is_discrete => [discrete(&outputs), vectorised(row)].concat(),
        Ok(outputs) => {
            let cotangents = Numbers::like(&outputs);
            let derivatives = if single.free().is_empty() {
                Findings::new()
            } else {
                differentiated(&single, &outputs, &cotangents)
            };
            [derivatives, vectorised(row)].concat()
        }
    };
    found.into_iter().map(|line| format!("row {place}, {}: {line}", row.names)).collect()
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

    /// The results' sum, weighted by the cotangents, after numbers moved: of which argument, which one, by what.
    fn moved(&mut self, moves: &[(usize, usize, f64)], weights: &Numbers) -> f64 {
        let before = self.numbers.clone();
        for &(place, i, by) in moves {
            self.numbers[place][i] += by;
        }
        let sum = weights.dot(&self.run().unwrap());
        self.numbers = before;
        sum
    }
}

/// Numbers for each of several tensors.
#[derive(Clone)]
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
            // As a float32 has them, since a derivative may be computed in float32.
            let number = |i| f64::from((2.0 * irregular([place + 100, 7, i, 3]) - 0.9) as f32);
            let is_inexact = tensor.dtype().is_inexact();
            (0..count).map(|i| if is_inexact { number(i) } else { 0.0 }).collect()
        });
        Numbers {
            shapes: tensors.iter().map(|tensor| tensor.shape().to_vec()).collect(),
            dtypes: tensors.iter().map(Tensor::dtype).collect(),
            values: values.collect(),
        }
    }

    /// With the imaginary parts of complex ones turned around.
    fn conjugated(&self) -> Numbers {
        let turned = |(values, dtype): (&Vec<f64>, &Dtype)| conjugated(values.clone(), *dtype);
        let values = self.values.iter().zip(&self.dtypes).map(turned).collect();
        Numbers { shapes: self.shapes.clone(), dtypes: self.dtypes.clone(), values }
    }

    fn tensors(&self) -> Vec<Tensor> {
        let each = self.shapes.iter().zip(&self.values).zip(&self.dtypes);
        each.map(|((shape, values), &dtype)| made(shape, values, dtype)).collect()
    }

    fn dot(&self, tensors: &[Tensor]) -> f64 {
        let products = tensors.iter().zip(&self.values).flat_map(|(tensor, weights)| {
            let pairs = numbers_of(tensor).into_iter().zip(weights.clone());
            // What is not weighted may be infinite.
            pairs
                .filter(|(_, weight)| *weight != 0.0)
                .map(|(value, weight)| value * weight)
                .collect::<Vec<_>>()
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

fn conjugated(mut numbers: Vec<f64>, dtype: Dtype) -> Vec<f64> {
    if dtype == Dtype::Complex64 {
        numbers.iter_mut().skip(1).step_by(2).for_each(|imaginary| *imaginary = -*imaginary);
    }
    numbers
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
    let (row, free) = (single.row, single.free());
    let inputs = single.inputs();
    let primals: Vec<Tensor> = free.iter().map(|&place| inputs[place].clone()).collect();
    let mut found = Findings::new();
    if row.dtype == Dtype::Float64 {
        let others =
            outputs.iter().map(Tensor::dtype).filter(|&dtype| dtype.is_floating() && dtype != row.dtype);
        found.extend(others.map(|dtype| format!("a result of dtype {dtype} and not {}", row.dtype)));
    }
    let backward = vjp(single.of_free(&free), &primals, &cotangents.tensors());
    let backward = evaluated(backward.map(|(_, products)| products));
    found.extend(refused("vjp", &backward, row.no_vjp));
    let tangents = Numbers::like(&primals);
    let forward = jvp(single.of_free(&free), &primals, &tangents.tensors());
    let forward = evaluated(forward.map(|(_, products)| products));
    found.extend(refused("jvp", &forward, row.no_jvp));
    // For a plain gradient what is real is the product of both without conjugates.
    let weights = if row.is_plain { cotangents.conjugated() } else { cotangents.clone() };
    if let Ok(gradients) = &backward {
        for (&place, gradient) in free.iter().zip(gradients) {
            let numbers = numbers_of(gradient);
            let numbers = if row.is_plain { conjugated(numbers, gradient.dtype()) } else { numbers };
            found.extend(gradient_by(row, place, &numbers, &weights));
        }
    }
    if let Ok(forward) = &forward {
        let by_tangents = (free.as_slice(), &tangents);
        found.extend(product_forward(single, by_tangents, weights.dot(forward), &weights));
        if let (Ok(backward), true) = (&backward, row.wrong.is_empty() && row.wrong_product.is_none()) {
            let tangents = if row.is_plain { tangents.conjugated() } else { tangents };
            found.extend(two_ways(row, weights.dot(forward), tangents.dot(backward)));
        }
    }
    found
}

/// Central differences of fourth order of a function of how far things moved.
fn slope(step: f64, mut sum: impl FnMut(f64) -> f64) -> f64 {
    (8.0 * (sum(step) - sum(-step)) - (sum(2.0 * step) - sum(-2.0 * step))) / (12.0 * step)
}

/// The gradient by one argument.
fn gradient_by(row: &Row, place: usize, gradient: &[f64], weights: &Numbers) -> Findings {
    let mut single = Single::new(row, 0);
    let each = 0..single.numbers[place].len();
    let slopes: Vec<f64> =
        each.map(|i| slope(row.step, |by| single.moved(&[(place, i, by)], weights))).collect();
    let largest = slopes.iter().fold(1.0_f64, |largest, slope| largest.max(slope.abs()));
    let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= row.bound * largest;
    let agrees = gradient.len() == slopes.len() && gradient.iter().zip(&slopes).all(is_near);
    let both = format!("{gradient:.6?} and by differences {slopes:.6?}");
    match row.wrong.iter().find(|wrong| wrong.by == place) {
        None if agrees => Vec::new(),
        None => vec![format!("by argument {place}: {both}")],
        Some(_) if agrees => vec![format!("by argument {place}: right, though noted as wrong")],
        Some(wrong) => {
            let is_it = wrong.gradient.len() == gradient.len()
                && wrong.gradient.iter().zip(gradient).all(|(a, b)| (a - b).abs() <= 2e-6);
            if is_it { Vec::new() } else { vec![format!("by argument {place}: another wrong one, {both}")] }
        }
    }
}

/// The product of the Jacobian with tangents, weighted and summed.
fn product_forward(single: &Single, by: (&[usize], &Numbers), product: f64, weights: &Numbers) -> Findings {
    let (row, (free, tangents)) = (single.row, by);
    let mut moving = Single::new(row, 0);
    let expected = slope(row.step, |by| {
        let each = free.iter().zip(&tangents.values);
        let moves = each.flat_map(|(&place, along)| {
            along.iter().enumerate().map(move |(i, along)| (place, i, by * along))
        });
        moving.moved(&moves.collect::<Vec<_>>(), weights)
    });
    let agrees = (product - expected).abs() <= row.bound * expected.abs().max(10.0);
    match row.wrong_product {
        None if agrees => Vec::new(),
        Some(wrong) if !agrees && (product - wrong).abs() <= 2e-6 => Vec::new(),
        _ => vec![format!(
            "forward {product:.6} and by differences {expected:.6}, noted {:?}",
            row.wrong_product
        )],
    }
}

/// Products forward and backward give one number, each with the rounding of its own sums: closer than finite differences.
fn two_ways(row: &Row, forward: f64, backward: f64) -> Findings {
    let bound = if row.step < 0.01 { 1e-12_f64.max(row.bound * 1e-3) } else { 1e-5 };
    if (forward - backward).abs() <= bound * forward.abs().max(10.0) {
        return Vec::new();
    }
    vec![format!("<u, J v> is {forward} and <J'u, v> {backward}")]
}

/// The ways to take arguments apart: all along the first axis, all along the last, each one alone.
fn ways(row: &Row) -> Vec<(String, Vec<Option<i32>>)> {
    let count = row.inputs.len();
    let mut ways =
        vec![("first".to_owned(), vec![Some(0); count]), ("last".to_owned(), vec![Some(-1); count])];
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
            let compared = together.iter().enumerate().flat_map(|(i, tensor)| {
                let expected = ops::stack(alone.iter().map(|outputs| &outputs[i]), 0).unwrap();
                same(row, &way, tensor, &expected)
            });
            let compared: Findings = compared.collect();
            if !row.wrong_vmap.contains(&way.as_str()) {
                found.extend(compared);
            } else if compared.is_empty() {
                found.push(format!("vmap {way}: right, though noted as wrong"));
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
        let is_near = row.vmap_bound > 0.0 && (a - b).abs() <= row.vmap_bound * b.abs().max(1.0);
        a.to_bits() == b.to_bits() || is_near
    };
    match together.iter().zip(&alone).position(|pair| !is_same(pair)) {
        None => Vec::new(),
        Some(at) => vec![format!("vmap {way}: {} alone is {} at {at}", together[at], alone[at])],
    }
}

/// Rules that are wrong by a thousandth, or by an item.
#[test]
fn wrong_rules_are_found() {
    fn cube() -> CustomFunction<Tensor, Tensor> {
        CustomFunction::new(|x: &Tensor| x.square() * x)
    }
    const RIGHT: Row = row("", &[N(&[3])], |v| cube().call(&v[0]));
    const BACKWARD: Row = row("", &[N(&[3])], |v| cube().vjp(|x, by, _| by * x.square() * 3.003).call(&v[0]));
    const FORWARD: Row = row("", &[N(&[3])], |v| {
        cube()
            .jvp(|x, along| along[0].clone().unwrap_or_else(|| x.zeros_like()) * x.square() * 3.003)
            .call(&v[0])
    });
    const ITEMS: Row = row("", &[N(&[3])], |v| {
        cube()
            .vmap(|x, axes| -> Result<_> { Ok((x.square() * x.flip(0), VmapAxes::from(vec![axes[0]]))) })
            .call(&v[0])
    });
    for (row, found) in
        [(RIGHT, ""), (BACKWARD, "by argument 0"), (FORWARD, "forward"), (ITEMS, "vmap first")]
    {
        let findings = findings(&[row]);
        assert!(
            findings.iter().any(|line| line.contains(found)) != found.is_empty(),
            "{found}: {findings:?}"
        );
    }
    assert!(findings(&[RIGHT.wrong_vmap(&["last"])])[0].contains("right, though noted as wrong"));
    assert!(findings(&[RIGHT.no_jvp("no rule")])[0].contains("no error, though"));
}
