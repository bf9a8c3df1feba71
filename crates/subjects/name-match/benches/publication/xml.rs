//! XML as OFAC's exports are written: an element a line, two spaces a level.

use std::io::{self, Write};

use quick_xml::escape::escape;

/// Attributes with their values.
pub type Attributes<'a> = &'a [(&'a str, &'a dyn std::fmt::Display)];

/// Writes a document.
pub struct Xml<W> {
    to: W,
    open: Vec<&'static str>,
}

impl<W: Write> Xml<W> {
    /// A document with nothing in it yet.
    pub fn new(mut to: W) -> io::Result<Self> {
        writeln!(to, "<?xml version=\"1.0\" encoding=\"utf-8\"?>")?;
        Ok(Self { to, open: Vec::new() })
    }

    /// An element, and what `inside` writes in it.
    pub fn element(
        &mut self,
        name: &'static str,
        attributes: Attributes<'_>,
        inside: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        self.start(name, attributes)?;
        writeln!(self.to, ">")?;
        self.open.push(name);
        inside(self)?;
        self.open.pop();
        self.indent()?;
        writeln!(self.to, "</{name}>")
    }

    /// An element with text, or with nothing.
    pub fn leaf(&mut self, name: &'static str, attributes: Attributes<'_>, text: &str) -> io::Result<()> {
        self.start(name, attributes)?;
        match text {
            "" => writeln!(self.to, " />"),
            _ => writeln!(self.to, ">{}</{name}>", escape(text)),
        }
    }

    fn start(&mut self, name: &str, attributes: Attributes<'_>) -> io::Result<()> {
        self.indent()?;
        write!(self.to, "<{name}")?;
        attributes.iter().try_for_each(|(name, value)| write!(self.to, " {name}=\"{value}\""))
    }

    fn indent(&mut self) -> io::Result<()> {
        (0..self.open.len()).try_for_each(|_| self.to.write_all(b"  "))
    }

    /// What was written to, with everything in it.
    pub fn end(mut self) -> io::Result<W> {
        self.to.flush()?;
        Ok(self.to)
    }
}
