//! `anchormatch generate`: pairs of graphs whose matching is known.

use std::fs;
use std::path::{Path, PathBuf};

use anchormatch::Error;
use anchormatch_generate::house::{self, View};
use anchormatch_generate::{Instance, Synthetic, synthetic};
use anchormatch_io::{Format, write_graph, write_pairs, write_whole};
use clap::{Args, Subcommand};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::exit::{Done, Failure, Outcome};
use crate::files::{print, shell_word};
use crate::job::Job;
use crate::values;

const LONG_ABOUT: &str = "\
Make two graphs whose matching is known, to try things on.

The folder gets source.csv, target.csv, truth.csv and anchors.csv, and the command that matches them \
is printed. The target's nodes are shuffled and renamed, so that nothing gives the answer away. The \
same options and seed give the same bytes.";

const SYNTHETIC_ABOUT: &str = "\
Random graphs after Cho, Lee & Lee (ECCV 2010): both share the inliers and their edges, the target's \
weights are perturbed, and outliers on either side have no partner.";

const SYNTHETIC_EXAMPLES: &str = "\
Example:
  anchormatch generate synthetic --out noisy --noise 0.2 --target-outliers 5
  anchormatch match noisy/source.csv noisy/target.csv --anchors noisy/anchors.csv \\
      --truth noisy/truth.csv";

const HOUSE_ABOUT: &str = "\
Two views of a house with 51 named landmarks, as tables of points (to be read with --points).

Angles are in degrees: panning turns the left wall to the viewer, tilting the roof. The wider the \
angle between the views, the harder the pair.";

const HOUSE_EXAMPLES: &str = "\
Example:
  anchormatch generate house --out house --pan 35 --tilt 20
  anchormatch match house/source.csv house/target.csv --points --anchors house/anchors.csv \\
      --truth house/truth.csv --report house/report.html";

/// Make two graphs whose matching is known
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT)]
pub(crate) struct Options {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Synthetic(SyntheticOptions),
    House(HouseOptions),
}

/// Random graphs with noise and outliers
#[derive(Debug, Args)]
#[command(long_about = SYNTHETIC_ABOUT, after_help = SYNTHETIC_EXAMPLES)]
struct SyntheticOptions {
    #[command(flatten)]
    folder: Folder,

    /// Nodes that both graphs share
    #[arg(long, value_name = "N", default_value_t = 20)]
    inliers: usize,

    /// Nodes of the source without a partner
    #[arg(long, value_name = "N", default_value_t = 0)]
    source_outliers: usize,

    /// Nodes of the target without a partner
    #[arg(long, value_name = "N", default_value_t = 0)]
    target_outliers: usize,

    /// The probability that two nodes are joined, above 0 and at most 1
    #[arg(long, value_name = "RHO", default_value_t = 1.0, value_parser = values::share)]
    density: f64,

    /// Standard deviation of the noise on the target's weights, which lie between 0 and 1
    #[arg(long, value_name = "SIGMA", default_value_t = 0.1, value_parser = values::nonnegative)]
    noise: f64,
}

/// Two views of a house with 51 landmarks
#[derive(Debug, Args)]
#[command(long_about = HOUSE_ABOUT, after_help = HOUSE_EXAMPLES)]
struct HouseOptions {
    #[command(flatten)]
    folder: Folder,

    /// Pan of the source view
    #[arg(long, value_name = "DEG", default_value_t = 0.0, allow_hyphen_values = true, value_parser = values::finite)]
    pan_from: f64,

    /// Tilt of the source view
    #[arg(long, value_name = "DEG", default_value_t = 0.0, allow_hyphen_values = true, value_parser = values::finite)]
    tilt_from: f64,

    /// Pan of the target view
    #[arg(long, value_name = "DEG", default_value_t = 20.0, allow_hyphen_values = true, value_parser = values::finite)]
    pan: f64,

    /// Tilt of the target view
    #[arg(long, value_name = "DEG", default_value_t = 10.0, allow_hyphen_values = true, value_parser = values::finite)]
    tilt: f64,

    /// Standard deviation of the noise on every coordinate, in pixels of a 640 × 480 image
    #[arg(long, value_name = "PX", default_value_t = 1.0, value_parser = values::nonnegative)]
    jitter: f64,
}

#[derive(Debug, Args)]
struct Folder {
    /// The folder to write into; it is made where it does not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Pairs of the truth to give away as anchors, drawn at random
    #[arg(long, value_name = "N", default_value_t = 2)]
    anchors: usize,

    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Overwrite files that are there
    #[arg(long)]
    force: bool,
}

const FILES: [&str; 4] = ["source.csv", "target.csv", "truth.csv", "anchors.csv"];

impl Options {
    /// Makes the pair and writes it.
    pub(crate) fn run(&self) -> Outcome {
        let (folder, format) = match &self.what {
            What::Synthetic(options) => (&options.folder, Format::EdgeList),
            What::House(options) => (&options.folder, Format::Points),
        };
        folder.check()?;
        let job = Job::plain()?;
        let instance = match &self.what {
            What::Synthetic(options) => options.instance()?,
            What::House(options) => options.instance()?,
        };
        // A signal ends the work before this, and no file in the middle after it.
        job.finish();
        folder.write(&instance, format)?;
        print(&folder.next_command(format))?;
        Ok(Done::Complete)
    }
}

impl SyntheticOptions {
    fn instance(&self) -> Result<Instance, Failure> {
        let settings = Synthetic {
            inliers: self.inliers,
            source_outliers: self.source_outliers,
            target_outliers: self.target_outliers,
            density: self.density,
            noise: self.noise,
            ..Synthetic::default()
        };
        Ok(synthetic(&settings, self.folder.seed)?)
    }
}

impl HouseOptions {
    fn instance(&self) -> Result<Instance, Failure> {
        let view = |pan_degrees, tilt_degrees| View {
            pan_degrees,
            tilt_degrees,
        };
        let from = view(self.pan_from, self.tilt_from);
        let to = view(self.pan, self.tilt);
        Ok(house::pair(from, to, self.jitter, self.folder.seed)?)
    }
}

impl Folder {
    /// Refuses to overwrite, before anything is made.
    fn check(&self) -> Result<(), Failure> {
        if self.force {
            return Ok(());
        }
        for file in FILES.map(|file| self.out.join(file)) {
            if fs::symlink_metadata(&file).is_ok() {
                let found = "a file that is already there";
                return Err(Failure::usage(file.display(), found, "none, or --force"));
            }
        }
        Ok(())
    }

    fn write(&self, instance: &Instance, format: Format) -> Result<(), Failure> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed.wrapping_add(1));
        let anchors = instance.random_anchors(self.anchors, &mut rng)?;
        fs::create_dir_all(&self.out).map_err(|source| Error::io(&self.out, source))?;
        let [source, target, truth, given] = FILES.map(|file| self.out.join(file));
        let positions = [&instance.source_positions, &instance.target_positions];
        let [source_points, target_points] = positions.map(Option::as_ref);
        write_graph(&source, &instance.source, source_points, Some(format))?;
        write_graph(&target, &instance.target, target_points, Some(format))?;
        let pairs = |path: &Path, pairs: &[(usize, usize)]| {
            let (s, t) = (instance.source.labels(), instance.target.labels());
            write_whole(path, |out| write_pairs(out, s, t, pairs))
        };
        pairs(&truth, &instance.truth)?;
        pairs(&given, &anchors)?;
        Ok(())
    }

    fn next_command(&self, format: Format) -> String {
        let [source, target, truth, anchors] =
            FILES.map(|file| shell_word(&self.out.join(file).to_string_lossy()));
        let points = if format == Format::Points {
            " --points"
        } else {
            ""
        };
        format!("anchormatch match {source} {target}{points} --anchors {anchors} --truth {truth}\n")
    }
}
