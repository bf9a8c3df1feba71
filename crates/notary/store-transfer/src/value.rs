//! Values and rows, as every back end has them, and their bytes in a dump.

use crate::error::{Result, TransferError};

/// A value of a column.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Value {
    /// No value.
    Null,
    /// A number; times, days and amounts too.
    Int(i64),
    /// A text. Texts are ordered by their bytes.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// The values of a row, in the order of its table's columns.
pub type Row = Vec<Value>;

const NULL: u8 = 0;
const INT: u8 = 1;
const TEXT: u8 = 2;
const BYTES: u8 = 3;

impl Value {
    /// The number; an error where it is another type.
    pub fn int(&self) -> Result<i64> {
        if let Self::Int(number) = self { Ok(*number) } else { Err(self.unfit("a number")) }
    }

    /// The number, which is not negative.
    pub fn unsigned(&self) -> Result<u64> {
        u64::try_from(self.int()?).map_err(|_| self.unfit("a number that is not negative"))
    }

    /// The text; an error where it is another type.
    pub fn text(&self) -> Result<&str> {
        if let Self::Text(text) = self { Ok(text) } else { Err(self.unfit("a text")) }
    }

    /// The bytes; an error where it is another type.
    pub fn bytes(&self) -> Result<&[u8]> {
        if let Self::Bytes(bytes) = self { Ok(bytes) } else { Err(self.unfit("bytes")) }
    }

    fn unfit(&self, expected: &str) -> TransferError {
        let what = match self {
            Self::Null => "nothing",
            Self::Int(_) => "a number",
            Self::Text(_) => "a text",
            Self::Bytes(_) => "bytes",
        };
        TransferError::Unsound(format!("a column has {what} instead of {expected}"))
    }

    /// The number of bytes that it has in a dump.
    pub(crate) fn length(&self) -> usize {
        match self {
            Self::Null => 1,
            Self::Int(_) => 9,
            Self::Text(text) => 5 + text.len(),
            Self::Bytes(bytes) => 5 + bytes.len(),
        }
    }

    /// Writes the value: a byte for its type, then a number in 8 bytes, or a length in 4 and the bytes; all big-endian.
    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        let mut counted = |kind: u8, bytes: &[u8]| -> Result<()> {
            let length = u32::try_from(bytes.len());
            let length = length.map_err(|_| TransferError::Unsound("a value is too long".to_owned()))?;
            out.push(kind);
            out.extend_from_slice(&length.to_be_bytes());
            out.extend_from_slice(bytes);
            Ok(())
        };
        match self {
            Self::Null => out.push(NULL),
            Self::Int(number) => {
                out.push(INT);
                out.extend_from_slice(&number.to_be_bytes());
            }
            Self::Text(text) => counted(TEXT, text.as_bytes())?,
            Self::Bytes(bytes) => counted(BYTES, bytes)?,
        }
        Ok(())
    }

    /// Reads a value from the beginning of `bytes`, which then begin after it. `None` where there is none.
    pub(crate) fn read(bytes: &mut &[u8]) -> Option<Self> {
        let (kind, rest) = bytes.split_first()?;
        *bytes = rest;
        match *kind {
            NULL => Some(Self::Null),
            INT => {
                let (number, rest) = bytes.split_first_chunk()?;
                *bytes = rest;
                Some(Self::Int(i64::from_be_bytes(*number)))
            }
            TEXT => Some(Self::Text(String::from_utf8(counted(bytes)?.to_vec()).ok()?)),
            BYTES => Some(Self::Bytes(counted(bytes)?.to_vec())),
            _ => None,
        }
    }
}

fn counted<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (counted, rest) = rest.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)?;
    *bytes = rest;
    Some(counted)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::Int),
            ".{0,20}".prop_map(Value::Text),
            proptest::collection::vec(any::<u8>(), 0..40).prop_map(Value::Bytes),
        ]
    }

    proptest! {
        #[test]
        fn a_row_is_read_as_it_was_written_and_no_part_of_it_is_a_row(row in proptest::collection::vec(value(), 1..6)) {
            let mut written = Vec::new();
            for value in &row {
                let before = written.len();
                value.write(&mut written).unwrap();
                prop_assert_eq!(written.len() - before, value.length());
            }
            let mut bytes = &*written;
            let read: Option<Row> = (0..row.len()).map(|_| Value::read(&mut bytes)).collect();
            prop_assert_eq!(read.as_ref(), Some(&row));
            prop_assert!(bytes.is_empty());
            for end in 0..written.len() {
                let mut bytes = &written[..end];
                let read: Option<Row> = (0..row.len()).map(|_| Value::read(&mut bytes)).collect();
                prop_assert_eq!(read, None);
            }
        }
    }
}
