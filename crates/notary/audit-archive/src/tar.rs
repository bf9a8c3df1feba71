//! The container: a plain POSIX tar (ustar) of regular files, which every tar reads.
//!
//! Written and read here, since an archive must be continued at a byte, and since a reader of what strangers hand over accepts one
//! form alone: no links, no folders, no long names, no other owner. A name is at most 99 bytes of a small alphabet.

use std::io::{self, Read};

/// The size of a block, of which the whole file is made.
pub const BLOCK: u64 = 512;

/// The longest name, in bytes.
const MAX_NAME: usize = 99;

/// The greatest size of a member: eleven octal digits.
const MAX_SIZE: u64 = (1 << 33) - 1;

const SIZE: std::ops::Range<usize> = 124..136;
const CHECKSUM: std::ops::Range<usize> = 148..156;

/// The header of a member that its owner alone may read. All but name and size is the same for all members, so that one store
/// gives one archive.
///
/// # Errors
/// The name or the size does not fit the form.
pub fn header(name: &str, size: u64) -> io::Result<[u8; 512]> {
    if !is_name(name) || size > MAX_SIZE {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{name} of {size} bytes is no member"),
        ));
    }
    let mut header = [0; 512];
    let mut put = |at: usize, text: &[u8]| header[at..at + text.len()].copy_from_slice(text);
    put(0, name.as_bytes());
    put(100, b"0000600\0");
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(SIZE.start, format!("{size:011o}\0").as_bytes());
    put(136, b"00000000000\0");
    put(CHECKSUM.start, b"        ");
    put(156, b"0");
    put(257, b"ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[CHECKSUM].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(header)
}

fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/' | b'-' | b'_');
    !name.is_empty()
        && name.len() <= MAX_NAME
        && name.bytes().all(fits)
        && name.split('/').all(|part| !part.is_empty() && !part.starts_with('.'))
}

/// The number of zero bytes after a member of this size.
pub fn padding(size: u64) -> u64 {
    (BLOCK - size % BLOCK) % BLOCK
}

/// An archive that ends too soon, or is not of this form.
#[derive(Debug, thiserror::Error)]
pub enum TarError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It ends within a member, or without the two empty blocks.
    #[error("the archive is cut short: it ends within its data")]
    Cut,
    /// The header of the member at this byte is not one that is written here.
    #[error("at byte {0} there is no member as `touchstone export` writes them")]
    Header(u64),
    /// There is more after the end.
    #[error("there is more after the end of the archive")]
    Trailing,
}

/// A member whose header was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The name.
    pub name: String,
    /// The bytes of its content.
    pub size: u64,
}

/// Reads an archive from its beginning to its end.
pub struct TarReader<R> {
    reader: R,
    position: u64,
    /// The bytes of the member that were not read yet, and of its padding.
    left: u64,
    padding: u64,
}

impl<R: Read> TarReader<R> {
    /// Reads from here on.
    pub fn new(reader: R) -> Self {
        Self { reader, position: 0, left: 0, padding: 0 }
    }

    /// The number of bytes that were read.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Reads the header of the next member; `None` at the end, after which there is nothing. The content of the member before must
    /// have been read to its end.
    ///
    /// # Errors
    /// [`TarError`]
    pub fn next_member(&mut self) -> Result<Option<Member>, TarError> {
        debug_assert_eq!(self.left, 0, "the content comes first");
        let begins = self.position;
        let block = self.block()?;
        if block == [0; 512] {
            return self.end().map(|()| None);
        }
        let member = member_of(&block).ok_or(TarError::Header(begins))?;
        (self.left, self.padding) = (member.size, padding(member.size));
        if member.size == 0 {
            self.skip_padding()?;
        }
        Ok(Some(member))
    }

    /// Reads some of the member's content; 0 at its end.
    ///
    /// # Errors
    /// [`TarError`]
    pub fn read_content(&mut self, buffer: &mut [u8]) -> Result<usize, TarError> {
        let wanted = usize::try_from(self.left).map_or(buffer.len(), |left| left.min(buffer.len()));
        if wanted == 0 {
            return Ok(0);
        }
        let read = self.reader.read(&mut buffer[..wanted])?;
        if read == 0 {
            return Err(TarError::Cut);
        }
        self.position += read as u64;
        self.left -= read as u64;
        if self.left == 0 {
            self.skip_padding()?;
        }
        Ok(read)
    }

    fn skip_padding(&mut self) -> Result<(), TarError> {
        let mut zeros = [0; 512];
        let padding = usize::try_from(std::mem::take(&mut self.padding)).unwrap_or_default();
        let begins = self.position;
        self.exactly(&mut zeros[..padding])?;
        if zeros == [0; 512] { Ok(()) } else { Err(TarError::Header(begins)) }
    }

    fn block(&mut self) -> Result<[u8; 512], TarError> {
        let mut block = [0; 512];
        self.exactly(&mut block)?;
        Ok(block)
    }

    fn exactly(&mut self, buffer: &mut [u8]) -> Result<(), TarError> {
        self.reader.read_exact(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => TarError::Cut,
            _ => error.into(),
        })?;
        self.position += buffer.len() as u64;
        Ok(())
    }

    /// The second empty block, and nothing after it.
    fn end(&mut self) -> Result<(), TarError> {
        let begins = self.position;
        if self.block()? != [0; 512] {
            return Err(TarError::Header(begins));
        }
        match self.reader.read(&mut [0])? {
            0 => Ok(()),
            _ => Err(TarError::Trailing),
        }
    }
}

/// The member of a header; `None` where it is not exactly one that [`header`] makes.
fn member_of(block: &[u8; 512]) -> Option<Member> {
    let name = block[..100].split(|byte| *byte == 0).next()?;
    let name = std::str::from_utf8(name).ok()?;
    let digits = std::str::from_utf8(&block[SIZE.start..SIZE.end - 1]).ok()?;
    let size = u64::from_str_radix(digits, 8).ok()?;
    let made = header(name, size).ok()?;
    (made == *block).then(|| Member { name: name.to_owned(), size })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, TarError> {
        let (mut reader, mut found) = (TarReader::new(bytes), Vec::new());
        while let Some(member) = reader.next_member()? {
            let (mut content, mut buffer) = (Vec::new(), [0; 100]);
            loop {
                match reader.read_content(&mut buffer)? {
                    0 => break,
                    count => content.extend_from_slice(&buffer[..count]),
                }
            }
            found.push((member.name, content));
        }
        Ok(found)
    }

    fn written(members: &[(String, Vec<u8>)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (name, content) in members {
            bytes.extend(header(name, content.len() as u64).unwrap());
            bytes.extend(content);
            bytes.resize(bytes.len().next_multiple_of(512), 0);
        }
        bytes.resize(bytes.len() + 1024, 0);
        bytes
    }

    proptest! {
        #[test]
        fn what_was_written_is_read_and_no_part_of_it_is_an_archive(
            contents in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..1200), 0..4),
            at in any::<prop::sample::Index>(),
        ) {
            let members: Vec<_> =
                (0..).zip(contents).map(|(number, content)| (format!("part/{number}"), content)).collect();
            let mut bytes = written(&members);
            prop_assert_eq!(read(&bytes).unwrap(), members);
            let cut = at.index(bytes.len());
            prop_assert!(read(&bytes[..cut]).is_err());
            bytes.push(0);
            prop_assert!(matches!(read(&bytes), Err(TarError::Trailing)));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
            let _ = read(&bytes);
        }
    }

    #[test]
    fn a_header_of_another_form_is_refused() {
        let good = written(&[("a".to_owned(), b"x".to_vec())]);
        for at in 0..512 {
            let mut bad = good.clone();
            bad[at] ^= 1;
            assert!(read(&bad).is_err(), "byte {at}");
        }
        for name in ["", "/a", "a/", "a//b", "../a", "a/.b", "a b", "\u{e4}", &"a".repeat(100)] {
            assert!(header(name, 0).is_err(), "{name}");
        }
        assert!(header("a", 1 << 33).is_err());
    }
}
