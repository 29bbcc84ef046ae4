//! What a file of Rust names: its paths, without comments, text and tests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// A path such as `std::time::Instant`; of a `use` with braces, one for each branch.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) segments: Vec<String>,
    /// `println!` and its like.
    pub(crate) is_macro: bool,
    pub(crate) line: usize,
    /// The module that it stands in, from the root of the crate.
    pub(crate) module: Vec<String>,
}

impl Named {
    /// The path from the root of the crate, if it starts at `crate`, `self` or `super` and
    /// names something below it.
    pub(crate) fn in_crate(&self) -> Option<Vec<String>> {
        let mut base = match self.segments[0].as_str() {
            "crate" => Vec::new(),
            "self" | "super" => self.module.clone(),
            _ => return None,
        };
        let mut rest = self.segments.as_slice();
        while let [first, others @ ..] = rest {
            match first.as_str() {
                "crate" | "self" => {}
                "super" => {
                    base.pop();
                }
                _ => break,
            }
            rest = others;
        }
        base.extend_from_slice(rest);
        (!base.is_empty()).then_some(base)
    }
}

/// A file of a crate and what its code outside the tests names.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) path: PathBuf,
    /// Its module, from the root of the crate; empty for `lib.rs`.
    pub(crate) module: Vec<String>,
    pub(crate) named: Vec<Named>,
}

/// All files below a folder that are compiled without `cfg(test)`.
pub(crate) fn files(folder: &Path) -> Vec<File> {
    let mut paths = Vec::new();
    collect(folder, &mut paths);
    paths.sort();
    assert!(!paths.is_empty(), "no Rust in {}", folder.display());
    let mut tests = BTreeSet::new();
    let mut found = Vec::new();
    for path in paths {
        let module = module_of(path.strip_prefix(folder).unwrap());
        let text = std::fs::read_to_string(&path).unwrap();
        let mut reader = Reader::default();
        reader.read(&text, &module);
        tests.extend(reader.tests);
        found.push(File {
            path,
            module,
            named: reader.named,
        });
    }
    found.retain(|file| !(1..=file.module.len()).any(|end| tests.contains(&file.module[..end])));
    found
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            paths.push(path);
        }
    }
}

fn module_of(path: &Path) -> Vec<String> {
    let names = path.with_extension("");
    let mut module: Vec<String> = names
        .iter()
        .map(|name| name.to_str().unwrap().to_owned())
        .collect();
    if matches!(
        module.last().map(String::as_str),
        Some("mod" | "lib" | "main")
    ) {
        module.pop();
    }
    module
}

#[derive(Default)]
struct Reader {
    named: Vec<Named>,
    /// Modules that are compiled for tests only.
    tests: Vec<Vec<String>>,
}

impl Reader {
    fn read(&mut self, text: &str, module: &[String]) {
        let tokens: TokenStream = text.parse().unwrap();
        self.walk(tokens, module);
    }

    fn walk(&mut self, tokens: TokenStream, module: &[String]) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            at = match &tokens[at] {
                TokenTree::Punct(mark)
                    if mark.as_char() == '#' && is_for_tests(tokens.get(at + 1)) =>
                {
                    self.skip_item(&tokens, at + 2, module)
                }
                TokenTree::Ident(word) if *word == "mod" => match &tokens[at + 1..] {
                    [TokenTree::Ident(name), TokenTree::Group(body), ..] => {
                        self.walk(body.stream(), &child(module, name));
                        at + 3
                    }
                    _ => at + 1,
                },
                TokenTree::Ident(_) => self.path(&tokens, at, &[], module),
                TokenTree::Group(group) => {
                    self.walk(group.stream(), module);
                    at + 1
                }
                _ => at + 1,
            };
        }
    }

    /// The path that begins at a word, or the branches of a `use`; returns what comes after it.
    fn path(
        &mut self,
        tokens: &[TokenTree],
        mut at: usize,
        prefix: &[String],
        module: &[String],
    ) -> usize {
        let mut segments = prefix.to_vec();
        let line = tokens[at].span().start().line;
        loop {
            match &tokens[at] {
                TokenTree::Group(branches) if branches.delimiter() == Delimiter::Brace => {
                    self.branches(branches, &segments, module);
                    return at + 1;
                }
                TokenTree::Ident(word) => {
                    // `{self, …}` names the module before the braces.
                    if prefix.is_empty() || *word != "self" {
                        segments.push(word.to_string().trim_start_matches("r#").to_owned());
                    }
                    at += 1;
                }
                // A glob, or the type parameters of a call.
                _ => break,
            }
            if !(is_mark(tokens.get(at), ':')
                && is_mark(tokens.get(at + 1), ':')
                && at + 2 < tokens.len())
            {
                break;
            }
            at += 2;
        }
        let is_macro = is_mark(tokens.get(at), '!') && !is_mark(tokens.get(at + 1), '=');
        self.named.push(Named {
            segments,
            is_macro,
            line,
            module: module.to_vec(),
        });
        at
    }

    fn branches(&mut self, branches: &Group, prefix: &[String], module: &[String]) {
        let tokens: Vec<TokenTree> = branches.stream().into_iter().collect();
        for branch in tokens.split(|token| is_mark(Some(token), ',')) {
            if !branch.is_empty() {
                self.path(branch, 0, prefix, module);
            }
        }
    }

    /// Passes an item that `#[cfg(test)]` stands before.
    fn skip_item(&mut self, tokens: &[TokenTree], start: usize, module: &[String]) -> usize {
        let is_use = |token: &TokenTree| matches!(token, TokenTree::Ident(word) if *word == "use");
        let mut ends_by_brace = true;
        for at in start..tokens.len() {
            match &tokens[at] {
                token if is_use(token) => ends_by_brace = false,
                TokenTree::Ident(word) if *word == "mod" => {
                    if let Some(TokenTree::Ident(name)) = tokens.get(at + 1) {
                        self.tests.push(child(module, name));
                    }
                }
                TokenTree::Group(group)
                    if group.delimiter() == Delimiter::Brace && ends_by_brace =>
                {
                    return at + 1;
                }
                token if is_mark(Some(token), ';') => return at + 1,
                _ => {}
            }
        }
        tokens.len()
    }
}

fn child(module: &[String], name: &proc_macro2::Ident) -> Vec<String> {
    let mut path = module.to_vec();
    path.push(name.to_string());
    path
}

fn is_mark(token: Option<&TokenTree>, mark: char) -> bool {
    matches!(token, Some(TokenTree::Punct(found)) if found.as_char() == mark)
}

/// Whether the brackets of an attribute say `cfg(test)` or `cfg(doctest)`, alone or among others.
fn is_for_tests(brackets: Option<&TokenTree>) -> bool {
    let Some(TokenTree::Group(brackets)) = brackets else {
        return false;
    };
    let text = brackets.stream().to_string();
    let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.next() == Some("cfg") && {
        let words: Vec<&str> = words.collect();
        !words.contains(&"not") && (words.contains(&"test") || words.contains(&"doctest"))
    }
}

#[test]
fn paths_are_found_outside_comments_texts_and_tests() {
    let text = r##"
        //! crate::comment
        use crate::{graph::{self, Graph as G}, linalg::*, Error};
        #[cfg(test)]
        use crate::{only, tests};
        #[cfg(test)]
        mod checks;
        pub(crate) fn f(x: crate::anchors::Anchors) -> r#"crate::text"# {
            println!("{}", super::sibling::value::<f64>());
        }
        mod inner { use super::super::super::up; }
        #[cfg(all(test, feature = "x"))]
        mod tests { use crate::solver; }
        #[cfg(not(test))]
        use crate::monitor;
    "##;
    let text = text.replace("r#\"crate::text\"#", "()");
    let mut reader = Reader::default();
    reader.read(&text, &["room".to_owned(), "file".to_owned()]);
    let inside: Vec<String> = reader
        .named
        .iter()
        .filter_map(Named::in_crate)
        .map(|path| path.join("::"))
        .collect();
    assert_eq!(
        inside,
        [
            "graph",
            "graph::Graph",
            "linalg",
            "Error",
            "anchors::Anchors",
            "room::sibling::value",
            "up",
            "monitor",
        ]
    );
    let macros: Vec<&Named> = reader.named.iter().filter(|named| named.is_macro).collect();
    assert_eq!(
        (macros.len(), macros[0].line, &macros[0].segments[..]),
        (1, 9, &["println".to_owned()][..])
    );
    let tests: Vec<String> = reader.tests.iter().map(|path| path.join("::")).collect();
    assert_eq!(tests, ["room::file::checks", "room::file::tests"]);
}
