//! XML, record by record: only one record is held at a time.
//!
//! Names are compared without their namespace, which OFAC changed on 2024-05-07. A document type is refused,
//! and with it every entity but XML's own five.

use std::io::BufRead;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};

use super::bounded::{RecordMeter, read_error};
use super::context::{InputFile, malformed};
use super::error::ListError;

/// An element of a record, with all that is in it.
#[derive(Debug, Default)]
pub(super) struct XmlElement {
    pub(super) name: Box<str>,
    attributes: Vec<(Box<str>, Box<str>)>,
    text: String,
    pub(super) children: Vec<XmlElement>,
}

impl XmlElement {
    /// The value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| &**known == name).map(|(_, value)| &**value)
    }

    /// The first child of that name.
    pub(super) fn child(&self, name: &str) -> Option<&XmlElement> {
        self.children.iter().find(|child| &*child.name == name)
    }

    /// The children of that name.
    pub(super) fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a XmlElement> + Clone {
        self.children.iter().filter(move |child| &*child.name == name)
    }

    /// The grandchildren: items of a list that is a child.
    pub(super) fn items<'a>(&'a self, list: &'a str, item: &'a str) -> impl Iterator<Item = &'a XmlElement> {
        self.named(list).flat_map(move |list| list.named(item))
    }

    /// Text of the element itself, trimmed.
    pub(super) fn text(&self) -> &str {
        self.text.trim()
    }

    /// The text of a child; empty where it is not there.
    pub(super) fn text_of(&self, name: &str) -> &str {
        self.child(name).map_or("", XmlElement::text)
    }
}

enum OpenElement {
    /// The root element, or a list of records in it.
    Container(Box<str>),
    /// A record, or an element of one.
    Part(XmlElement),
}

/// Callback for each record, with the name of the element that contains it.
pub(super) type OnRecord<'a> = &'a mut dyn FnMut(&str, XmlElement) -> Result<(), ListError>;

/// The events of one document, put together to records.
struct RecordReader<'a> {
    file: &'a str,
    root: &'a str,
    containers: &'a [&'a str],
    depth_limit: usize,
    meter: RecordMeter,
    open: Vec<OpenElement>,
    ended: bool,
    /// The root without what is in it.
    top: XmlElement,
    on_record: OnRecord<'a>,
}

/// Reads a document whose root is `root`. Elements named in `containers`, directly under the root, hold
/// records; all other children of the root are records themselves. Gives the root with its attributes alone.
///
/// # Errors
/// [`ListError`] where it is no such document, or ends early, and what `on_record` gives.
pub(super) fn read(
    input: InputFile<'_>,
    root: &str,
    containers: &[&str],
    on_record: OnRecord<'_>,
) -> Result<XmlElement, ListError> {
    let mut records = RecordReader {
        file: input.file,
        root,
        containers,
        depth_limit: input.bounds.xml_depth,
        meter: input.meter(),
        open: Vec::new(),
        ended: false,
        top: XmlElement::default(),
        on_record,
    };
    records.read(input.bytes)?;
    Ok(records.top)
}

impl RecordReader<'_> {
    fn read(&mut self, bytes: impl BufRead) -> Result<(), ListError> {
        let mut reader = quick_xml::Reader::from_reader(bytes);
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            let event = reader.read_event_into(&mut buffer).map_err(|error| match error {
                quick_xml::Error::Io(source) => read_error(
                    self.file,
                    std::sync::Arc::try_unwrap(source).unwrap_or_else(|shared| shared.kind().into()),
                ),
                other => malformed(self.file, other.to_string()),
            })?;
            match event {
                Event::Eof => return self.end_of_file(),
                event => self.event(event)?,
            }
        }
    }

    fn event(&mut self, event: Event<'_>) -> Result<(), ListError> {
        match event {
            Event::Start(start) => self.start(&start),
            Event::Empty(start) => self.start(&start).and_then(|()| self.end()),
            Event::End(_) => self.end(),
            Event::Text(text) => self.text(&text.xml10_content()),
            Event::CData(text) => self.text(&text.xml10_content()),
            Event::GeneralRef(reference) => {
                let character = match reference.resolve_char_ref() {
                    Ok(Some(character)) => Some(character.to_string()),
                    Ok(None) => quick_xml::escape::resolve_predefined_entity(&reference.xml10_content())
                        .map(str::to_owned),
                    Err(_) => None,
                };
                let text = character.ok_or_else(|| self.malformed("it uses an entity of its own"))?;
                self.text(&text)
            }
            Event::DocType(_) => Err(self.malformed("it has a document type")),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::Eof => Ok(()),
        }
    }

    fn start(&mut self, start: &BytesStart<'_>) -> Result<(), ListError> {
        if self.open.len() >= self.depth_limit {
            let limit = self.depth_limit as u64;
            return Err(ListError::TooLarge {
                file: self.file.to_owned(),
                what: "levels of elements",
                limit,
            });
        }
        let name: &str = start.local_name().into_inner();
        let opened = match self.open.as_slice() {
            [] if self.ended => return Err(self.malformed("something comes after its end")),
            [] if name != self.root => return Err(self.malformed(format!("its root is {name}"))),
            [] => {
                self.top = self.element(name, start)?;
                OpenElement::Container(name.into())
            }
            [_] if self.containers.contains(&name) => OpenElement::Container(name.into()),
            _ => OpenElement::Part(self.element(name, start)?),
        };
        self.open.push(opened);
        Ok(())
    }

    fn element(&self, name: &str, start: &BytesStart<'_>) -> Result<XmlElement, ListError> {
        let mut element = XmlElement { name: name.into(), ..XmlElement::default() };
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|error| self.malformed(error.to_string()))?;
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map_err(|error| self.malformed(error.to_string()))?;
            element.attributes.push((attribute.key.local_name().into_inner().into(), (*value).into()));
        }
        Ok(element)
    }

    fn end(&mut self) -> Result<(), ListError> {
        let closed = self.open.pop().ok_or_else(|| self.malformed("it closes what is not open"))?;
        self.ended = self.open.is_empty();
        let OpenElement::Part(element) = closed else { return Ok(()) };
        match self.open.last_mut() {
            Some(OpenElement::Part(parent)) => parent.children.push(element),
            Some(OpenElement::Container(name)) => {
                self.meter.next();
                (self.on_record)(name, element)?;
            }
            None => {}
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), ListError> {
        match self.open.last_mut() {
            Some(OpenElement::Part(element)) => element.text.push_str(text),
            _ if text.trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']).is_empty() => {}
            _ => return Err(self.malformed("text stands outside of its records")),
        }
        Ok(())
    }

    fn end_of_file(&self) -> Result<(), ListError> {
        if self.ended { Ok(()) } else { Err(self.malformed("it is truncated")) }
    }

    fn malformed(&self, why: impl Into<String>) -> ListError {
        malformed(self.file, why)
    }
}
