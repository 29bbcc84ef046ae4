//! The page, as it was built from `page/`; a test compares it with its sources where Node is installed.

/// An embedded file: its address, its kind and its bytes.
pub(crate) struct Asset {
    pub(crate) path: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) bytes: &'static [u8],
}

/// The page itself, in which [`TOKEN`] stands for the token.
pub(crate) const PAGE: &str = include_str!("../assets/index.html");

/// What stands in the page for the token.
pub(crate) const TOKEN: &str = "{{token}}";

/// Everything else.
pub(crate) const ALL: [Asset; 3] = [
    Asset {
        path: "/studio.js",
        kind: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../assets/studio.js"),
    },
    Asset {
        path: "/studio.css",
        kind: "text/css; charset=utf-8",
        bytes: include_bytes!("../assets/studio.css"),
    },
    Asset {
        path: "/icon.svg",
        kind: "image/svg+xml",
        bytes: include_bytes!("../assets/icon.svg"),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_loads_what_is_embedded_and_nothing_inline() {
        for asset in &ALL {
            assert!(PAGE.contains(&asset.path[1..]), "{}", asset.path);
            assert!(!asset.bytes.is_empty());
        }
        for forbidden in [
            "<script>",
            "<style>",
            " style=",
            " onclick=",
            "http://",
            "https://",
        ] {
            assert!(!PAGE.contains(forbidden), "{forbidden}");
        }
        let script = String::from_utf8_lossy(ALL[0].bytes);
        for forbidden in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
        ] {
            assert!(!script.contains(forbidden), "{forbidden}");
        }
    }
}
