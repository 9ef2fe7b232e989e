//! What pictures show: digits by three small networks, photos by EfficientNet-Lite0; as text and as a page of pictures.
//!
//! `cargo run --release --example vision`. Not here: the networks (`mlx_examples::{ccexam, efficientnet}`).

mod page;

use clap::{Parser, ValueEnum};
use image::RgbImage;
use mlx::ops;
use mlx_examples::{
    Result,
    ccexam::{self, Kind, Net},
    download::SCIKIT_LEARN,
    efficientnet::{self, EfficientNet},
    options::Place,
    pictures, program,
    text::{bar, column},
};
use std::{
    collections::{HashMap, hash_map::Entry},
    env, fs,
    path::PathBuf,
    process::ExitCode,
    time::Instant,
};

/// Classes that are shown of a photo, and of a digit.
const SHOWN: [usize; 2] = [5, 3];

/// Says what pictures show. Without any, the digits and photos of two packages are told.
#[derive(Parser)]
struct Options {
    /// PNG or JPEG files
    #[arg(value_name = "PICTURE")]
    pictures: Vec<PathBuf>,
    /// Who looks at them
    #[arg(long, value_enum, default_value = "photo")]
    net: Eye,
    /// Where the page with the pictures goes; beside the program if it is not said
    #[arg(long, value_name = "OUT.svg")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
}

/// Which network.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Eye {
    Photo,
    Mnist,
    Usps,
    Svhn,
}

impl From<Kind> for Eye {
    fn from(kind: Kind) -> Eye {
        match kind {
            Kind::Mnist => Eye::Mnist,
            Kind::Usps => Eye::Usps,
            Kind::Svhn => Eye::Svhn,
        }
    }
}

/// A network of either kind.
enum Network {
    Photos(Box<EfficientNet>),
    Digits(Net),
}

impl Network {
    fn open(eye: Eye) -> Result<Network> {
        Ok(match eye {
            Eye::Photo => Network::Photos(EfficientNet::open()?.into()),
            Eye::Mnist => Network::Digits(Net::open(Kind::Mnist)?),
            Eye::Usps => Network::Digits(Net::open(Kind::Usps)?),
            Eye::Svhn => Network::Digits(Net::open(Kind::Svhn)?),
        })
    }

    /// The likeliest classes, likeliest first, with their probabilities.
    fn look(&self, picture: &RgbImage) -> Result<Vec<(String, f32)>> {
        let (scores, shown) = match self {
            Network::Photos(net) => (net.forward(&EfficientNet::see(picture)?)?, SHOWN[0]),
            Network::Digits(net) => (net.forward(&net.see(picture)?)?, SHOWN[1]),
        };
        let likely = ops::softmax(&scores, -1)?.to_vec::<f32>()?;
        let mut order: Vec<usize> = (0..likely.len()).collect();
        order.sort_by(|&a, &b| likely[b].total_cmp(&likely[a]));
        let name = |class: usize| match self {
            Network::Photos(_) => efficientnet::class(class),
            Network::Digits(_) => class.to_string(),
        };
        Ok(order.into_iter().take(shown).map(|class| (name(class), likely[class])).collect())
    }
}

/// A picture and what was seen in it.
struct Seen {
    name: String,
    picture: RgbImage,
    classes: Vec<(String, f32)>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    program::run("vision", || options.place.run(|| run(&options)))
}

fn run(options: &Options) -> Result<()> {
    let mut wanted: Vec<(Eye, PathBuf)> =
        options.pictures.iter().map(|path| (options.net, path.clone())).collect();
    let mut labels = HashMap::new();
    if wanted.is_empty() {
        for sample in ccexam::samples()? {
            labels.insert(sample.path.clone(), sample.digit.to_string());
            wanted.push((sample.kind.into(), sample.path));
        }
        for photo in ["china", "flower"] {
            wanted.push((Eye::Photo, SCIKIT_LEARN.file(&format!("sklearn/datasets/images/{photo}.jpg"))?));
        }
    }
    let (mut networks, mut seen, mut right) = (HashMap::new(), Vec::new(), 0);
    let start = Instant::now();
    for (eye, path) in wanted {
        let network = match networks.entry(eye) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(Network::open(eye)?),
        };
        let picture = pictures::open(&path)?;
        let classes = network.look(&picture)?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        show(&name, &classes);
        right += usize::from(labels.get(&path).is_some_and(|label| *label == classes[0].0));
        seen.push(Seen { name, picture, classes });
    }
    if !labels.is_empty() {
        println!("{right} of {} digits are right.", labels.len());
    }
    let svg = options
        .svg
        .clone()
        .map_or_else(|| env::current_exe().map(|program| program.with_extension("svg")), Ok)?;
    fs::write(&svg, page::svg(&seen)?).map_err(|error| format!("{}: {error}", svg.display()))?;
    eprintln!("{} pictures in {:.1?}; with what they show: {}", seen.len(), start.elapsed(), svg.display());
    Ok(())
}

/// The classes of one picture.
fn show(name: &str, classes: &[(String, f32)]) {
    let rows = classes.iter().map(|(class, likely)| {
        let percent = 100.0 * likely;
        format!("{percent:>5.1} % {} {class}", bar(*likely, 20))
    });
    for (i, row) in rows.enumerate() {
        println!("{} {}", column(if i == 0 { name } else { "" }, 27), row.trim_end());
    }
}
