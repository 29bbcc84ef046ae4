//! A document of headings, paragraphs, tables and figures, written as one HTML page or as Markdown.
//!
//! Text is plain; words between backquotes are code. Both writers escape it.

use std::fmt::Write;

use anchormatch_report::Escaped;

/// A picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The name of its file, without the extension.
    pub name: String,
    /// The picture for a page that stays with its maker: photographs may be in it.
    pub svg: String,
    /// The picture for publication, where it differs: only what is ours.
    pub plain: Option<String>,
    /// What it shows.
    pub caption: String,
}

/// A part of a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A heading of this level, 2 or 3.
    Heading(u8, String),
    /// A paragraph.
    Paragraph(String),
    /// A command line.
    Code(String),
    /// A table; a cell that starts with ✔, ◐, ◌, ✘ or – is a verdict.
    Table {
        /// The column names.
        header: Vec<String>,
        /// The rows.
        rows: Vec<Vec<String>>,
    },
    /// A picture.
    Figure(Figure),
}

/// A title and what follows.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The title.
    pub title: String,
    /// The parts, in order.
    pub blocks: Vec<Block>,
}

const STYLE: &str = "\
body{margin:0;background:#f5f6f8;color:#1c2330;font:15px/1.5 system-ui,'Segoe UI',Roboto,'Noto Sans',sans-serif}
main{max-width:1240px;margin:0 auto;padding:2rem 1.25rem}
h1{font-size:1.9rem;margin:0 0 .5rem}h2{margin:2.2rem 0 .6rem;border-bottom:1px solid #d5dae3;padding-bottom:.2rem}
h3{margin:1.4rem 0 .4rem}p{max-width:60rem}
code,pre{font-family:ui-monospace,Consolas,'DejaVu Sans Mono',monospace;font-size:.9em}
pre{background:#e9edf3;padding:.6rem .8rem;border-radius:6px;white-space:pre-wrap}
.scroll{overflow-x:auto;margin:.6rem 0 1rem}
table{border-collapse:collapse;background:#fff;font-variant-numeric:tabular-nums;font-size:.92rem}
th,td{border:1px solid #dfe3ea;padding:.3rem .6rem;text-align:left;vertical-align:top;white-space:pre-line}
th{background:#eef1f6;white-space:normal}
td.good{background:#e3f4e4}td.half{background:#fff3cf}td.bad{background:#fbe3e2}td.none{background:#eee;color:#555}
figure{margin:1rem 0;background:#fff;border:1px solid #dfe3ea;border-radius:10px;padding:.8rem}
figure svg{display:block;max-width:100%;height:auto}
figcaption{color:#4a5464;margin-top:.5rem}
nav a{margin-right:1rem}
";

impl Document {
    /// The figures, in order.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Figure(figure) => Some(figure),
            _ => None,
        })
    }

    /// One page that needs nothing else.
    #[must_use]
    pub fn html(&self) -> String {
        let mut out = String::new();
        self.write_html(&mut out)
            .expect("writing into a string cannot fail");
        out
    }

    fn write_html(&self, out: &mut String) -> std::fmt::Result {
        let title = inline(&self.title);
        write!(
            out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n<nav>"
        )?;
        for (k, block) in self.blocks.iter().enumerate() {
            if let Block::Heading(2, text) = block {
                write!(out, "<a href=\"#s{k}\">{}</a>", inline(text))?;
            }
        }
        out.push_str("</nav>\n");
        for (k, block) in self.blocks.iter().enumerate() {
            match block {
                Block::Heading(level, text) => {
                    writeln!(out, "<h{level} id=\"s{k}\">{}</h{level}>", inline(text))?;
                }
                Block::Paragraph(text) => writeln!(out, "<p>{}</p>", inline(text))?,
                Block::Code(text) => writeln!(out, "<pre>{}</pre>", Escaped(text))?,
                Block::Table { header, rows } => html_table(out, header, rows)?,
                Block::Figure(figure) => {
                    // What plotters writes for a file has a prologue that a page may not have.
                    let svg = figure.svg.find("<svg").map_or("", |at| &figure.svg[at..]);
                    writeln!(
                        out,
                        "<figure id=\"{}\">\n{svg}\n<figcaption>{}</figcaption>\n</figure>",
                        Escaped(&figure.name),
                        inline(&figure.caption)
                    )?;
                }
            }
        }
        out.push_str("</main>\n</body>\n</html>\n");
        Ok(())
    }

    /// Markdown whose figures are files `folder`/NAME.svg.
    #[must_use]
    pub fn markdown(&self, folder: &str) -> String {
        let mut out = String::new();
        self.write_markdown(&mut out, folder)
            .expect("writing into a string cannot fail");
        out
    }

    fn write_markdown(&self, out: &mut String, folder: &str) -> std::fmt::Result {
        writeln!(out, "# {}\n", markdown(&self.title))?;
        for block in &self.blocks {
            match block {
                Block::Heading(level, text) => {
                    writeln!(
                        out,
                        "{} {}\n",
                        "#".repeat(usize::from(*level)),
                        markdown(text)
                    )?;
                }
                Block::Paragraph(text) => writeln!(out, "{}\n", markdown(text))?,
                Block::Code(text) => writeln!(out, "```sh\n{text}\n```\n")?,
                Block::Table { header, rows } => {
                    let line = |cells: &[String]| {
                        let cells: Vec<String> =
                            cells.iter().map(|cell| markdown_cell(cell)).collect();
                        format!("| {} |", cells.join(" | "))
                    };
                    writeln!(out, "{}", line(header))?;
                    writeln!(out, "|{}", "---|".repeat(header.len()))?;
                    for row in rows {
                        writeln!(out, "{}", line(row))?;
                    }
                    out.push('\n');
                }
                Block::Figure(figure) => {
                    let Figure { name, caption, .. } = figure;
                    let words = markdown(caption);
                    writeln!(
                        out,
                        "![{}]({folder}/{name}.svg)\n\n*{words}*\n",
                        words.replace('`', "")
                    )?;
                }
            }
        }
        // One line break at the end.
        out.truncate(out.trim_end().len());
        out.push('\n');
        Ok(())
    }
}

fn html_table(out: &mut String, header: &[String], rows: &[Vec<String>]) -> std::fmt::Result {
    out.push_str("<div class=\"scroll\"><table>\n<tr>");
    for cell in header {
        write!(out, "<th>{}</th>", inline(cell))?;
    }
    out.push_str("</tr>\n");
    for row in rows {
        out.push_str("<tr>");
        for cell in row {
            let class = match cell.chars().next() {
                Some('✔') => " class=\"good\"",
                Some('◐') => " class=\"half\"",
                Some('✘') => " class=\"bad\"",
                Some('◌' | '–') => " class=\"none\"",
                _ => "",
            };
            write!(out, "<td{class}>{}</td>", inline(cell))?;
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div>\n");
    Ok(())
}

/// Escaped, with code between backquotes.
fn inline(text: &str) -> String {
    let mut out = String::new();
    // A figure and its interval stay on one line.
    let text = text.replace(" ± ", "\u{a0}±\u{a0}");
    for (k, part) in text.split('`').enumerate() {
        if k % 2 == 1 {
            out.push_str("<code>");
        }
        out.push_str(&Escaped(part).to_string());
        if k % 2 == 1 {
            out.push_str("</code>");
        }
    }
    out
}

/// Plain text as Markdown; code stays as it is.
fn markdown(text: &str) -> String {
    let mut out = String::new();
    for (k, part) in text.split('`').enumerate() {
        if k > 0 {
            out.push('`');
        }
        for c in part.chars() {
            if k % 2 == 0 && "*_<>[]\\".contains(c) {
                out.push('\\');
            }
            out.push(c);
        }
    }
    out
}

fn markdown_cell(text: &str) -> String {
    markdown(text).replace('|', "\\|").replace('\n', "<br>")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Document {
        Document {
            title: "a < b".into(),
            blocks: vec![
                Block::Heading(2, "one & two".into()),
                Block::Paragraph("d_ap is `heat_to_anchors`".into()),
                Block::Table {
                    header: vec!["|U|".into(), "verdict".into()],
                    rows: vec![vec!["2\n5".into(), "✔ holds".into()]],
                },
                Block::Code("anchormatch reproduce all".into()),
                Block::Figure(Figure {
                    name: "figure-1".into(),
                    svg: "<?xml?>\n<svg></svg>".into(),
                    plain: None,
                    caption: "Figure 1".into(),
                }),
            ],
        }
    }

    #[test]
    fn html_is_escaped_and_whole() {
        let html = document().html();
        for part in [
            "<title>a &lt; b</title>",
            "<h2 id=\"s0\">one &amp; two</h2>",
            "<a href=\"#s0\">one &amp; two</a>",
            "<code>heat_to_anchors</code>",
            "<td class=\"good\">✔ holds</td>",
            "<figure id=\"figure-1\">\n<svg></svg>",
        ] {
            assert!(html.contains(part), "{part}\n{html}");
        }
        assert!(!html.contains("<?xml"));
    }

    #[test]
    fn markdown_keeps_bars_and_underscores_apart() {
        let text = document().markdown("reproduction");
        for part in [
            "# a \\< b\n",
            "d\\_ap is `heat_to_anchors`",
            "| \\|U\\| | verdict |\n|---|---|\n| 2<br>5 | ✔ holds |",
            "```sh\nanchormatch reproduce all\n```",
            "![Figure 1](reproduction/figure-1.svg)\n\n*Figure 1*\n",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(text.ends_with("*Figure 1*\n"));
    }
}
