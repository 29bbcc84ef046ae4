//! The tools above the picture: zoom, layers, the slider of confidence, exports. Hidden until the scripts that make
//! them work have run.

use std::fmt::{Result, Write};

use super::View;

/// What can be taken out of the picture: the class of the layer, and its name on the page.
const LAYERS: [(&str, &str); 6] = [
    ("lines", "match lines"),
    ("labels", "ids"),
    ("grid", "grid"),
    ("epipolar", "epipolar lines"),
    ("ellipses", "ellipses"),
    ("images", "images"),
];

/// Writes the tools for those layers that `has` any run; those that are `off` are not seen at first.
pub(super) fn write(
    out: &mut String,
    view: &View<'_>,
    has: impl Fn(&str) -> bool,
    off: &[&str],
) -> Result {
    out.push_str(
        "<div class=\"tools\" hidden=\"\">\n<span class=\"group\" role=\"group\" aria-label=\"Zoom\">\
         <button type=\"button\" data-zoom=\"in\" title=\"zoom in (+)\" aria-label=\"zoom in\">+</button>\
         <button type=\"button\" data-zoom=\"out\" title=\"zoom out (−)\" aria-label=\"zoom out\">−</button>\
         <button type=\"button\" data-zoom=\"home\" title=\"the whole picture (0, or a double click)\">whole</button></span>\n\
         <span class=\"group layers\" role=\"group\" aria-label=\"Layers\">",
    );
    for (class, name) in LAYERS.iter().filter(|(class, _)| has(class)) {
        let checked = if off.contains(class) {
            ""
        } else {
            " checked=\"\""
        };
        write!(
            out,
            "<label><input type=\"checkbox\" data-layer=\"{class}\"{checked}/>{name}</label>"
        )?;
    }
    out.push_str("</span>\n");
    let free = |run: &super::ScoredRun<'_>| run.matching.pairs.iter().any(|pair| !pair.anchor);
    if view.runs.iter().any(free) {
        out.push_str(
            "<label class=\"group floor\">confidence ≥ \
             <input id=\"floor\" type=\"range\" min=\"0\" max=\"1\" step=\"0.01\" value=\"0\"/> \
             <output id=\"kept\" for=\"floor\"></output></label>\n",
        );
    }
    out.push_str(
        "<span class=\"group\" role=\"group\" aria-label=\"Export\">\
         <button type=\"button\" data-export=\"svg\" title=\"the picture as it is shown\">SVG</button>\
         <button type=\"button\" data-export=\"png\" title=\"the picture as it is shown\">PNG</button>\
         <button type=\"button\" data-export=\"csv\" title=\"the pairs that are listed below, with their confidences\">CSV</button></span>\n\
         </div>\n",
    );
    Ok(())
}
