//! `#[module(..)]` on types and fields, and where mlx-nn lies.

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::collections::HashSet;
use syn::{
    Attribute, Error, Field, LitStr, Path, Result, ext::IdentExt, meta::ParseNestedMeta, spanned::Spanned,
};

/// Of the type.
#[derive(Default)]
pub(crate) struct Container {
    pub(crate) root: Option<Path>,
    pub(crate) name: Option<LitStr>,
    pub(crate) extra_repr: Option<Path>,
}

impl Container {
    pub(crate) fn read(attributes: &[Attribute]) -> Result<Container> {
        let mut read = Container::default();
        each(attributes, |meta| {
            if meta.path.is_ident("crate") {
                once(&meta, &mut read.root, |meta| meta.value()?.call(Path::parse_mod_style))
            } else if meta.path.is_ident("rename") {
                once(&meta, &mut read.name, |meta| meta.value()?.parse())
            } else if meta.path.is_ident("extra_repr") {
                once(&meta, &mut read.extra_repr, |meta| meta.value()?.parse())
            } else {
                Err(meta.error("a module has `crate = path`, `rename = \"Name\"` and `extra_repr = path`"))
            }
        })?;
        Ok(read)
    }

    /// The path to mlx-nn's items.
    pub(crate) fn root(&self) -> Result<TokenStream> {
        if let Some(root) = &self.root {
            return Ok(quote!(#root));
        }
        // Within the packages themselves the derive is used from outside their libraries, or they name themselves.
        let named = |name: &str, own: &str| match crate_name(name) {
            Ok(FoundCrate::Itself) => Some(Ident::new(own, Span::call_site())),
            Ok(FoundCrate::Name(name)) => Some(Ident::new(&name, Span::call_site())),
            Err(_) => None,
        };
        match (named("mlx", "mlx"), named("mlx-nn", "mlx_nn")) {
            (Some(mlx), _) => Ok(quote!(::#mlx::nn)),
            (None, Some(nn)) => Ok(quote!(::#nn)),
            (None, None) => Err(Error::new(
                Span::call_site(),
                "neither `mlx` nor `mlx-nn` is a dependency: `#[module(crate = path)]` says where mlx-nn's items are",
            )),
        }
    }
}

/// A field as a member: how the code names it, and its key.
pub(crate) struct Named<'a> {
    pub(crate) field: &'a Field,
    pub(crate) index: usize,
    pub(crate) key: String,
    pub(crate) is_frozen: bool,
}

/// The fields that are not left out.
pub(crate) fn members<'a>(fields: impl Iterator<Item = &'a Field>) -> Result<Vec<Named<'a>>> {
    let (mut members, mut keys) = (Vec::new(), HashSet::new());
    for (index, field) in fields.enumerate() {
        let Some(member) = member(index, field)? else { continue };
        if !keys.insert(member.key.clone()) {
            return Err(Error::new(field.span(), format!("two members are named `{}`", member.key)));
        }
        members.push(member);
    }
    Ok(members)
}

fn member(index: usize, field: &Field) -> Result<Option<Named<'_>>> {
    let (mut name, mut skip, mut frozen) = (None::<LitStr>, None, None);
    each(&field.attrs, |meta| {
        if meta.path.is_ident("rename") {
            once(&meta, &mut name, |meta| meta.value()?.parse())
        } else if meta.path.is_ident("skip") {
            once(&meta, &mut skip, |_| Ok(()))
        } else if meta.path.is_ident("frozen") {
            once(&meta, &mut frozen, |_| Ok(()))
        } else {
            Err(meta.error("a field has `rename = \"name\"`, `frozen` and `skip`"))
        }
    })?;
    if skip.is_some() {
        let other = name.is_some() || frozen.is_some();
        let message = "a field that is skipped has no name and cannot be frozen";
        return if other { Err(Error::new(field.span(), message)) } else { Ok(None) };
    }
    if let Some(name) = &name
        && (name.value().is_empty() || name.value().contains('.'))
    {
        return Err(Error::new(
            name.span(),
            "a name has letters, and no dots: those join the names of modules",
        ));
    }
    let key = match (name, &field.ident) {
        (Some(name), _) => name.value(),
        (None, Some(ident)) => ident.unraw().to_string(),
        (None, None) => index.to_string(),
    };
    // As in Python.
    if key.starts_with('_') {
        return Ok(None);
    }
    Ok(Some(Named { field, index, key, is_frozen: frozen.is_some() }))
}

/// No attribute of a field or a variant where none has a meaning.
pub(crate) fn none(attributes: &[Attribute], why: &str) -> Result<()> {
    each(attributes, |meta| Err(meta.error(why)))
}

fn each(attributes: &[Attribute], mut read: impl FnMut(ParseNestedMeta<'_>) -> Result<()>) -> Result<()> {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("module"))
        .try_for_each(|attribute| attribute.parse_nested_meta(&mut read))
}

fn once<T>(
    meta: &ParseNestedMeta<'_>,
    place: &mut Option<T>,
    read: impl FnOnce(&ParseNestedMeta<'_>) -> Result<T>,
) -> Result<()> {
    if place.is_some() {
        return Err(meta.error("said twice"));
    }
    *place = Some(read(meta)?);
    Ok(())
}
