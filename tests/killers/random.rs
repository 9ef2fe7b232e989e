//! Random numbers: permutations of nothing, and more values than can be addressed.

use super::{check, programs, refused};
use crate::programs::Program;
use mlx::{
    Dtype, ErrorKind, Tensor, ops,
    prelude::*,
    random::{
        self, Bernoulli, Categorical, Gumbel, Laplace, Normal, Permutation, Randint, TruncatedNormal, Uniform,
    },
};

pub(crate) const PROGRAMS: &[Program] = &[
    ("permutation_of_nothing", permutation_of_nothing),
    ("draws_beyond_memory", draws_beyond_memory),
    ("choices_beyond_memory", choices_beyond_memory),
];

fn permutation_of_nothing() {
    check(random::permutation(0), &[]);
    for (shape, axis) in [(&[0][..], 0), (&[0, 3], 0), (&[3, 0], 1), (&[3, 0], -1), (&[2, 0, 0], 2)] {
        let x = ops::zeros(shape, Dtype::Int32).expect("a shape");
        let drawn = Permutation::new(&x).axis(axis).sample();
        assert_eq!(drawn.expect("nothing").shape(), shape);
    }
    let x = ops::zeros([0], Dtype::Int32).expect("a shape");
    for axis in [1, -2, i32::MAX, i32::MIN] {
        assert!(Permutation::new(&x).axis(axis).sample().is_err());
    }
    programs::end();
}

const HUGE: [i32; 3] = [1 << 30, 1 << 30, 2];

fn draws_beyond_memory() {
    let half = Dtype::Float16;
    refused(Normal::new().dtype(half).sample(HUGE), ErrorKind::Shape);
    refused(Uniform::new(0, 1).dtype(half).sample(HUGE), ErrorKind::Shape);
    refused(TruncatedNormal::new(0, 1).dtype(half).sample(HUGE), ErrorKind::Shape);
    refused(Gumbel::new().dtype(half).sample(HUGE), ErrorKind::Shape);
    refused(Laplace::new().dtype(half).sample(HUGE), ErrorKind::Shape);
    refused(Randint::new(0, 2).dtype(Dtype::Bool).sample(HUGE), ErrorKind::Shape);
    refused(random::bernoulli(0.5, HUGE), ErrorKind::Shape);
    let many = Tensor::scalar(0.5, half).expect("a scalar").broadcast_to(HUGE);
    refused(Bernoulli::new(&many).sample_each(), ErrorKind::Shape);
    refused(TruncatedNormal::new(&many, 2).dtype(half).sample_each(), ErrorKind::Shape);
    let few = tensor![0.0, 1.0];
    let covariances =
        Tensor::scalar(true, Dtype::Bool).expect("a scalar").broadcast_to([1 << 30, 1 << 30, 2, 2]);
    refused(random::multivariate_normal(&few, &covariances, ()), ErrorKind::Shape);
    programs::end();
}

fn choices_beyond_memory() {
    let logits = Tensor::scalar(true, Dtype::Bool).expect("a scalar").broadcast_to([1 << 30, 1 << 30, 4]);
    refused(random::categorical(&logits, -1), ErrorKind::Shape);
    let few = tensor![0.0, 1.0, 2.0];
    refused(Categorical::new(&few).sample([1 << 30, 1 << 30]), ErrorKind::Shape);
    let wide = Tensor::scalar(0, Dtype::Bool).expect("a scalar").broadcast_to([1 << 30, 4]);
    refused(Categorical::new(&wide).sample_num(i32::MAX), ErrorKind::Shape);
    programs::end();
}
