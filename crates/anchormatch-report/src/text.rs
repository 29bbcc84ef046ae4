//! Text that is safe inside HTML and SVG, and numbers as people read them.

use std::fmt;

/// Escapes a user's string for element content and quoted attributes alike.
///
/// Characters that neither HTML nor XML may hold become U+FFFD.
#[derive(Debug, Clone, Copy)]
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write as _;
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\n' | '\t' => f.write_char(c)?,
                '\u{fffe}' | '\u{ffff}' => f.write_char('\u{fffd}')?,
                c if c.is_control() => f.write_char('\u{fffd}')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// An SVG coordinate to a tenth of a unit; what is not finite becomes 0.
#[derive(Clone, Copy)]
pub(super) struct Coordinate(pub(super) f64);

impl fmt::Display for Coordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = if self.0.is_finite() {
            (self.0 * 10.0).round()
        } else {
            0.0
        };
        // Adding zero turns −0 into 0.
        write!(f, "{}", tenths / 10.0 + 0.0)
    }
}

/// A number to `digits` significant digits, without trailing zeros.
pub(super) fn number(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "not finite".into();
    }
    if value == 0.0 {
        return "0".into();
    }
    let magnitude = value.abs().log10().floor();
    if !(-4.0..9.0).contains(&magnitude) {
        let text = format!("{value:.*e}", digits.saturating_sub(1));
        let (mantissa, exponent) = text.split_once('e').expect("exponent in {:e}");
        return format!("{}e{exponent}", trimmed(mantissa)).replace('-', "−");
    }
    let decimals = (digits as f64 - 1.0 - magnitude).max(0.0) as usize;
    let text = format!("{value:.decimals$}");
    trimmed(&text).replace('-', "−")
}

/// A count with narrow spaces between the thousands.
pub(super) fn count(value: usize) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() * 2);
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// `count` and its noun: `1 node`, `3 nodes`.
pub(super) fn counted(value: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(value), if value == 1 { one } else { many })
}

/// A duration in the unit that suits it.
pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        s if !s.is_finite() => "not finite".into(),
        s if s >= 120.0 => format!("{} min {} s", (s / 60.0).floor(), (s % 60.0).floor()),
        s if s >= 1.0 || s <= 0.0 => format!("{} s", number(s, 3)),
        s if s >= 1e-3 => format!("{} ms", number(s * 1e3, 3)),
        s => format!("{} µs", number(s * 1e6, 3)),
    }
}

/// A share as a percentage with one decimal.
pub(super) fn percent(share: f64) -> String {
    if share.is_finite() {
        format!("{}\u{202f}%", trimmed(&format!("{:.1}", share * 100.0)))
    } else {
        "not finite".into()
    }
}

fn trimmed(decimal: &str) -> &str {
    if decimal.contains('.') {
        decimal.trim_end_matches('0').trim_end_matches('.')
    } else {
        decimal
    }
}

/// Bytes as the text that a data address holds (RFC 4648).
pub(super) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0u32, |bits, &b| bits << 8 | u32::from(b)) << (8 * (3 - chunk.len()));
        for k in 0..4 {
            if k <= chunk.len() {
                text.push(char::from(LETTERS[(bits >> (18 - 6 * k) & 63) as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaping_leaves_nothing_that_breaks_out() {
        let escaped = Escaped("</script>&\"'\0\u{1b}ü\n").to_string();
        assert_eq!(
            escaped,
            "&lt;/script&gt;&amp;&quot;&#39;\u{fffd}\u{fffd}ü\n"
        );
    }

    #[test]
    fn coordinates_are_always_numbers() {
        for (value, want) in [
            (1.25, "1.3"),
            (3.0, "3"),
            (-0.01, "0"),
            (f64::NAN, "0"),
            (f64::NEG_INFINITY, "0"),
        ] {
            assert_eq!(Coordinate(value).to_string(), want);
        }
    }

    #[test]
    fn numbers_read_well() {
        for (value, want) in [
            (0.0, "0"),
            (1234.5678, "1235"),
            (-0.5, "−0.5"),
            (0.000_012_34, "1.234e−5"),
            (2.5e12, "2.5e12"),
            (f64::NAN, "not finite"),
        ] {
            assert_eq!(number(value, 4), want);
        }
        assert_eq!(count(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(count(12), "12");
        assert_eq!(duration(0.0), "0 s");
        assert_eq!(duration(0.0421), "42.1 ms");
        assert_eq!(duration(125.0), "2 min 5 s");
        assert_eq!(percent(0.5), "50\u{202f}%");
        assert_eq!(percent(2.0 / 3.0), "66.7\u{202f}%");
    }

    #[test]
    fn base64_is_that_of_the_standard() {
        // The test vectors of RFC 4648, section 10.
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xff, 0xfe, 0xfd]), "//79");
    }
}
