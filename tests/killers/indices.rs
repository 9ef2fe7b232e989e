//! Index tensors and starts that lead outside, updates of nothing, and masks without values.

use crate::{check, panics, programs, programs::Program, refused};
use mlx::{Dtype, ErrorKind, Result, Tensor, ops, ops::Update, prelude::*};

pub(crate) const PROGRAMS: &[Program] = &[
    ("index_tensors_outside", index_tensors_outside),
    ("lazy_index_tensors_outside", lazy_index_tensors_outside),
    ("narrow_indices_of_long_axes", narrow_indices_of_long_axes),
    ("index_tensors_in_any_order", index_tensors_in_any_order),
    ("indices_into_nothing", indices_into_nothing),
    ("slices_beside_index_tensors", slices_beside_index_tensors),
    ("updates_outside", updates_outside),
    ("lazy_updates_outside", lazy_updates_outside),
    ("updates_of_nothing", updates_of_nothing),
    ("masks_that_lie", masks_that_lie),
    ("starts_outside", starts_outside),
    ("lazy_starts_outside", lazy_starts_outside),
    ("take_int_outside", take_int_outside),
    ("bools_as_indices", bools_as_indices),
];

const ALL: [Update; 7] = [
    Update::Set,
    Update::Add,
    Update::Subtract,
    Update::Multiply,
    Update::Divide,
    Update::Maximum,
    Update::Minimum,
];

fn square() -> Tensor {
    Tensor::from_shape_slice([2, 3], &[1, 2, 3, 4, 5, 6]).unwrap()
}

/// Bad positions of an axis of 3, in each dtype that holds them.
fn outside() -> Vec<Tensor> {
    let mut tensors = Vec::new();
    for dtype in [Dtype::Int8, Dtype::Int16, Dtype::Int32, Dtype::Int64] {
        tensors.extend([3, -4, 127, -128].map(|value| Tensor::scalar(value, dtype).unwrap()));
    }
    for dtype in [Dtype::Uint8, Dtype::Uint16, Dtype::Uint32, Dtype::Uint64] {
        tensors.extend([3, 255].map(|value| Tensor::scalar(value, dtype).unwrap()));
    }
    tensors.extend([i32::MIN, i32::MAX].map(|value| tensor![0, value]));
    tensors.extend([i64::MIN, i64::MAX, 1 << 40].map(|value| Tensor::from_slice(&[0, value]).unwrap()));
    tensors.push(Tensor::from_slice(&[0, u64::MAX]).unwrap());
    tensors.push(Tensor::from_slice(&[u32::MAX]).unwrap());
    tensors
}

/// The same values, not computed yet.
fn lazy(index: &Tensor) -> Tensor {
    index.maximum(index)
}

/// The same index for each row, its values there where the index's are.
fn along(index: &Tensor, is_lazy: bool) -> Tensor {
    let rows = index.reshape([1, -1]).broadcast_to([2, index.size() as i32]);
    if !is_lazy {
        rows.eval().unwrap();
    }
    rows
}

fn reads(x: &Tensor, index: &Tensor, is_lazy: bool) -> Vec<Result<Tensor>> {
    let (row, along) = (x.index(0), along(index, is_lazy));
    let rows = tensor![0, 1].expand_dims(1).astype(index.dtype());
    vec![
        ops::index(&row, index),
        ops::index(x, (.., index)),
        ops::index(x, (0, index)),
        ops::index(x, (rows, index)),
        ops::take(x, index, 1),
        ops::take(&row, index, ..),
        ops::take_along_axis(x, &along, 1),
    ]
}

fn writes(x: &Tensor, index: &Tensor, is_lazy: bool) -> Vec<Result<Tensor>> {
    let (row, along) = (x.index(0), along(index, is_lazy));
    let mut results = vec![ops::put_along_axis(x, &along, &tensor![9], 1)];
    for update in ALL {
        results.push(ops::index_update(&row, index, update, 1));
        results.push(ops::index_update(x, (.., index), update, 1));
        results.push(ops::index_update(x, (index, ..), update, 1));
        results.push(ops::index_update(x, (1, NewAxis, index), update, 1));
    }
    results
}

fn index_tensors_outside() {
    let x = square();
    for index in outside() {
        for result in reads(&x, &index, false) {
            refused(result, ErrorKind::Index);
        }
    }
    panics("index 3 is out of bounds for axis 1 with size 3", || x.index((.., tensor![0, 3])));
    panics("index -4 is out of bounds for axis 0 with size 3", || x.index(0).index(tensor![-4]));
    check(ops::index(&x, (.., tensor![-3, 2])), &[1, 3, 4, 6]);
    programs::end();
}

/// What cannot be seen is limited: below the axis the first position, beyond it the last.
fn lazy_index_tensors_outside() {
    let x = square();
    for index in outside() {
        for result in reads(&x, &lazy(&index), true) {
            result.unwrap().eval().unwrap();
        }
    }
    let index = tensor![-100, -4, -3, -1, 0, 2, 3, 100];
    let limited = [1, 1, 1, 3, 1, 3, 3, 3];
    check(ops::index(&x.index(0), lazy(&index)), &limited);
    check(ops::index(&x, (0, lazy(&index))), &limited);
    check(ops::take(&x.index(0), lazy(&index), ..), &limited);
    let unsigned = Tensor::from_slice(&[0_u64, 2, 3, 1 << 40, u64::MAX]).unwrap();
    check(ops::take(&x, lazy(&unsigned), 1), &[1, 3, 3, 3, 3, 4, 6, 6, 6, 6]);
    programs::end();
}

/// Limits that an index's dtype cannot hold.
fn narrow_indices_of_long_axes() {
    let x = ops::arange(0, 300, 1).unwrap();
    let signed = Tensor::from_slice(&[-128_i8, 127, -1]).unwrap();
    let unsigned = Tensor::from_slice(&[0_u8, 255]).unwrap();
    for index in [signed.clone(), lazy(&signed)] {
        check(ops::index(&x, index), &[172, 127, 299]);
    }
    for index in [unsigned.clone(), lazy(&unsigned)] {
        check(ops::index(&x, index), &[0, 255]);
    }
    check(ops::index(&x.index(..200), lazy(&unsigned)), &[0, 199]);
    check(ops::index(&x.index(..100), lazy(&signed)), &[0, 99, 99]);
    programs::end();
}

/// Values that are there, but not in row-major order.
fn index_tensors_in_any_order() {
    let x = square();
    let index = Tensor::from_shape_slice([2, 2], &[0, 7, 1, -9]).unwrap();
    let views = [index.t(), index.index((.., 1)), index.index(Slice::step(.., -1)), index.index((1, 1))];
    for view in views {
        view.eval().unwrap();
        refused(ops::index(&x, (0, &view)), ErrorKind::Index);
        refused(ops::take(&x, &view, 1), ErrorKind::Index);
    }
    let column = index.index((.., 0));
    column.eval().unwrap();
    check(ops::index(&x, (1, &column)), &[4, 5]);
    // What a broadcast repeats is looked at once.
    for size in [1000, i32::MAX] {
        let same = tensor![7].broadcast_to([size, 1]);
        same.eval().unwrap();
        refused(ops::take(&x, &same, 1), ErrorKind::Index);
    }
    programs::end();
}

fn indices_into_nothing() {
    let nothing = square().index((.., 3..));
    let none = tensor![0].index(1..);
    for index in [tensor![0], lazy(&tensor![0]), tensor![-1]] {
        assert!(ops::index(&nothing, (.., &index)).is_err() && ops::take(&nothing, &index, 1).is_err());
        assert!(ops::take(&nothing, &index, ..).is_err());
        assert!(ops::take_along_axis(&nothing, &index.reshape([1, 1]), 1).is_err());
        assert!(ops::set_index(&nothing, (.., &index), 1).is_err());
        check(ops::put_along_axis(&nothing, &index.reshape([1, 1]), &tensor![1], 1), &[]);
        check(ops::index(&nothing, &index), &[]);
        check(ops::index(&nothing, (&index, NewAxis)), &[]);
        check(ops::take(&nothing, &index, 0), &[]);
        check(ops::set_index(&nothing, &index, 1), &[]);
        check(ops::index_update(&nothing, &index, Update::Maximum, 1), &[]);
    }
    check(ops::index(&nothing, (.., &none)), &[]);
    check(ops::index(&square(), (&none, 0)), &[]);
    check(ops::set_index(&square(), &none, 7), &[1, 2, 3, 4, 5, 6]);
    check(ops::set_index(&square(), (.., &none), 7), &[1, 2, 3, 4, 5, 6]);
    programs::end();
}

/// They end where their axis does; behind tensors, in an assignment, MLX refuses most of those that do not.
fn slices_beside_index_tensors() {
    let (x, i) = (square(), tensor![0, 2]);
    check(ops::index(&x, (0..100, &i)), &[1, 3, 4, 6]);
    check(ops::index(&x, (-100..1, &i)), &[1, 3]);
    check(ops::index(&x, (Slice::step(100.., -1), &i)), &[4, 6, 1, 3]);
    check(ops::index(&x, (Slice { start: Some(1), stop: Some(-100), step: Some(-1) }, &i)), &[4, 6, 1, 3]);
    check(ops::index(&x, (i32::MIN..i32::MAX, &i)), &[1, 3, 4, 6]);
    check(ops::index(&x, (5..9, &i)), &[]);
    check(ops::set_index(&x, (0..100, &i), 0), &[0, 2, 0, 0, 5, 0]);
    check(ops::set_index(&x, (Slice::step(i32::MAX.., i32::MIN), &i), 0), &[1, 2, 3, 0, 5, 0]);
    check(ops::set_index(&x, (5..9, &i), 0), &[1, 2, 3, 4, 5, 6]);
    let rows = tensor![1];
    for range in [0..4, 1..4, 2..5, -100..2, i32::MIN..i32::MAX] {
        assert!(ops::set_index(&x, (&rows, range.clone()), 0).is_err(), "{range:?}");
        assert!(ops::index_update(&x, (&rows, range.clone()), Update::Add, 0).is_err(), "{range:?}");
    }
    check(ops::set_index(&x, (&rows, -3..3), 0), &[1, 2, 3, 0, 0, 0]);
    check(ops::set_index(&x, (&rows, 2..2), 0), &[1, 2, 3, 4, 5, 6]);
    check(ops::set_index(&x, (&rows, 9..9), 0), &[1, 2, 3, 4, 5, 6]);
    assert!(ops::set_index(&x, (&rows, Slice { start: Some(2), stop: Some(1), step: None }), 0).is_err());
    refused(ops::set_index(&x, (&rows, Slice::step(.., 0)), 0), ErrorKind::Value);
    refused(ops::index(&x, (Slice::step(.., 0), &i)), ErrorKind::Value);
    // MLX lays this slice behind the dimensions that it has.
    let both = Tensor::from_shape_slice([2, 2], &[0, 1, 1, 0]).unwrap();
    let cube = x.expand_dims(0);
    assert!(ops::set_index(&cube, (both.minimum(0), NewAxis, &both, 1..3), 0).is_err());
    programs::end();
}

fn updates_outside() {
    let x = square();
    for index in outside() {
        for result in writes(&x, &index, false) {
            refused(result, ErrorKind::Index);
        }
    }
    for update in ALL {
        for position in [3, -4, i64::MAX, i64::MIN] {
            refused(ops::index_update(&x.index(0), position, update, 1), ErrorKind::Index);
            refused(ops::index_update(&x, (.., position), update, 1), ErrorKind::Index);
            refused(ops::index_update(&x, (tensor![0], position), update, 1), ErrorKind::Index);
        }
        refused(ops::index_update(&x, Slice::step(.., 0), update, 1), ErrorKind::Value);
        refused(ops::index_update(&x, (Slice::step(.., 0), 1), update, 1), ErrorKind::Value);
    }
    panics("index 3 is out of bounds for axis 1 with size 3", || x.at((.., tensor![3])).add(1));
    panics("index 2 is out of bounds for axis 0 with size 2", || {
        let mut x = square();
        x.set_index(2, 1);
        x
    });
    programs::end();
}

fn lazy_updates_outside() {
    let x = square();
    for index in outside() {
        for result in writes(&x, &lazy(&index), true) {
            result.unwrap().eval().unwrap();
        }
    }
    check(ops::set_index(&x, lazy(&tensor![9]), 0), &[1, 2, 3, 0, 0, 0]);
    check(ops::index_update(&x, (.., lazy(&tensor![-9, 9])), Update::Add, 10), &[11, 2, 13, 14, 5, 16]);
    programs::end();
}

/// MLX divides by the size of an update.
fn updates_of_nothing() {
    let (x, i) = (square(), tensor![0, 1]);
    for update in ALL {
        check(ops::index_update(&x, (&i, 1..1), update, 7), &[1, 2, 3, 4, 5, 6]);
        check(ops::index_update(&x.index((.., 3..)), &i, update, 7), &[]);
        check(ops::index_update(&x, 1..1, update, 7), &[1, 2, 3, 4, 5, 6]);
        check(ops::index_update(&x, (.., 5..9), update, 7), &[1, 2, 3, 4, 5, 6]);
    }
    programs::end();
}

fn masks_that_lie() {
    let (x, none) = (square(), tensor![0].index(1..));
    let mask = x.gt(3);
    mask.eval().unwrap();
    for values in [&none, &none.reshape([0, 1])] {
        assert!(ops::set_index(&x, &mask, values).is_err() && ops::set_index(&x, x.gt(9), values).is_err());
    }
    assert!(ops::set_index(&x, tensor![true, false], none.reshape([0, 1]).broadcast_to([0, 3])).is_err());
    let few = ops::set_index(&x, &mask, tensor![7, 8]).unwrap();
    assert!(few.eval().is_err() && few.to_vec::<i32>().is_err());
    check(ops::set_index(&x, &mask, tensor![7, 8, 9, 10]), &[1, 2, 3, 7, 8, 9]);
    check(ops::set_index(&x, &mask, 0), &[1, 2, 3, 0, 0, 0]);
    check(ops::set_index(&x, true, 0), &[0; 6]);
    check(ops::set_index(&x, false, 0), &[1, 2, 3, 4, 5, 6]);
    for wrong in [tensor![true], tensor![true, true, false], mask.expand_dims(-1), mask.t()] {
        assert!(ops::set_index(&x, &wrong, 0).is_err(), "{:?}", wrong.shape());
    }
    let nothing = x.index((.., 3..));
    check(ops::set_index(&nothing, nothing.gt(0), 1), &[]);
    check(ops::set_index(&nothing, nothing.gt(0), &none), &[]);
    check(ops::set_index(&x.index(2..), tensor![true].index(1..), 1), &[]);
    let scalar = tensor![5].reshape(());
    check(ops::set_index(&scalar, scalar.gt(0), 1), &[1]);
    assert!(ops::set_index(&scalar, tensor![true], 1).is_err());
    programs::end();
}

fn starts_outside() {
    let (x, update) = (square(), tensor![7, 8].reshape([1, 2]));
    for start in [tensor![2], tensor![-1], tensor![i32::MAX], tensor![i32::MIN]] {
        refused(ops::slice(&x, &start, 1, [2, 2]), ErrorKind::Index);
        refused(ops::slice_update(&x, &update, &start, 1), ErrorKind::Index);
    }
    for start in [Tensor::from_slice(&[u64::MAX]).unwrap(), Tensor::from_slice(&[i64::MIN]).unwrap()] {
        refused(ops::slice(&x, &start, 1, [2, 2]), ErrorKind::Index);
        refused(ops::slice_update(&x, &update, &start, 1), ErrorKind::Index);
    }
    panics("start 2 is out of bounds: the slice fits from 0 to 1", || x.slice(&tensor![0, 2], .., [1, 2]));
    refused(ops::slice(&x, &tensor![0], 0, [-1, 3]), ErrorKind::Shape);
    for sizes in [[3, 3], [2, 4], [i32::MAX, i32::MAX]] {
        assert!(ops::slice(&x, &tensor![0], 0, sizes).is_err(), "{sizes:?}");
    }
    assert!(ops::slice(&x, &tensor![0, 0], [1, 1], [1, 1]).is_err());
    assert!(
        ops::slice(&x, &tensor![0], [5], [1, 1]).is_err() && ops::slice(&x, &tensor![0], 0, [1]).is_err()
    );
    assert!(ops::slice_update(&x, &tensor![1].reshape([1, 1, 1]), &tensor![0], 0).is_err());
    assert!(ops::slice_update(&x, &x.reshape([3, 2]), &tensor![0], 0).is_err());
    // Of a leading axis that an update lacks it takes one place, or all of them where the axis has no start.
    check(ops::slice_update(&x, &tensor![0], &tensor![1, 2], ..), &[1, 2, 3, 4, 5, 0]);
    check(ops::slice_update(&x, &tensor![0], &tensor![2], 1), &[1, 2, 0, 4, 5, 0]);
    refused(ops::slice_update(&x, &tensor![0], &tensor![2], 0), ErrorKind::Index);
    refused(ops::slice_update(&x, &tensor![0], &tensor![3], 1), ErrorKind::Index);
    let nothing = x.index(2..);
    for update in [tensor![0].reshape(()), tensor![0], nothing.clone()] {
        for start in [0, 1] {
            let written = ops::slice_update(&nothing, &update, &tensor![start], 0);
            assert!(written.is_err() || written.is_ok_and(|x| x.to_vec::<i32>().is_ok_and(|x| x.is_empty())));
        }
    }
    check(ops::slice(&x, &tensor![2], 0, [0, 3]), &[]);
    programs::end();
}

/// What cannot be seen goes to where the slice fits.
fn lazy_starts_outside() {
    let (x, update) = (square(), tensor![7, 8].reshape([1, 2]));
    for (start, from) in [(2, 1), (-1, 0), (i32::MAX, 1), (i32::MIN, 0)] {
        let start = lazy(&tensor![start]);
        let wanted = [1 + from, 2 + from, 4 + from, 5 + from];
        check(ops::slice(&x, &start, 1, [2, 2]), &wanted);
        let written = if from == 0 { [7, 8, 3, 4, 5, 6] } else { [1, 7, 8, 4, 5, 6] };
        check(ops::slice_update(&x, &update, &start, 1), &written);
    }
    check(ops::slice(&x, &lazy(&tensor![-9, 9]), .., [1, 2]), &[2, 3]);
    check(ops::slice(&x, &lazy(&tensor![9, -9]), [1, 0], [1, 2]), &[2, 3]);
    let unsigned = Tensor::from_slice(&[u64::MAX, u64::MAX]).unwrap();
    check(ops::slice(&x, &lazy(&unsigned), .., [1, 1]), &[6]);
    programs::end();
}

fn take_int_outside() {
    let x = square();
    for position in [3, -4, -1, i64::MAX, i64::MIN, i32::MAX.into(), i32::MIN.into()] {
        refused(ops::take(&x, position, 1), ErrorKind::Index);
        assert!(ops::take(&x, position, ..).is_ok() == (3..6).contains(&position) || position == -4);
    }
    assert!(ops::take(&x, 0, 2).is_err() && ops::take(&x, 0, [0, 1]).is_err());
    assert!(ops::take(&x, 0.5, 0).is_err() && ops::take(&x, u64::MAX, 0).is_err());
    assert!(ops::take(&x.index((.., 3..)), 0, 0).is_err());
    check(ops::take(&x, -3, 1), &[1, 4]);
    programs::end();
}

fn bools_as_indices() {
    let (x, mask) = (square(), tensor![true, false]);
    for result in [ops::index(&x, true), ops::index(&x, (true, 0)), ops::index(&x, &mask)] {
        assert!(result.is_err());
    }
    assert!(ops::index(&x, (&mask, 0)).is_err() && ops::take(&x, &mask, 0).is_err());
    for update in ALL {
        assert!(ops::index_update(&x, (&mask, 0), update, 1).is_err());
        assert!(ops::index_update(&x, (0, true), update, 1).is_err());
        let alone = [ops::index_update(&x, &mask, update, 1), ops::index_update(&x, true, update, 1)];
        assert!(alone.iter().all(|result| result.is_ok() == (update == Update::Set)));
    }
    let along = tensor![true, false].reshape([2, 1]);
    for result in [ops::take_along_axis(&x, &along, 1), ops::put_along_axis(&x, &along, &tensor![1], 1)] {
        assert!(result.and_then(|result| result.eval()).is_err());
    }
    programs::end();
}
