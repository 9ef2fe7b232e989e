//! The code of an implementation.

use crate::attributes::{Container, Named, members, none};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{
    Data, DeriveInput, Error, Fields, Generics, Index, Member, Result, Variant, ext::IdentExt, parse_quote,
    spanned::Spanned, visit::Visit,
};

/// The bodies of the trait's functions.
struct Bodies {
    type_name: TokenStream,
    members: TokenStream,
    members_mut: TokenStream,
    state: TokenStream,
    state_mut: TokenStream,
    set_training: TokenStream,
    slot: TokenStream,
    extra_repr: TokenStream,
    as_dyn: TokenStream,
    as_dyn_mut: TokenStream,
    /// What the types of fields must be, for generic ones.
    bounds: Vec<syn::WherePredicate>,
}

/// Where errors of code about `part` are shown. Its names are those of the code around it: a macro may have got the part
/// from elsewhere.
fn at(part: &impl Spanned) -> Span {
    Span::call_site().located_at(part.span())
}

pub(crate) fn module(input: &DeriveInput) -> Result<TokenStream> {
    if let Some(lifetime) = input.generics.lifetimes().next() {
        return Err(Error::new(lifetime.span(), "a module owns what it holds"));
    }
    let container = Container::read(&input.attrs)?;
    let root = container.root()?;
    let bodies = match &input.data {
        Data::Struct(data) => of_struct(&root, &container, input, &data.fields)?,
        Data::Enum(data) => {
            if let Some(name) = &container.name {
                return Err(Error::new(name.span(), "an enum is called as the module in it"));
            }
            if let Some(path) = &container.extra_repr {
                return Err(Error::new(path.span(), "an enum is shown as the module in it"));
            }
            of_enum(&root, input, data.variants.iter().collect())?
        }
        Data::Union(data) => return Err(Error::new(data.union_token.span(), "a union is no module")),
    };
    let mut generics = input.generics.clone();
    if !bodies.bounds.is_empty() {
        generics.make_where_clause().predicates.extend(bodies.bounds.iter().cloned());
    }
    let (generics, _, conditions) = generics.split_for_impl();
    let (_, arguments, _) = input.generics.split_for_impl();
    let (ident, functions) = (&input.ident, functions(&root, &bodies));
    Ok(quote! {
        #[automatically_derived]
        impl #generics #root::Module for #ident #arguments #conditions {
            #functions
        }
    })
}

fn functions(root: &TokenStream, bodies: &Bodies) -> TokenStream {
    let Bodies { type_name, members, members_mut, state, state_mut, extra_repr, as_dyn, as_dyn_mut, .. } =
        bodies;
    let Bodies { set_training, slot, .. } = bodies;
    quote! {

        fn type_name(&self) -> &'static ::core::primitive::str {
            #type_name
        }

        fn members<'module>(
            &'module self,
            visit: &mut dyn ::core::ops::FnMut(&::core::primitive::str, #root::Member<'module>),
        ) {
            #members
        }

        fn members_mut<'module>(
            &'module mut self,
            visit: &mut dyn ::core::ops::FnMut(&::core::primitive::str, #root::MemberMut<'module>),
        ) {
            #members_mut
        }

        fn state(&self) -> ::core::option::Option<&#root::State> {
            #state
        }

        fn state_mut(&mut self) -> ::core::option::Option<&mut #root::State> {
            #state_mut
        }

        fn set_training(&mut self, training: ::core::primitive::bool) {
            #set_training
        }

        fn slot(&mut self) -> ::core::option::Option<&mut dyn #root::Slot> {
            #slot
        }

        fn extra_repr(&self) -> ::std::string::String {
            #extra_repr
        }

        fn as_dyn(&self) -> &dyn #root::Module {
            #as_dyn
        }

        fn as_dyn_mut(&mut self) -> &mut dyn #root::Module {
            #as_dyn_mut
        }
    }
}

fn of_struct(
    root: &TokenStream,
    container: &Container,
    input: &DeriveInput,
    fields: &Fields,
) -> Result<Bodies> {
    let name = container.name.as_ref().map_or_else(|| input.ident.unraw().to_string(), syn::LitStr::value);
    let members = members(fields.iter())?;
    let place = |member: &Named<'_>| match &member.field.ident {
        Some(ident) => Member::Named(ident.clone()),
        None => Member::Unnamed(Index::from(member.index)),
    };
    let places = |borrow: TokenStream| -> Vec<Place<'_, '_>> {
        let borrowed = |member| {
            let place = place(member);
            (member, quote!(#borrow self.#place))
        };
        members.iter().map(borrowed).collect()
    };
    let (shared, unique) = (places(quote!(&)), places(quote!(&mut)));
    let described = |path: &syn::Path| quote_spanned!(at(path)=> #path(self));
    let extra_repr =
        container.extra_repr.as_ref().map_or_else(|| quote!(::std::string::String::new()), described);
    Ok(Bodies {
        type_name: quote!(#name),
        members: visits(root, &shared),
        members_mut: visits_mut(root, &unique),
        state: states(root, &shared, "own_state"),
        state_mut: states(root, &unique, "own_state_mut"),
        set_training: own_training(root),
        slot: no_slot(),
        extra_repr,
        as_dyn: quote!(self),
        as_dyn_mut: quote!(self),
        bounds: bounds(root, &input.generics, &members),
    })
}

/// A member, and the reference to it.
type Place<'a, 'b> = (&'b Named<'a>, TokenStream);

fn visits(root: &TokenStream, places: &[Place<'_, '_>]) -> TokenStream {
    let each = places.iter().map(|(member, place)| {
        let (kind, key) = (&member.field.ty, &member.key);
        let visit = if member.is_frozen {
            quote!(&mut |key: &::core::primitive::str, member: #root::Member<'module>| visit(key, member.frozen()))
        } else {
            quote!(visit)
        };
        quote_spanned! {at(kind)=>
            <#kind as #root::ModuleField>::visit_members(#place, #key, #visit);
        }
    });
    quote!(#(#each)*)
}

fn visits_mut(root: &TokenStream, places: &[Place<'_, '_>]) -> TokenStream {
    let each = places.iter().map(|(member, place)| {
        let (kind, key) = (&member.field.ty, &member.key);
        quote_spanned! {at(kind)=>
            <#kind as #root::ModuleField>::visit_members_mut(#place, #key, visit);
        }
    });
    quote!(#(#each)*)
}

/// The first of what `function` finds in the members.
fn states(root: &TokenStream, places: &[Place<'_, '_>], function: &str) -> TokenStream {
    let each = places.iter().map(|(member, place)| {
        let kind = &member.field.ty;
        let function = Ident::new(function, at(kind));
        quote_spanned! {at(kind)=>
            if let ::core::option::Option::Some(state) = <#kind as #root::ModuleField>::#function(#place) {
                return ::core::option::Option::Some(state);
            }
        }
    });
    quote!(#(#each)* ::core::option::Option::None)
}

/// The mode is remembered where there is a state.
fn own_training(root: &TokenStream) -> TokenStream {
    quote! {
        if let ::core::option::Option::Some(state) = #root::Module::state_mut(self) {
            #root::State::set_training(state, training);
        }
    }
}

/// What has fields of its own is no place for another module.
fn no_slot() -> TokenStream {
    quote!(::core::option::Option::None)
}

/// A variant's arms, one for each function.
struct Arms {
    bodies: Bodies,
    pattern: TokenStream,
}

fn of_enum(root: &TokenStream, input: &DeriveInput, variants: Vec<&Variant>) -> Result<Bodies> {
    if variants.is_empty() {
        return Err(Error::new(input.ident.span(), "an enum without variants is no module"));
    }
    let arms: Vec<Arms> = variants.into_iter().map(|one| arms(root, input, one)).collect::<Result<_>>()?;
    let matched = |body: fn(&Bodies) -> &TokenStream| {
        let arms = arms.iter().map(|Arms { bodies, pattern }| {
            let body = body(bodies);
            quote!(#pattern => { #body })
        });
        // An arm does not need all that its pattern names.
        quote! {
            #[allow(unused_variables)]
            match self { #(#arms)* }
        }
    };
    Ok(Bodies {
        type_name: matched(|bodies| &bodies.type_name),
        members: matched(|bodies| &bodies.members),
        members_mut: matched(|bodies| &bodies.members_mut),
        state: matched(|bodies| &bodies.state),
        state_mut: matched(|bodies| &bodies.state_mut),
        set_training: matched(|bodies| &bodies.set_training),
        slot: matched(|bodies| &bodies.slot),
        extra_repr: matched(|bodies| &bodies.extra_repr),
        as_dyn: matched(|bodies| &bodies.as_dyn),
        as_dyn_mut: matched(|bodies| &bodies.as_dyn_mut),
        bounds: arms.iter().flat_map(|arms| arms.bodies.bounds.clone()).collect(),
    })
}

fn arms(root: &TokenStream, input: &DeriveInput, variant: &Variant) -> Result<Arms> {
    none(&variant.attrs, "a variant has no name of its own: it is called as the module in it")?;
    let (ident, name) = (&variant.ident, variant.ident.unraw().to_string());
    match &variant.fields {
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            let field = &fields.unnamed[0];
            none(&field.attrs, "the variant is the module in it, whose name and members stay")?;
            Ok(Arms { bodies: delegated(root, input, &field.ty), pattern: quote!(Self::#ident(inner)) })
        }
        Fields::Unnamed(fields) => {
            let message = "a variant holds one module, or fields with names, which are its members' names";
            Err(Error::new(fields.span(), message))
        }
        fields => {
            let members = members(fields.iter())?;
            let places: Vec<Place<'_, '_>> = members
                .iter()
                .map(|member| {
                    let binding = binding(member.index);
                    (member, quote!(#binding))
                })
                .collect();
            let pattern = fields.iter().enumerate().map(|(i, field)| {
                let (ident, binding) = (&field.ident, binding(i));
                quote!(#ident: #binding)
            });
            Ok(Arms {
                bodies: Bodies {
                    type_name: quote!(#name),
                    members: visits(root, &places),
                    members_mut: visits_mut(root, &places),
                    state: states(root, &places, "own_state"),
                    state_mut: states(root, &places, "own_state_mut"),
                    set_training: own_training(root),
                    slot: no_slot(),
                    extra_repr: quote!(::std::string::String::new()),
                    as_dyn: quote!(self),
                    as_dyn_mut: quote!(self),
                    bounds: bounds(root, &input.generics, &members),
                },
                pattern: quote!(Self::#ident { #(#pattern),* }),
            })
        }
    }
}

fn binding(index: usize) -> Ident {
    format_ident!("field_{index}")
}

/// A variant that is the module in it.
fn delegated(root: &TokenStream, input: &DeriveInput, kind: &syn::Type) -> Bodies {
    let call = |function: &str, arguments: TokenStream| {
        let function = Ident::new(function, at(kind));
        quote_spanned!(at(kind)=> <#kind as #root::Module>::#function(inner #arguments))
    };
    let mut bounds = Vec::new();
    if mentions_parameter(&input.generics, kind) {
        bounds.push(parse_quote!(#kind: #root::Module));
    }
    Bodies {
        type_name: call("type_name", quote!()),
        members: call("members", quote!(, visit)),
        members_mut: call("members_mut", quote!(, visit)),
        state: call("state", quote!()),
        state_mut: call("state_mut", quote!()),
        set_training: call("set_training", quote!(, training)),
        slot: call("slot", quote!()),
        extra_repr: call("extra_repr", quote!()),
        as_dyn: call("as_dyn", quote!()),
        as_dyn_mut: call("as_dyn_mut", quote!()),
        bounds,
    }
}

fn bounds(root: &TokenStream, generics: &Generics, members: &[Named<'_>]) -> Vec<syn::WherePredicate> {
    let kinds = members.iter().map(|member| &member.field.ty);
    let generic = kinds.filter(|kind| mentions_parameter(generics, kind));
    generic.map(|kind| parse_quote!(#kind: #root::ModuleField)).collect()
}

/// Whether a type depends on a type parameter.
fn mentions_parameter(generics: &Generics, kind: &syn::Type) -> bool {
    struct Search<'a> {
        generics: &'a Generics,
        found: bool,
    }
    impl<'ast> Visit<'ast> for Search<'_> {
        fn visit_ident(&mut self, ident: &'ast Ident) {
            self.found |= self.generics.type_params().any(|parameter| parameter.ident == *ident);
        }
    }
    let mut search = Search { generics, found: false };
    search.visit_type(kind);
    search.found
}
