//! `cargo bench -p mlx-cpu --bench quantized [FILTER]`: quantized products against the bandwidth of a copy.
//!
//! Bytes a second are those of the weights (codes, scales, biases) over the time of one product. The copy is 256 MiB on the
//! same threads, one direction counted. Times are medians; with `MLX_CPU_THREADS=1` they are means of the thread's own time,
//! where the system counts it (Linux), which a busy machine does not lengthen.

use half::f16;
use mlx_cpu::{
    Floats, FloatsMut, Isa, arch, pool,
    quantized::{Format, Product, Scales, Weights, matmul},
};
use std::{hint::black_box, sync::LazyLock, time::Instant};

const COPY: usize = 256 << 20;

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Seconds on a clock: this thread's time on a processor where that is all that works, else the wall's.
fn now() -> f64 {
    let own = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ').next()?.parse().ok().map(|ns: u64| ns as f64 * 1e-9)
    };
    (pool::threads() == 1).then(own).flatten().unwrap_or_else(|| START.elapsed().as_secs_f64())
}

fn copy_seconds(from: &[u8], to: &mut [u8]) -> f64 {
    let start = now();
    arch::split::blocks(to, COPY, COPY / (8 * pool::threads()), |mut block| {
        let first = block.first();
        let to = block.row(0);
        to.copy_from_slice(&from[first..first + to.len()]);
    });
    now() - start
}

struct Case {
    format: Format,
    rows: usize,
    columns: usize,
    m: usize,
    transpose: bool,
    isa: Isa,
}

impl Case {
    fn seconds(&self) -> (f64, usize) {
        let Case { format, rows, columns, m, transpose, isa } = *self;
        let codes: Vec<u8> =
            (0..rows * columns / 8 * format.bits()).map(|i| (i * 37 + i / 911) as u8).collect();
        let groups = rows * columns / format.group();
        let halves = vec![f16::from_f32(0.01); groups];
        let bytes = vec![120; groups];
        let affine = matches!(format, Format::Affine { .. });
        let scales = if affine {
            Scales::Affine { scales: Floats::F16(&halves), biases: Floats::F16(&halves) }
        } else {
            Scales::Bytes { scales: &bytes, global: 1.0 }
        };
        let weights = Weights { format, codes: &codes, scales, count: 1, rows, columns };
        let (depth, width) = if transpose { (columns, rows) } else { (rows, columns) };
        let x: Vec<f32> = (0..m * depth).map(|i| (i % 17) as f32 - 8.0).collect();
        let mut out = vec![0.0; m * width];
        let product = Product { x: Floats::F32(&x), m, weights, transpose, isa: Some(isa) };
        let (began, start) = (Instant::now(), now());
        let mut times = Vec::new();
        while times.len() < 5 || (began.elapsed().as_millis() < 300 && times.len() < 5000) {
            let start = now();
            matmul(black_box(&product), FloatsMut::F32(black_box(&mut out))).expect("it fits");
            times.push(now() - start);
        }
        let mean = (now() - start) / times.len() as f64;
        let seconds = if pool::threads() == 1 { mean } else { median(times) };
        (seconds, codes.len() + groups * if affine { 4 } else { 1 })
    }
}

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    let (from, mut to) = (vec![1_u8; COPY], vec![0_u8; COPY]);
    copy_seconds(&from, &mut to);
    let copy = COPY as f64 / median((0..7).map(|_| copy_seconds(&from, &mut to)).collect()) / 1e9;
    println!("{} threads, best set {}, copy of 256 MiB {copy:.1} GB/s", pool::threads(), Isa::best());
    let affine = |bits, group| Format::Affine { bits, group };
    let formats = [4, 8, 2, 3, 5, 6].map(|bits| affine(bits, 32));
    let formats = formats.into_iter().chain([affine(4, 64), Format::Mxfp4, Format::Mxfp8, Format::Nvfp4]);
    let squares = formats.map(|format| (format, 2048, 2048, 1, true));
    let more = [2, 4, 8, 16, 64, 512].map(|m| (affine(4, 32), 2048, 2048, m, true));
    let small = [(576, 576), (192, 576), (1536, 576), (576, 1536), (49152, 576)];
    let small = small.map(|(rows, columns)| (affine(4, 32), rows, columns, 1, true));
    let plain = [1, 16, 512].map(|m| (affine(4, 32), 2048, 2048, m, false));
    let prefill = [(1536, 576), (576, 1536)].map(|(rows, columns)| (affine(4, 32), rows, columns, 512, true));
    for (format, rows, columns, m, transpose) in squares.chain(more).chain(small).chain(plain).chain(prefill)
    {
        for isa in Isa::ALL.into_iter().rev().filter(|isa| isa.is_supported()) {
            let name = format!("{format:?} {rows}x{columns} m={m} transpose={transpose} {isa}");
            if !name.contains(&filter) {
                continue;
            }
            let (seconds, bytes) = Case { format, rows, columns, m, transpose, isa }.seconds();
            let rate = bytes as f64 / seconds / 1e9;
            let flops = 2e-9 * (rows * columns * m) as f64 / seconds;
            let us = seconds * 1e6;
            println!("{name:75} {us:9.1} us {rate:6.1} GB/s {:5.2} of copy {flops:7.1} GFLOP/s", rate / copy);
        }
    }
}
