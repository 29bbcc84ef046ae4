//! The formats of graph files: their names, their extensions, and what each has room for.

use std::path::Path;

use anchormatch::error::Result;

use super::fault::{fault, quoted};
use super::is_standard;

/// A format of graph files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Rows of `source,target[,weight]`.
    EdgeList,
    /// Rows of `[id,]x,y[,z]`.
    Points,
    /// A cloud of points: rows of `x y z` and whatever follows.
    Xyz,
    /// The vertices of a PLY file of text.
    Ply,
    /// Keypoints in COCO's JSON.
    Coco,
    /// Keypoints or points of OpenCV's `cv::FileStorage`, in YAML or XML.
    OpenCv,
    /// An adjacency matrix as a table, with or without ids.
    Adjacency,
    /// Matrix Market, coordinate or array.
    MatrixMarket,
    /// GraphML.
    GraphMl,
    /// GML, the Graph Modelling Language.
    Gml,
    /// Pajek's `.net`.
    Pajek,
    /// LEDA's `.gw`.
    Leda,
    /// METIS's adjacency lists.
    Metis,
    /// A NumPy array.
    Npy,
    /// A NumPy archive: an array, or a SciPy sparse matrix.
    Npz,
    /// A MATLAB file of version 5 to 7.2.
    Mat,
}

/// What is known of a format without reading a file.
struct Facts {
    name: &'static str,
    extensions: &'static [&'static str],
    about: &'static str,
    keeps_ids: bool,
}

impl Format {
    /// Every format, in the order of the documentation.
    pub const ALL: [Self; 16] = [
        Self::EdgeList,
        Self::Points,
        Self::Xyz,
        Self::Ply,
        Self::Coco,
        Self::OpenCv,
        Self::Adjacency,
        Self::GraphMl,
        Self::Gml,
        Self::Pajek,
        Self::MatrixMarket,
        Self::Npy,
        Self::Npz,
        Self::Mat,
        Self::Leda,
        Self::Metis,
    ];

    const fn facts(self) -> Facts {
        let (name, extensions, about, keeps_ids): (_, &[&str], _, _) = match self {
            Self::EdgeList => (
                "edges",
                &["csv", "tsv", "edges", "txt", "edgelist"],
                "source,target[,weight]; a header is optional, ids are any strings",
                true,
            ),
            Self::Points => ("points", &[], "[id,]x,y[,z], as a complete graph", true),
            Self::Xyz => (
                "xyz",
                &["xyz", "xyzn", "xyzrgb"],
                "a cloud of points: x y z, and other columns",
                false,
            ),
            Self::Ply => ("ply", &["ply"], "the vertices of a PLY file of text", false),
            Self::Coco => ("coco", &["json"], "keypoints in COCO's JSON", true),
            Self::OpenCv => (
                "opencv",
                &["yml", "yaml", "xml"],
                "keypoints or points of OpenCV's FileStorage, YAML or XML",
                false,
            ),
            Self::Adjacency => (
                "adjacency",
                &["adj"],
                "an adjacency matrix as a table, with ids or without",
                true,
            ),
            Self::MatrixMarket => ("mtx", &["mtx"], "Matrix Market", false),
            Self::GraphMl => ("graphml", &["graphml"], "GraphML", true),
            Self::Gml => ("gml", &["gml"], "GML", true),
            Self::Pajek => ("pajek", &["net", "pajek"], "Pajek", true),
            Self::Leda => ("leda", &["gw", "lgr"], "LEDA", true),
            Self::Metis => (
                "metis",
                &["graph", "metis"],
                "METIS, whose weights are whole numbers",
                false,
            ),
            Self::Npy => ("npy", &["npy"], "a square NumPy array", false),
            Self::Npz => (
                "npz",
                &["npz"],
                "a square NumPy array or a SciPy sparse matrix",
                true,
            ),
            Self::Mat => (
                "mat",
                &["mat"],
                "a square MATLAB matrix, full or sparse, of version 5 to 7.2",
                true,
            ),
        };
        Facts {
            name,
            extensions,
            about,
            keeps_ids,
        }
    }

    /// The name by which the command line asks for the format.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// The extensions that stand for the format, without the point; none for points, which any table
    /// may hold.
    #[must_use]
    pub const fn extensions(self) -> &'static [&'static str] {
        self.facts().extensions
    }

    /// What a file of the format holds, in a few words.
    #[must_use]
    pub const fn about(self) -> &'static str {
        self.facts().about
    }

    /// Whether the nodes' ids survive being written; where not, they become numbers.
    #[must_use]
    pub const fn keeps_ids(self) -> bool {
        self.facts().keeps_ids
    }

    /// Whether nodes are counted where a file has no ids for them: such ids are numbers, and no names.
    #[must_use]
    pub const fn counts_nodes(self) -> bool {
        !self.keeps_ids() || matches!(self, Self::Points | Self::Npz | Self::Mat)
    }

    /// Whether a file takes a number for every pair of nodes.
    #[must_use]
    pub const fn is_dense(self) -> bool {
        matches!(self, Self::Adjacency | Self::Npy)
    }

    /// Whether a file holds points, and edges only as the distances among them.
    #[must_use]
    pub const fn is_points(self) -> bool {
        matches!(
            self,
            Self::Points | Self::Xyz | Self::Ply | Self::Coco | Self::OpenCv
        )
    }

    /// The format called `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The format that `path`'s extension stands for, a `.gz` after it left aside; an edge list for
    /// `-`, the standard input.
    ///
    /// ```
    /// use anchormatch_io::Format;
    /// assert_eq!(Format::from_path("a.MTX".as_ref())?, Format::MatrixMarket);
    /// assert_eq!(Format::from_path("a.gml.gz".as_ref())?, Format::Gml);
    /// # Ok::<(), anchormatch::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the extension is missing or not one that is read.
    pub fn from_path(path: &Path) -> Result<Self> {
        if is_standard(path) {
            return Ok(Self::EdgeList);
        }
        let inner = if is_compressed(path) {
            path.with_extension("")
        } else {
            path.to_path_buf()
        };
        let extension = inner
            .extension()
            .map(|e| e.to_string_lossy().to_lowercase());
        let known = extension.as_deref().and_then(|extension| {
            Self::ALL
                .into_iter()
                .find(|format| format.extensions().contains(&extension))
        });
        known.ok_or_else(|| {
            let found = match extension {
                Some(other) => format!("the extension {}", quoted(&format!(".{other}"))),
                None => "no extension".to_owned(),
            };
            let file = path.display().to_string();
            fault(&file, None, None, found, known_extensions())
        })
    }
}

/// Whether `path` ends in `.gz`.
pub(super) fn is_compressed(path: &Path) -> bool {
    path.extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("gz"))
}

/// `.csv, .tsv, … or .metis, or a format by name`.
fn known_extensions() -> String {
    let all: Vec<&str> = Format::ALL
        .into_iter()
        .flat_map(Format::extensions)
        .copied()
        .collect();
    let (last, others) = all.split_last().expect("there are formats");
    format!(
        ".{} or .{last}, perhaps with .gz after it, or a format by its name",
        others.join(", .")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_go_by_extension_in_either_case() {
        for (path, format) in [
            ("a.csv", Format::EdgeList),
            ("a.b.TSV", Format::EdgeList),
            ("dir.mtx/a.edges", Format::EdgeList),
            ("a.txt", Format::EdgeList),
            ("-", Format::EdgeList),
            ("a.mtx", Format::MatrixMarket),
            ("a.GraphML", Format::GraphMl),
            ("a.net.GZ", Format::Pajek),
            ("a.npz", Format::Npz),
            ("a.ply", Format::Ply),
            ("a.XYZ.gz", Format::Xyz),
            ("person.json", Format::Coco),
            ("k.yml", Format::OpenCv),
            ("k.XML.gz", Format::OpenCv),
        ] {
            assert_eq!(Format::from_path(path.as_ref()).unwrap(), format, "{path}");
        }
    }

    #[test]
    fn names_and_extensions_are_of_one_format_each() {
        let mut extensions: Vec<_> = Format::ALL
            .into_iter()
            .flat_map(Format::extensions)
            .collect();
        let count = extensions.len();
        extensions.sort_unstable();
        extensions.dedup();
        assert_eq!(extensions.len(), count);
        for format in Format::ALL {
            assert_eq!(Format::from_name(format.name()), Some(format));
        }
        assert_eq!(Format::from_name("jpg"), None);
    }

    #[test]
    fn other_extensions_list_what_is_read() {
        let message = |path: &str| Format::from_path(path.as_ref()).unwrap_err().to_string();
        let wanted = "expected .csv, .tsv, .edges, .txt, .edgelist, .xyz, .xyzn, .xyzrgb, .ply, \
                      .json, .yml, .yaml, .xml, .adj, .graphml, .gml, .net, .pajek, .mtx, .npy, .npz, .mat, .gw, .lgr, .graph or .metis, perhaps with \
                      .gz after it, or a format by its name";
        assert_eq!(
            message("a.jpg"),
            format!("a.jpg: found the extension `.jpg`, {wanted}")
        );
        assert_eq!(
            message("graph"),
            format!("graph: found no extension, {wanted}")
        );
        assert_eq!(
            message("graph.gz"),
            format!("graph.gz: found no extension, {wanted}")
        );
    }
}
