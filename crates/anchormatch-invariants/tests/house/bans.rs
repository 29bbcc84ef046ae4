//! What no room of a library that ships does by itself.

use crate::document::{root, table};
use crate::source::{Named, files};

/// Something that is left to one room, or to the front doors.
struct Ban {
    what: &'static str,
    /// The room that may do it, or the crate without the `anchormatch-`.
    except: Option<&'static str>,
    broken_by: fn(&Named) -> bool,
}

const BANS: [Ban; 6] = [
    Ban {
        what: "reads the clock",
        except: Some("monitor"),
        broken_by: |named| has(named, &["Instant", "SystemTime"]),
    },
    Ban {
        what: "prints",
        except: None,
        broken_by: |named| {
            let printers = ["print", "println", "eprint", "eprintln", "dbg"];
            named.is_macro && has(named, &printers)
        },
    },
    // A file that is called `-`.
    Ban {
        what: "writes to the terminal",
        except: Some("io"),
        broken_by: |named| has(named, &["stdout", "stderr"]),
    },
    Ban {
        what: "reads the environment",
        except: None,
        broken_by: |named| {
            named
                .segments
                .starts_with(&["std".to_owned(), "env".to_owned()])
        },
    },
    Ban {
        what: "draws random numbers without a seed",
        except: None,
        broken_by: |named| {
            has(
                named,
                &["thread_rng", "ThreadRng", "OsRng", "SysRng", "from_os_rng"],
            )
        },
    },
    Ban {
        what: "calls the linear-algebra crate",
        except: Some("linalg"),
        broken_by: |named| named.segments[0] == "faer",
    },
];

fn has(named: &Named, words: &[&str]) -> bool {
    named
        .segments
        .iter()
        .any(|segment| words.contains(&segment.as_str()))
}

fn offences(name: &str) -> Vec<String> {
    let folder = root().join("crates").join(name).join("src");
    let mut found = Vec::new();
    for file in files(&folder) {
        let room = name
            .strip_prefix("anchormatch-")
            .or(file.module.first().map(String::as_str));
        let bans = BANS
            .iter()
            .filter(|ban| ban.except.is_none() || ban.except != room);
        for ban in bans {
            let broken = file.named.iter().filter(|named| (ban.broken_by)(named));
            found.extend(broken.map(|named| {
                let path = named.segments.join("::");
                format!(
                    "{}:{} {}: {path}",
                    file.path.display(),
                    named.line,
                    ban.what
                )
            }));
        }
    }
    found
}

#[test]
fn rooms_leave_clock_terminal_and_environment_to_others() {
    let mut found = Vec::new();
    for row in table("crate") {
        // The front doors print, and the laboratory measures.
        if row.cell("ships") == "library" {
            found.extend(offences(&row.name));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
