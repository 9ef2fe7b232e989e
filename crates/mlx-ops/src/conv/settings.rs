//! A convolution as MLX computes it, and the guard of its memory: MLX's CPU kernels take on trust that the kernel fits and
//! that no number wraps around.
//!
//! Not here: what the settings are called for users (`options`).

use mlx_core::{
    Error, ErrorKind, OperandRef, Result, Scalar, Shape, Tensor,
    ffi::{self, Span, products},
};
use smallvec::SmallVec;

/// Lists of one number for all axes, or of one for each.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) stride: Shape,
    /// Before and after.
    pub(super) padding: [Shape; 2],
    pub(super) kernel_dilation: Shape,
    pub(super) input_dilation: Shape,
    pub(super) groups: i32,
    pub(super) flip: bool,
}

impl Settings {
    /// The convolution, its errors under the name of `op`.
    #[track_caller]
    pub(super) fn convolve(&self, op: &'static str, x: &Tensor, weight: &Tensor) -> Result<Tensor> {
        let sizes = [x.shape(), weight.shape()];
        let axes = self.along(sizes);
        self.check(sizes, &axes)
            .map_err(|(kind, why)| Error::new(kind, op, why).with_operands(&[x.into(), weight.into()]))?;
        let derives_wrongly =
            || products::is_derived(x, weight) && axes.iter().any(|axis| axis.is_misderived());
        let by_nodes = self.is_padded_first(&axes) || derives_wrongly();
        if !by_nodes {
            return self.issue(op, x, weight);
        }
        let x = padded(&spaced(x, &axes)?, &axes)?;
        let (none, one) = (Shape::from_slice(&[0]), Shape::from_slice(&[1]));
        let plain = Settings { padding: [none.clone(), none], input_dilation: one, ..self.clone() };
        plain.issue(op, &x, weight)
    }

    #[track_caller]
    fn issue(&self, op: &'static str, x: &Tensor, weight: &Tensor) -> Result<Tensor> {
        let how = products::Convolution {
            stride: &self.stride,
            padding: [&self.padding[0], &self.padding[1]],
            kernel_dilation: &self.kernel_dilation,
            input_dilation: &self.input_dilation,
            groups: self.groups,
            flip: self.flip,
        };
        products::convolution(op, x, weight, how)
    }

    /// Refuses what ends the process inside MLX or its BLAS, or makes it leave its memory.
    fn check(&self, [x, weight]: [&[i32]; 2], axes: &[Along]) -> Result<(), (ErrorKind, String)> {
        let refuse = |kind, why: &str| Err((kind, format!("[conv] {why}")));
        if self.groups < 1 {
            return refuse(ErrorKind::Value, "The number of groups must be positive.");
        }
        if weight.contains(&0) {
            return refuse(ErrorKind::Shape, "The weight must not be empty.");
        }
        // Where padding is negative MLX reads the lists before it counts them.
        let spatial = x.len().saturating_sub(2);
        let fits = |list: &Shape| list.len() < 2 || list.len() == spatial;
        if !self.padding.iter().all(fits) && self.padding.iter().flatten().any(|&size| size < 0) {
            return refuse(ErrorKind::Value, &format!("Invalid padding for {spatial}D convolution."));
        }
        if axes.iter().any(|axis| axis.is_too_short()) {
            let why =
                "Spatial dimensions of input after padding cannot be smaller than weight spatial dimensions.";
            return refuse(ErrorKind::Shape, why);
        }
        if axes.iter().any(|axis| axis.wraps()) {
            return refuse(ErrorKind::Value, "Strides, padding or dilation are too large.");
        }
        // MLX lays out a row of the kernel's size for each of its positions, and counts both in 32 bits.
        let row = weight.iter().skip(1).map(|&size| size as usize).product::<usize>();
        let row = row.saturating_mul(self.groups as usize);
        let batch = x.first().map_or(0, |&batch| batch.into());
        let positions = axes.iter().map(|axis| axis.positions()).fold(batch, i64::saturating_mul);
        if positions > i64::from(i32::MAX) || row > i32::MAX as usize {
            return refuse(ErrorKind::Shape, "The kernel has too many positions or elements.");
        }
        Ok(())
    }

    /// What there is of each axis between the batch and the channels.
    fn along(&self, sizes: [&[i32]; 2]) -> SmallVec<[Along; 3]> {
        let [x, weight] = sizes.map(|sizes| sizes.get(1..sizes.len().saturating_sub(1)).unwrap_or_default());
        let setting = |list: &[i32], axis: usize, default: i64| {
            list.get(axis).or(list.last()).map_or(default, |&value| value.into())
        };
        let mut all = SmallVec::new();
        for (axis, (&size, &kernel)) in x.iter().zip(weight).enumerate() {
            let [low, high] = [0, 1].map(|side| setting(&self.padding[side], axis, 0));
            let (start, size) = cut(size.into(), low.min(0), high.min(0));
            all.push(Along {
                size,
                cut: start as i32,
                kernel: kernel.into(),
                stride: setting(&self.stride, axis, 1),
                low: low.max(0),
                high: high.max(0),
                dilation: setting(&self.kernel_dilation, axis, 1),
                spacing: setting(&self.input_dilation, axis, 1),
            });
        }
        all
    }

    /// Whether `x` is to be padded by a node before. MLX's kernel for groups and dilation over two or three axes takes each
    /// position in the padding before an axis for one of the result; where there are fewer it writes behind the result, as
    /// for 5x5 groups over one padded pixel.
    fn is_padded_first(&self, axes: &[Along]) -> bool {
        // With a dilated input it looks at each position.
        let looks = axes.iter().any(|axis| axis.spacing != 1);
        let gemm = self.groups == 1 && axes.iter().all(|axis| axis.dilation == 1);
        let overhangs = || axes.iter().any(|axis| axis.low > axis.positions() * axis.stride);
        !gemm && !looks && axes.len() > 1 && overhangs() && axes.iter().all(|axis| axis.positions() > 0)
    }
}

/// What is left of `x` after its cuts, with zeros between its elements where it is dilated.
fn spaced(x: &Tensor, along: &[Along]) -> Result<Tensor> {
    let mut spans: Vec<Span> = x.shape().iter().copied().map(Span::all).collect();
    for (axis, found) in along.iter().enumerate() {
        spans[axis + 1] = Span::new(found.cut, found.cut + found.size as i32, 1);
    }
    let mut x = ffi::slice(x, &spans)?;
    for (axis, found) in along.iter().enumerate().filter(|(_, found)| found.spacing != 1 && found.size > 0) {
        let axis = axis + 1;
        let mut sizes = Shape::from_slice(x.shape());
        sizes.insert(axis + 1, 1);
        let mut behind = Shape::from_elem(0, sizes.len());
        behind[axis + 1] = found.spacing as i32 - 1;
        let apart = zeros_around(&ffi::reshape(&x, &sizes)?, &Shape::from_elem(0, sizes.len()), &behind)?;
        sizes.remove(axis + 1);
        sizes[axis] *= found.spacing as i32;
        let x_and_rest = ffi::reshape(&apart, &sizes)?;
        sizes[axis] = found.extent() as i32;
        x = ffi::slice(&x_and_rest, &sizes.iter().copied().map(Span::all).collect::<Vec<Span>>())?;
    }
    Ok(x)
}

/// `x` after its padding.
fn padded(x: &Tensor, along: &[Along]) -> Result<Tensor> {
    let (mut low, mut high) = (Shape::from_elem(0, x.ndim()), Shape::from_elem(0, x.ndim()));
    for (axis, found) in along.iter().enumerate() {
        (low[axis + 1], high[axis + 1]) = (found.low as i32, found.high as i32);
    }
    zeros_around(x, &low, &high)
}

/// `x` with so many zeros before and after each axis. MLX's gradient finds them by the axis' number: so all are named.
fn zeros_around(x: &Tensor, low: &[i32], high: &[i32]) -> Result<Tensor> {
    let axes: Shape = (0..x.ndim() as i32).collect();
    let zero = OperandRef::Scalar(Scalar::Int(0)).to_tensor("pad", Some(x.dtype()))?;
    ffi::pad(x, &axes, low, high, &zero, c"constant")
}

/// Where an axis begins and what is left of it when so much, in negative numbers, is cut off before and after, as MLX's slice has it: an end
/// below 0 counts from the back.
fn cut(size: i64, low: i64, high: i64) -> (i64, i64) {
    let (start, end) = ((-low).min(size), size + high);
    let end = if end < 0 { end + size } else { end };
    (start, (end.clamp(0, size) - start).max(0))
}

/// A convolution along one axis.
#[derive(Clone, Copy)]
struct Along {
    size: i64,
    /// How much was cut off before.
    cut: i32,
    kernel: i64,
    stride: i64,
    low: i64,
    high: i64,
    /// Between the kernel's elements.
    dilation: i64,
    /// Between the input's.
    spacing: i64,
}

impl Along {
    /// How long the kernel is.
    fn spread(self) -> i64 {
        self.dilation * (self.kernel - 1) + 1
    }

    /// How long the input is.
    fn extent(self) -> i64 {
        self.spacing * (self.size - 1) + 1
    }

    /// How long the padded input is.
    fn padded(self) -> i64 {
        self.extent() + self.low + self.high
    }

    /// Whether the kernel is longer than the padded input by less than a step, where MLX's division rounds to one position:
    /// it reads behind the input.
    fn is_too_short(self) -> bool {
        let missing = self.spread() - self.padded();
        missing > 0 && missing < self.stride
    }

    /// Whether the numbers with which MLX finds where the kernel lies inside the input wrap around in 32 bits: it writes
    /// outside of the result then. Not asked of settings that MLX refuses.
    fn wraps(self) -> bool {
        let Along { size, cut: _, kernel, stride, low, high, dilation, spacing } = self;
        if (0..SMALL).contains(&(size | kernel | stride | low | high | dilation | spacing)) {
            return false;
        }
        let fits = |size: i64| i32::try_from(size).is_ok();
        let (spread, extent, padded, reach) =
            (self.spread(), self.extent(), self.padded(), dilation * self.kernel);
        let positive = stride > 0 && dilation > 0 && spacing > 0;
        if !positive || ![spread, extent, padded].into_iter().all(fits) || spread > padded {
            return false; // MLX refuses it, in its own words
        }
        // It makes a table of as many entries as the spacing.
        let phases = lcm(spacing, stride);
        let borders = [
            low + stride - 1,
            extent + low - reach + stride,
            padded + reach,
            low - reach,
            low + high,
            phases,
            lcm(spacing, dilation),
            phases - stride + low + reach,
        ];
        !borders.into_iter().all(fits) || spacing > MOST_SPACING
    }

    /// Whether one of MLX's gradients has another shape than its operand, so that what is derived further reads foreign
    /// memory. By the input it is a convolution of the cotangent; it takes the padding behind for the one before, cuts
    /// what falls below 0 at the wrong places, and forgets what the steps over a dilated input leave.
    fn is_misderived(self) -> bool {
        let positions = self.positions();
        if positions == 0 {
            return false;
        }
        let reached = self.stride * (positions - 1) + 1;
        let (before, behind) = (self.spread() - 1 - self.low, self.extent() - reached + self.high);
        let rest = (self.padded() - self.spread()) % self.stride;
        before < 0
            || behind < 0
            || !(0..self.spacing).contains(&(self.high - self.low))
            || (self.spacing != 1 && rest != 0)
    }

    /// How many positions the kernel takes; 0 where MLX itself refuses the sizes.
    fn positions(self) -> i64 {
        let padded = self.padded();
        if self.stride < 1 || self.dilation < 1 || self.spacing < 1 || padded > i64::from(i32::MAX) {
            return 0;
        }
        let room = padded - self.spread();
        if room < 0 { 0 } else { room / self.stride + 1 }
    }
}

/// Of numbers below it sums and products of two fit into 32 bits.
const SMALL: i64 = 1 << 10;

/// The most distance between the input's elements: MLX's table takes four bytes for each.
const MOST_SPACING: i64 = 1 << 24;

/// The least common multiple of two positive 32-bit numbers.
fn lcm(a: i64, b: i64) -> i64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}
