//! The random key of each thread: who moves it, and whom it concerns.
//!
//! Not here: what is drawn (parity's cases).

use mlx::{Device, Dtype, prelude::*, random};
use std::thread;

fn drawn() -> Vec<f32> {
    random::normal([2]).unwrap().to_vec().unwrap()
}

/// The first draws after a seed.
fn after_seed(seed: u64, draws: usize) -> Vec<Vec<f32>> {
    random::seed(seed).unwrap();
    (0..draws).map(|_| drawn()).collect()
}

#[test]
fn a_seed_concerns_its_own_thread() {
    let alone = after_seed(3, 4);
    random::seed(3).unwrap();
    let first = drawn();
    let other = thread::spawn(|| after_seed(8, 4)).join().unwrap();
    let rest: Vec<Vec<f32>> = (0..3).map(|_| drawn()).collect();
    assert_eq!([vec![first], rest].concat(), alone);
    assert_eq!(thread::spawn(|| after_seed(3, 4)).join().unwrap(), alone);
    assert_ne!(other, alone);
}

#[test]
fn threads_that_draw_together_draw_what_they_draw_alone() {
    let wanted: Vec<_> = (0..4).map(|seed| after_seed(seed, 50)).collect();
    let threads: Vec<_> = (0..4).map(|seed| thread::spawn(move || after_seed(seed, 50))).collect();
    let found: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert_eq!(found, wanted);
}

#[test]
fn threads_without_a_seed_begin_alike() {
    let [first, second] = [(); 2].map(|()| thread::spawn(|| [drawn(), drawn()]).join().unwrap());
    assert_eq!(first, second);
    assert_ne!(first[0], first[1]);
}

/// A draw that fails.
type Draw<'a> = &'a dyn Fn() -> Result<Tensor>;

#[test]
fn a_refused_draw_moves_the_key() {
    let wanted = after_seed(5, 3);
    let vector = tensor![1.0, 2.0, 3.0];
    let refused: [Draw<'_>; 7] = [
        &|| random::Normal::new().dtype(Dtype::Int32).sample([2]),
        &|| random::Uniform::new(0, 1).dtype(Dtype::Int32).sample([2]),
        &|| random::uniform(&vector, 1, [2]),
        &|| random::Randint::new(0, 2).dtype(Dtype::Float32).sample([2]),
        &|| random::bernoulli(1, [2]),
        &|| random::categorical(&vector, 3),
        &|| random::Permutation::new(&vector).axis(1).sample(),
    ];
    for draw in refused {
        random::seed(5).unwrap();
        assert!(draw().is_err());
        assert_eq!([drawn(), drawn()], wanted[1..]);
    }
}

#[test]
fn a_draw_with_a_key_leaves_the_threads_key() {
    let wanted = after_seed(5, 2);
    random::seed(5).unwrap();
    let key = random::key(1).unwrap();
    let with_key = || random::Normal::new().key(&key).sample([2]).unwrap().to_vec::<f32>().unwrap();
    let first = with_key();
    assert_eq!(drawn(), wanted[0]);
    assert_eq!(with_key(), first);
    assert_eq!(drawn(), wanted[1]);
}

#[test]
fn a_state_put_back_draws_again() {
    random::seed(9).unwrap();
    drawn();
    let state = random::state().unwrap();
    let wanted = [drawn(), drawn()];
    let elsewhere = state.clone();
    let there = thread::spawn(move || {
        random::set_state(&elsewhere);
        [drawn(), drawn()]
    });
    assert_eq!(there.join().unwrap(), wanted);
    random::set_state(&state);
    assert_eq!([drawn(), drawn()], wanted);
    random::set_state(&tensor![1, 2, 3]);
    assert!(random::normal([2]).is_err(), "three int32 are no key");
    random::seed(9).unwrap();
    drawn();
    assert_eq!([drawn(), drawn()], wanted);
}

#[test]
fn an_evaluation_that_fails_does_not_take_the_key_with_it() {
    for draws in [1, 5, 3000] {
        let wanted = after_seed(11, draws + 1).pop().unwrap();
        random::seed(11).unwrap();
        let noise: Vec<Tensor> = (0..draws).map(|_| random::normal([2]).unwrap()).collect();
        // MLX finds out that a matrix is singular when it computes.
        let zeros = mlx::ops::zeros([2, 2], Dtype::Float32).unwrap();
        let singular = mlx::with_device(Device::cpu(), || mlx::linalg::inv(&zeros)).unwrap().unwrap();
        let failing: Vec<Tensor> = noise.iter().map(|noise| noise + &singular).collect();
        mlx::eval(&failing).unwrap_err();
        assert_eq!(drawn(), wanted, "after {draws} draws of a failed batch");
    }
}
