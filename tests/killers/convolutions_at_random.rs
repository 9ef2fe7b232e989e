//! Convolutions drawn at random, small and hostile, beside a plain loop: what MLX reads or writes elsewhere shows as another
//! value or as the end of the process.

use crate::{programs, programs::Program};
use mlx::{Dtype, Tensor, memory, ops};
use std::env;

pub(crate) const PROGRAMS: &[Program] = &[
    ("convolutions_at_random", || at_random(1)),
    ("transposed_convolutions_at_random", || transposed_at_random(2)),
    ("convolutions_of_hostile_numbers", || of_hostile_numbers(3)),
];

/// How many are drawn; `$MLX_TEST_DRAWS` for more.
fn draws() -> usize {
    env::var("MLX_TEST_DRAWS").ok().and_then(|text| text.parse().ok()).unwrap_or(600)
}

/// Knuth's linear congruences: enough to choose sizes by.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: i32) -> i32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % end as u64) as i32
    }

    fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as i32) as usize]
    }

    fn list(&mut self, count: usize, mut one: impl FnMut(&mut Draw) -> i32) -> Vec<i32> {
        (0..count).map(|_| one(self)).collect()
    }
}

/// A convolution over three axes, those that it does not have being of size 1.
#[derive(Debug)]
struct Case {
    axes: usize,
    batch: i32,
    size: Vec<i32>,
    kernel: Vec<i32>,
    stride: Vec<i32>,
    low: Vec<i32>,
    high: Vec<i32>,
    dilation: Vec<i32>,
    spacing: Vec<i32>,
    groups: i32,
    /// In a group, of the input and of the result.
    channels: [i32; 2],
    flip: bool,
}

impl Case {
    fn draw(draw: &mut Draw) -> Case {
        let axes = draw.one_of(&[1, 2, 2, 3]);
        let some = |draw: &mut Draw, list: &[i32]| {
            let plain = draw.below(3) == 0;
            draw.list(axes, |draw| if plain { list[0] } else { draw.one_of(list) })
        };
        Case {
            axes,
            batch: draw.one_of(&[1, 1, 2, 0]),
            size: some(draw, &[3, 1, 2, 4, 5, 0]),
            kernel: some(draw, &[2, 1, 3, 5]),
            stride: some(draw, &[1, 1, 2, 3, 7]),
            low: some(draw, &[0, 1, 2, 4, -1, 9]),
            high: some(draw, &[0, 1, 2, 4, -1, -2]),
            dilation: some(draw, &[1, 1, 2, 3]),
            spacing: some(draw, &[1, 1, 1, 2, 3]),
            groups: if axes < 3 { draw.one_of(&[1, 2, 3]) } else { 1 },
            channels: [draw.one_of(&[1, 2, 3]), draw.one_of(&[1, 2, 4])],
            flip: draw.below(2) == 0,
        }
    }

    fn tensors(&self) -> [Tensor; 2] {
        let [x, weight] = self.channels;
        let shape = |first: i32, inner: &[i32], last: i32| [&[first], inner, &[last]].concat();
        [
            counted(&shape(self.batch, &self.size, x * self.groups)),
            counted(&shape(weight * self.groups, &self.kernel, x)),
        ]
    }

    fn call(&self, x: &Tensor, weight: &Tensor) -> mlx::Result<Tensor> {
        let mut how = ops::GeneralConvolution::new()
            .stride(&self.stride[..])
            .padding_before_after(&self.low[..], &self.high[..])
            .kernel_dilation(&self.dilation[..])
            .input_dilation(&self.spacing[..])
            .groups(self.groups);
        if self.flip {
            how = how.flip();
        }
        ops::conv_general(x, weight, &how)
    }

    /// How many positions an axis has; none where the kernel does not fit.
    fn positions(&self) -> Option<Vec<i32>> {
        let along = |axis: usize| {
            let cut = (self.size[axis] + self.low[axis].min(0) + self.high[axis].min(0)).max(0);
            let padded = 1 + self.spacing[axis] * (cut - 1) + self.low[axis].max(0) + self.high[axis].max(0);
            let room = padded - 1 - self.dilation[axis] * (self.kernel[axis] - 1);
            (room >= 0).then(|| room / self.stride[axis] + 1)
        };
        (0..self.axes).map(along).collect()
    }

    /// The value at a place of the result.
    fn value(&self, x: &[f32], weight: &[f32], batch: i32, place: &[i32], out: i32) -> f32 {
        let [channels, outs] = self.channels;
        let mut sum = 0.0;
        for tap in places(&self.kernel) {
            let mut at = batch;
            let mut inside = true;
            for axis in 0..self.axes {
                let turned = if self.flip { self.kernel[axis] - 1 - tap[axis] } else { tap[axis] };
                let far =
                    place[axis] * self.stride[axis] - self.low[axis].max(0) + turned * self.dilation[axis];
                // Negative padding cuts before the input is spread.
                let index = far.div_euclid(self.spacing[axis]);
                let size = self.size[axis] + self.low[axis].min(0) + self.high[axis].min(0);
                inside &= far.rem_euclid(self.spacing[axis]) == 0 && (0..size).contains(&index);
                at = at * self.size[axis] + index - self.low[axis].min(0);
            }
            if !inside {
                continue;
            }
            let row = tap.iter().zip(&self.kernel).fold(out, |at, (tap, size)| at * size + tap);
            for channel in 0..channels {
                let left = (at * self.groups + out / outs) * channels + channel;
                sum += x[left as usize] * weight[(row * channels + channel) as usize];
            }
        }
        sum
    }

    fn values(&self, x: &[f32], weight: &[f32], positions: &[i32]) -> Vec<f32> {
        let outs = self.channels[1] * self.groups;
        let mut values = Vec::new();
        for batch in 0..self.batch {
            for place in places(positions) {
                values.extend((0..outs).map(|out| self.value(x, weight, batch, &place, out)));
            }
        }
        values
    }
}

/// Small whole numbers, of which sums are exact.
fn counted(shape: &[i32]) -> Tensor {
    let count: i32 = shape.iter().product();
    let values: Vec<f32> = (0..count).map(|i| ((i * 7 + 3) % 11 - 5) as f32).collect();
    Tensor::from_shape_slice(shape, &values).unwrap()
}

/// Every index within sizes, the last axis first.
fn places(sizes: &[i32]) -> Vec<Vec<i32>> {
    sizes.iter().fold(vec![vec![]], |before, &size| {
        let longer = |place: Vec<i32>| (0..size).map(move |i| [&place[..], &[i]].concat());
        before.into_iter().flat_map(longer).collect()
    })
}

#[track_caller]
fn compare(case: &Case, found: mlx::Result<Tensor>, [x, weight]: [&Tensor; 2]) {
    let (Some(positions), Ok(found)) = (case.positions(), &found) else {
        assert!(case.positions().is_none() || found.is_err(), "{case:?}");
        return;
    };
    let shape = [&[case.batch], &positions[..], &[case.channels[1] * case.groups]].concat();
    assert_eq!(found.shape(), shape, "{case:?}");
    let wanted = case.values(&x.to_vec().unwrap(), &weight.to_vec().unwrap(), &positions);
    assert_eq!(found.to_vec::<f32>().unwrap(), wanted, "{case:?}");
}

fn at_random(seed: u64) {
    // What was written behind a buffer shows when it is freed.
    memory::set_cache_limit(0).unwrap().keep();
    let mut draw = Draw(seed);
    let mut computed = 0;
    for _ in 0..draws() {
        let case = Case::draw(&mut draw);
        let [x, weight] = case.tensors();
        let found = case.call(&x, &weight);
        computed += usize::from(found.is_ok());
        compare(&case, found, [&x, &weight]);
    }
    assert!(computed > draws() / 4, "{computed}");
    programs::end();
}

fn transposed_at_random(seed: u64) {
    memory::set_cache_limit(0).unwrap().keep();
    let mut draw = Draw(seed);
    for _ in 0..draws() {
        let mut case = Case::draw(&mut draw);
        case.axes = case.axes.min(2);
        let (stride, cut, longer) = (case.spacing.clone(), case.low.clone(), case.high.clone());
        case.flip = true;
        for axis in 0..case.axes {
            case.stride[axis] = 1;
            case.low[axis] = case.dilation[axis] * (case.kernel[axis] - 1) - cut[axis];
            case.high[axis] = case.low[axis] + longer[axis];
        }
        let [x, weight] = case.tensors();
        let pair = |list: &[i32]| [list[0], list[list.len() - 1]];
        let found = if case.axes == 1 {
            let how = ops::TransposedConvolution::new()
                .stride(stride[0])
                .padding(cut[0])
                .dilation(case.dilation[0])
                .output_padding(longer[0])
                .groups(case.groups);
            ops::conv_transpose1d(&x, &weight, how)
        } else {
            let how = ops::TransposedConvolution::new()
                .stride(pair(&stride))
                .padding(pair(&cut))
                .dilation(pair(&case.dilation))
                .output_padding(pair(&longer))
                .groups(case.groups);
            if case.size.len() > 2 {
                continue;
            }
            ops::conv_transpose2d(&x, &weight, how)
        };
        compare(&case, found, [&x, &weight]);
    }
    programs::end();
}

/// Any value or error will do.
fn of_hostile_numbers(seed: u64) {
    memory::set_cache_limit(0).unwrap().keep();
    let numbers =
        [0, 1, 1, 1, 2, -1, 3, -3, 255, 65535, 1 << 24, 1 << 30, i32::MAX - 1, i32::MAX, i32::MIN, -i32::MAX];
    let sizes = [1, 1, 2, 3, 0, 7];
    let mut draw = Draw(seed);
    for _ in 0..draws() {
        let axes = draw.one_of(&[1, 2, 3]);
        let shape = |draw: &mut Draw| {
            let axes = if draw.below(20) == 0 { draw.below(7) as usize } else { axes + 2 };
            draw.list(axes, |draw| draw.one_of(&sizes))
        };
        let [x, weight] =
            [shape(&mut draw), shape(&mut draw)].map(|shape| ops::ones(shape, Dtype::Float32).unwrap());
        let list = |draw: &mut Draw, plain: i32| {
            let count = if draw.below(10) == 0 { draw.below(5) as usize } else { axes };
            let keep = draw.below(2) == 0;
            draw.list(count, |draw| if keep { plain } else { draw.one_of(&numbers) })
        };
        let how = ops::GeneralConvolution::new()
            .stride(list(&mut draw, 1))
            .padding_before_after(list(&mut draw, 0), list(&mut draw, 0))
            .kernel_dilation(list(&mut draw, 1))
            .input_dilation(list(&mut draw, 1))
            .groups(draw.one_of(&[1, 1, 1, 2, 0, -1, i32::MAX, i32::MIN]));
        let found = ops::conv_general(&x, &weight, &how);
        // Only what a test has the memory for.
        if let Some(y) = found.ok().filter(|y| y.size() < 1 << 20) {
            drop(y.eval());
        }
    }
    programs::end();
}
