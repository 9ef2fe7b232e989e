//! "An integer or a list of them": what repeat counts, shifts and split positions may be.

use mlx_core::Shape;

mod sealed {
    pub trait Sealed {}
    pub trait Choice {}
}

/// What Python takes as an int or a list of ints: `2`, `[1, 2]`, a slice or a vector.
pub trait IntoInts: sealed::Sealed {
    /// The integers.
    fn into_ints(self) -> Ints;
}

/// An integer alone, or a list of them: ops may tell the two apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ints {
    list: Shape,
    alone: bool,
}

impl Ints {
    /// The integers as a list, which one alone is too.
    #[must_use]
    pub fn list(&self) -> &[i32] {
        &self.list
    }

    /// The integer, where it stands alone.
    #[must_use]
    pub fn alone(&self) -> Option<i32> {
        self.alone.then(|| self.list[0])
    }
}

impl sealed::Sealed for Ints {}
impl IntoInts for Ints {
    fn into_ints(self) -> Ints {
        self
    }
}

impl sealed::Sealed for i32 {}
impl IntoInts for i32 {
    fn into_ints(self) -> Ints {
        Ints { list: Shape::from_slice(&[self]), alone: true }
    }
}

/// [`IntoInts`] for axes, or `..` where Python takes None.
pub trait IntoIntsOrAll: sealed::Choice {
    /// The integers, or nothing for `..`.
    fn into_ints_or_all(self) -> Option<Ints>;
}

impl<T: IntoInts> sealed::Choice for T {}
impl<T: IntoInts> IntoIntsOrAll for T {
    fn into_ints_or_all(self) -> Option<Ints> {
        Some(self.into_ints())
    }
}

impl sealed::Choice for std::ops::RangeFull {}
impl IntoIntsOrAll for std::ops::RangeFull {
    fn into_ints_or_all(self) -> Option<Ints> {
        None
    }
}

macro_rules! lists {
    ($([$($generics:tt)*] $type:ty;)*) => {
        $(impl<$($generics)*> sealed::Sealed for $type {}
        impl<$($generics)*> IntoInts for $type {
            fn into_ints(self) -> Ints {
                Ints { list: Shape::from_slice(&self[..]), alone: false }
            }
        })*
    };
}

lists! {
    [const N: usize] [i32; N];
    [const N: usize] &[i32; N];
    [] &[i32];
    [] Vec<i32>;
    [] &Vec<i32>;
}
