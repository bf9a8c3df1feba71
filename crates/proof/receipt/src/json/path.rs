//! The path of a value in a document.

use std::fmt::Write as _;

/// One step of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Segment {
    /// A step to the member of this name.
    Name(String),
    /// A step to the element at this index, counted from 0.
    Index(usize),
}

/// The way from a document's root to a value in it. The root is the empty path.
///
/// ```
/// use receipt::json::Path;
///
/// let mut path = Path::root();
/// path.push_name("trades");
/// path.push_index(17);
/// path.push_name("pnl/net");
/// assert_eq!(path.dotted(), "trades.17.pnl/net");
/// assert_eq!(path.pointer(), "/trades/17/pnl~1net");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Path(Vec<Segment>);

impl Path {
    /// The path of the document itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// Returns true if this is the path of the document itself.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The steps, beginning at the root.
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// Appends a step.
    pub fn push(&mut self, segment: Segment) {
        self.0.push(segment);
    }

    /// Appends a step to the member `name`.
    pub fn push_name(&mut self, name: impl Into<String>) {
        self.0.push(Segment::Name(name.into()));
    }

    /// Appends a step to the element at `index`, counted from 0.
    pub fn push_index(&mut self, index: usize) {
        self.0.push(Segment::Index(index));
    }

    /// Removes the last step and returns it; `None` for the root.
    pub fn pop(&mut self) -> Option<Segment> {
        self.0.pop()
    }

    /// The steps joined with dots: `trades.17.pnl_net`. A dot or a backslash in a name is written `\.` or `\\`, so that
    /// each text stands for one path only. The root is the empty text.
    pub fn dotted(&self) -> String {
        let mut text = String::new();
        for (at, segment) in self.0.iter().enumerate() {
            if at > 0 {
                text.push('.');
            }
            match segment {
                Segment::Index(index) => write!(text, "{index}").expect("a String takes all text"),
                Segment::Name(name) => push_escaped(&mut text, name, &[('\\', "\\\\"), ('.', "\\.")]),
            }
        }
        text
    }

    /// The JSON pointer (RFC 6901): `/trades/17/pnl_net`. The root is the empty text.
    pub fn pointer(&self) -> String {
        let mut text = String::new();
        for segment in &self.0 {
            text.push('/');
            match segment {
                Segment::Index(index) => write!(text, "{index}").expect("a String takes all text"),
                Segment::Name(name) => push_escaped(&mut text, name, &[('~', "~0"), ('/', "~1")]),
            }
        }
        text
    }

    /// Turns the path round: errors gather their steps on the way out of the document.
    pub(crate) fn reverse(&mut self) {
        self.0.reverse();
    }
}

fn push_escaped(text: &mut String, name: &str, escapes: &[(char, &str)]) {
    for character in name.chars() {
        match escapes.iter().find(|(special, _)| *special == character) {
            Some((_, escape)) => text.push_str(escape),
            None => text.push(character),
        }
    }
}

impl FromIterator<Segment> for Path {
    fn from_iter<I: IntoIterator<Item = Segment>>(segments: I) -> Self {
        Self(segments.into_iter().collect())
    }
}
