//! What the caller of a match should know.

use std::fmt;

use serde::{Serialize, Serializer};

use super::Matching;
use crate::error::{Hint, Words, advised};

/// A sentence for the caller, and what could be done about what it says.
///
/// It prints, and serialises, as one text with the library's neutral words for its hints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    text: String,
    hints: &'static [Hint],
}

impl Note {
    /// A note that advises something.
    pub fn hinting(text: impl Into<String>, hints: &'static [Hint]) -> Self {
        let text = text.into();
        Self { text, hints }
    }

    /// What it says, without advice.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What could be done about it; often nothing.
    #[must_use]
    pub fn hints(&self) -> &'static [Hint] {
        self.hints
    }

    /// The whole note, its advice in the words of a front door.
    #[must_use]
    pub fn worded(&self, words: Words) -> String {
        advised(&self.text, self.hints, words)
    }
}

impl From<String> for Note {
    fn from(text: String) -> Self {
        Self { text, hints: &[] }
    }
}

impl From<&str> for Note {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(Hint::neutral))
    }
}

impl Serialize for Note {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Matching {
    /// Puts the advice of all notes into the words of a front door, for whatever is made of them next:
    /// a file, a page, a line on a terminal.
    pub fn word_notes(&mut self, words: Words) {
        for note in &mut self.notes {
            *note = note.worded(words).into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_one_text_wherever_it_goes() {
        let note = Note::hinting("an anchor disagrees", &[Hint::RepairAnchors]);
        let text = "an anchor disagrees; repairing the anchors would demote it";
        assert_eq!(note.to_string(), text);
        assert_eq!(serde_json::to_value(&note).unwrap(), text);
        assert_eq!(
            note.worded(|_| "repair it"),
            "an anchor disagrees; repair it"
        );
        assert_eq!(Note::from("plain").worded(|_| "never said"), "plain");
    }
}
