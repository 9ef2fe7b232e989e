//! `#[derive(Module)]` with the crate under another path, on generic types, beside names of the user's, on what
//! macros write.
//!
//! Not here: what it refuses (`ui`), modules at work (the facade's tests).

mod own {
    pub(crate) mod layers {
        pub(crate) use mlx_nn::*;
    }
}

#[allow(dead_code)]
struct String;
#[allow(dead_code)]
struct Option;

#[derive(own::layers::Module)]
#[module(crate = own::layers, rename = "Other")]
struct Model<M, const N: usize>
where
    M: Clone,
{
    r#type: [M; N],
    inner: std::marker::PhantomData<M>,
}

#[test]
fn names_of_the_user_are_not_in_the_way() {
    use own::layers::{Identity, Module, ModuleExt};
    let model = Model { r#type: [Identity::new(), Identity::new()], inner: std::marker::PhantomData };
    let keys: Vec<_> = model.children().into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["type.0", "type.1"]);
    assert_eq!(model.type_name(), "Other");
}

macro_rules! of_types {
    ($name:ident: $part:ty, $rate:ident, $shown:path) => {
        #[derive(own::layers::Module)]
        #[module(crate = own::layers, extra_repr = $shown)]
        struct $name {
            part: $part,
            rate: $rate,
        }
    };
}

of_types!(Written: own::layers::Identity, f32, shown);

fn shown(written: &Written) -> std::string::String {
    written.rate.to_string()
}

#[test]
fn macros_bring_types_from_where_they_are_called() {
    use own::layers::{Identity, Module, ModuleExt};
    let written = Written { part: Identity::new(), rate: 0.5 };
    assert_eq!((written.children().len(), written.extra_repr()), (1, "0.5".to_owned()));
}
