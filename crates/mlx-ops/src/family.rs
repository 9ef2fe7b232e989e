//! The macros behind the op tables: one line (doc, name, Python's spellings, symbol) makes the free function, the
//! chaining method and a registry entry for each spelling.

use crate::Scan;
use mlx_core::{Axes, OperandRef, Result, Tensor};

/// An op of a table, callable by a name that Python has for it.
#[doc(hidden)]
pub struct Entry {
    pub name: &'static str,
    pub function: Function,
}

/// The call shapes of tables.
#[doc(hidden)]
pub enum Function {
    Unary(fn(&Tensor) -> Result<Tensor>),
    Binary(fn(OperandRef<'_>, OperandRef<'_>) -> Result<Tensor>),
    Reduce(fn(&Tensor, &Axes) -> Result<Tensor>),
    /// As the function, and as the method, which Python computes by other nodes.
    Scan(fn(&Tensor, Scan) -> Result<Tensor>, fn(&Tensor, Scan) -> Result<Tensor>),
}

/// The name in `mx.NAME`.
pub(crate) const fn python_name(spelling: &'static str) -> &'static str {
    let (module, name) = spelling.split_at(3);
    assert!(matches!(module.as_bytes(), b"mx."), "the tables hold functions of mlx.core");
    name
}

/// Ops of one tensor.
macro_rules! unary_family {
    ($(#[$trait_doc:meta])* $trait:ident, $registry:ident; $($(#[$doc:meta])* $name:ident $($alias:literal)+ = $symbol:ident;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// A dtype that MLX refuses.
        $(#[doc(alias = $alias)])+
        #[track_caller]
        pub fn $name(x: &mlx_core::Tensor) -> mlx_core::Result<mlx_core::Tensor> {
            mlx_core::ffi::$symbol.call(x)
        })*

        $(#[$trait_doc])*
        ///
        /// Each method panics at the caller's line where the free function of its name returns an error.
        pub trait $trait {
            $(#[doc = concat!("See [`", stringify!($name), "`](fn@", stringify!($name), ").")]
            #[must_use]
            fn $name(&self) -> mlx_core::Tensor;)*
        }

        impl $trait for mlx_core::Tensor {
            $(#[track_caller]
            fn $name(&self) -> mlx_core::Tensor {
                mlx_core::or_panic($name(self))
            })*
        }

        pub(crate) const $registry: &[crate::Entry] = &[$($(crate::Entry {
            name: crate::family::python_name($alias),
            function: crate::Function::Unary($name),
        },)+)*];
    };
}

/// Ops of two tensors or scalars, in the order they are written.
macro_rules! binary_family {
    ($(#[$trait_doc:meta])* $trait:ident, $registry:ident; $($(#[$doc:meta])* $name:ident $($alias:literal)+ = $symbol:ident;)*) => {
        $($(#[$doc])*
        ///
        /// Operands broadcast; scalars are weak.
        ///
        /// # Errors
        /// Shapes that do not broadcast, a dtype that MLX refuses, a scalar that the dtype cannot hold.
        $(#[doc(alias = $alias)])+
        #[track_caller]
        pub fn $name(a: impl mlx_core::Operand, b: impl mlx_core::Operand) -> mlx_core::Result<mlx_core::Tensor> {
            mlx_core::ffi::$symbol.call(a.operand(), b.operand())
        })*

        $(#[$trait_doc])*
        ///
        /// Each method panics at the caller's line where the free function of its name returns an error.
        pub trait $trait {
            $(#[doc = concat!("See [`", stringify!($name), "`](fn@", stringify!($name), ").")]
            #[must_use]
            fn $name(&self, other: impl mlx_core::Operand) -> mlx_core::Tensor;)*
        }

        impl $trait for mlx_core::Tensor {
            $(#[track_caller]
            fn $name(&self, other: impl mlx_core::Operand) -> mlx_core::Tensor {
                mlx_core::or_panic($name(self, other))
            })*
        }

        pub(crate) const $registry: &[crate::Entry] = &[$($(crate::Entry {
            name: crate::family::python_name($alias),
            function: crate::Function::Binary(|a, b| $name(a, b)),
        },)+)*];
    };
}

/// Ops that reduce over axes.
macro_rules! reduce_family {
    ($(#[$trait_doc:meta])* $trait:ident, $registry:ident; $($(#[$doc:meta])* $name:ident $($alias:literal)+ = $symbol:ident;)*) => {
        $($(#[$doc])*
        ///
        /// `axes` is an axis, a list, `..` for all, or [`Axes`](mlx_core::Axes) to keep reduced axes with size 1.
        ///
        /// # Errors
        /// An axis out of range or named twice; a dtype or an empty axis that MLX refuses.
        $(#[doc(alias = $alias)])+
        #[track_caller]
        pub fn $name(x: &mlx_core::Tensor, axes: impl mlx_core::IntoAxes) -> mlx_core::Result<mlx_core::Tensor> {
            mlx_core::ffi::$symbol.call(x, &axes.into_axes())
        })*

        $(#[$trait_doc])*
        ///
        /// Each method panics at the caller's line where the free function of its name returns an error.
        pub trait $trait {
            $(#[doc = concat!("See [`", stringify!($name), "`](fn@", stringify!($name), ").")]
            #[must_use]
            fn $name(&self, axes: impl mlx_core::IntoAxes) -> mlx_core::Tensor;)*
        }

        impl $trait for mlx_core::Tensor {
            $(#[track_caller]
            fn $name(&self, axes: impl mlx_core::IntoAxes) -> mlx_core::Tensor {
                mlx_core::or_panic($name(self, axes))
            })*
        }

        pub(crate) const $registry: &[crate::Entry] = &[$($(crate::Entry {
            name: crate::family::python_name($alias),
            function: crate::Function::Reduce(|x, axes| $name(x, axes)),
        },)+)*];
    };
}

/// Ops that run along an axis, or along all elements in a row.
macro_rules! scan_family {
    ($(#[$trait_doc:meta])* $trait:ident, $registry:ident; $($(#[$doc:meta])* $name:ident $($alias:literal)+ = |$x:ident, $along:ident| $call:expr;)*) => {
        $($(#[$doc])*
        ///
        /// `scan` is an axis, `..` for all elements in a row, or a [`Scan`](crate::Scan) that says more.
        ///
        /// # Errors
        /// An axis out of range; a dtype that MLX refuses.
        $(#[doc(alias = $alias)])+
        #[track_caller]
        pub fn $name($x: &mlx_core::Tensor, scan: impl Into<crate::Scan>) -> mlx_core::Result<mlx_core::Tensor> {
            let $along = scan.into().along();
            $call
        })*

        $(#[$trait_doc])*
        ///
        /// Each method panics at the caller's line where the free function of its name returns an error.
        pub trait $trait {
            $(#[doc = concat!("See [`", stringify!($name), "`](fn@", stringify!($name), ").")]
            #[must_use]
            fn $name(&self, scan: impl Into<crate::Scan>) -> mlx_core::Tensor;)*
        }

        impl $trait for mlx_core::Tensor {
            $(#[track_caller]
            fn $name(&self, scan: impl Into<crate::Scan>) -> mlx_core::Tensor {
                let ($x, $along) = (self, scan.into().as_method());
                mlx_core::or_panic($call)
            })*
        }

        pub(crate) const $registry: &[crate::Entry] = &[$($(crate::Entry {
            name: crate::family::python_name($alias),
            function: crate::Function::Scan(|x, scan| $name(x, scan), |$x, scan| {
                let $along = scan.as_method();
                $call
            }),
        },)+)*];
    };
}

pub(crate) use {binary_family, reduce_family, scan_family, unary_family};
