//! `#[derive(Module)]` of mlx-nn.
//!
//! Here: the entry and the code that is written (`expand`). The attributes are read in `attributes`. What the code calls
//! (`Module`, `ModuleField`) stands in mlx-nn.

#![forbid(unsafe_code)]

mod attributes;
mod expand;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct or an enum of modules, tensors and settings a module. What it does and its attributes are described
/// with the trait `Module` of mlx-nn.
#[proc_macro_derive(Module, attributes(module))]
pub fn module(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::module(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
