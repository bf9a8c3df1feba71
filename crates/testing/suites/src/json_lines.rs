//! Files with a JSON object a line.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;

use flate2::read::GzDecoder;
use serde::de::DeserializeOwned;

/// The rows of a file, which may be compressed with gzip; `None` where there is no such file.
///
/// A line that is no row of this type is a fault of the data, and stops the suites.
pub fn read<T: DeserializeOwned>(path: &Path) -> Option<Vec<T>> {
    let file = File::open(path).ok()?;
    let is_compressed = path.extension().is_some_and(|extension| extension == "gz");
    let bytes: Box<dyn Read> = if is_compressed { Box::new(GzDecoder::new(file)) } else { Box::new(file) };
    let row = |(number, line): (usize, std::io::Result<String>)| {
        let line = line.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("{}, line {}: {error}", path.display(), number + 1))
    };
    Some(BufReader::new(bytes).lines().enumerate().map(row).collect())
}
