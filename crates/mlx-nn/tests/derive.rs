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

/// Keys of maps may hold dots, so that two places have one key.
#[test]
fn two_tensors_of_one_key_are_not_mixed_up() {
    use mlx_core::{Tensor, tensor};
    use own::layers::{ModuleExt, checkpoint, optimizers, value_and_grad};
    use std::{collections::BTreeMap, string::String};

    #[derive(Clone, own::layers::Module)]
    #[module(crate = own::layers)]
    struct Maps {
        a: BTreeMap<String, BTreeMap<String, Tensor>>,
    }
    let one = |key: &str, value: Tensor| BTreeMap::from([(key.to_owned(), value)]);
    let inner = [("x", one("y.z", tensor![1.0])), ("x.y", one("z", tensor![2.0, 3.0]))];
    let mut maps = Maps { a: inner.map(|(key, map)| (key.to_owned(), map)).into() };
    let loss = |maps: &Maps| &maps.a["x"]["y.z"] * &maps.a["x.y"]["z"];
    let message = "two tensors have the key \"a.x.y.z\"";
    let error = value_and_grad(&mut maps, |maps| loss(maps)).unwrap_err();
    assert_eq!(error.message(), message);
    let error = checkpoint(&maps, move |maps, _| loss(maps), &tensor![1.0]).unwrap_err();
    assert_eq!(error.message(), message);
    let mut sgd = optimizers::SGD::new(0.1).unwrap();
    let step = optimizers::compile_step(&maps, &sgd, |maps, _, _: &Tensor| loss(maps));
    let error = step.call(&mut maps, &mut sgd, &tensor![1.0]).unwrap_err();
    assert_eq!(error.message(), message);
    maps.apply(|x| x * 2.0).unwrap();
    let [first, second] = [&maps.a["x"]["y.z"], &maps.a["x.y"]["z"]].map(|x| x.to_vec::<f32>().unwrap());
    assert_eq!((first, second), (vec![2.0], vec![4.0, 6.0]));
}
