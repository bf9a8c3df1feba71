//! Elements of XML with their attributes, as Flex statements have them.

use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};

use crate::error::{ImportError, Problem, shown};
use crate::{MAX_CELL_BYTES, MAX_COLUMNS, MAX_DEPTH, MAX_ROWS};

/// An element, without what is in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Element {
    /// Its number in the file, from 1.
    pub(crate) number: u32,
    pub(crate) name: String,
    attributes: Vec<(String, String)>,
}

impl Element {
    /// The value of an attribute without spaces around it; empty where it is not there.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.attributes.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value.trim())
    }
}

/// Reads the elements of these names, with their attributes of those.
pub(crate) fn elements(
    content: &str,
    names: &[&str],
    attributes: &[&str],
) -> Result<Vec<Element>, ImportError> {
    let mut reader = Reader::from_str(content);
    let mut elements = Vec::new();
    let (mut number, mut depth) = (0_u32, 0_usize);
    let mut has_root = false;
    loop {
        let event = reader.read_event().map_err(|error| damaged(&error.to_string(), number))?;
        let start = match event {
            Event::DocType(_) => return Err(Problem::Doctype.anywhere()),
            Event::Start(start) => {
                depth += 1;
                start
            }
            Event::Empty(start) => start,
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                continue;
            }
            Event::Eof if depth > 0 || !has_root => return Err(damaged("an element is not closed", number)),
            Event::Eof => return Ok(elements),
            _ => continue,
        };
        has_root = true;
        number = number.saturating_add(1);
        if depth > MAX_DEPTH {
            return Err(Problem::TooDeep.at(number));
        }
        if names.contains(&start.local_name().as_ref()) {
            if elements.len() >= MAX_ROWS {
                return Err(Problem::TooManyRows.at(number));
            }
            elements.push(element(number, &start, attributes)?);
        }
    }
}

fn element(number: u32, start: &BytesStart<'_>, wanted: &[&str]) -> Result<Element, ImportError> {
    let name = start.local_name().as_ref().to_owned();
    let mut attributes = Vec::new();
    for (count, attribute) in start.attributes().enumerate() {
        let attribute = attribute.map_err(|error| damaged(&error.to_string(), number))?;
        let key = attribute.key.as_ref();
        if attribute.value.len() > MAX_CELL_BYTES {
            return Err(Problem::CellTooLong.of(number, key));
        }
        if count >= MAX_COLUMNS {
            return Err(Problem::TooManyColumns.at(number));
        }
        if !wanted.contains(&key) {
            continue;
        }
        let value = attribute
            .normalized_value(XmlVersion::Implicit1_0)
            .map_err(|error| damaged(&error.to_string(), number))?;
        attributes.push((key.to_owned(), value.into_owned()));
    }
    Ok(Element { number, name, attributes })
}

fn damaged(detail: &str, number: u32) -> ImportError {
    Problem::Damaged(shown(detail)).at(number)
}
