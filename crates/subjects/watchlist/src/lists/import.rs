//! The import: reads the files of a publication into lists.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::columns::{self, ColumnMap};
use super::context::InputFile;
use super::doubt::Doubt;
use super::draft;
use super::error::ListError;
use super::file_format::FileFormat;
use super::fragment::Fragment;
use super::legacy::LegacyFiles;
use super::publication::{ListFile, Publication};
use super::{advanced, csl, date, eu, eu_csv, identity, json, opensanctions, sdn_xml, seco, uk, un, wallets};
use crate::model::{Coverage, List, ListName, PublicationBounds};

/// One file that a list was read from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// Name of the file, without its folder.
    pub name: String,
    /// Format of the file.
    pub form: FileFormat,
    /// Length of the file in bytes, before decompression.
    pub bytes: u64,
    /// SHA-256 of those bytes, in hex.
    pub sha256: String,
}

/// A list with its source files and its doubts.
#[derive(Clone, Debug)]
pub struct ParsedList {
    /// The list.
    pub list: List,
    /// Source files, in the order of their formats and names.
    pub files: Vec<SourceFile>,
    /// Number of entries that the publication states; `None` if it states none.
    pub declared: Option<u64>,
    /// Doubts that an operator should resolve before the list goes live.
    pub doubts: Vec<Doubt>,
}

/// The lists of an import, and the files that were skipped.
#[derive(Debug)]
pub struct Import {
    /// The lists, ordered by name.
    pub lists: Vec<ParsedList>,
    /// Files in the given folders that are not lists and were skipped.
    pub passed_over: Vec<String>,
}

/// The legacy files that are presumed to be of one list, until they can be put together.
#[derive(Default)]
struct LegacySet {
    legacy: LegacyFiles,
    parts: ListParts,
}

/// The parts of one list.
#[derive(Default)]
struct ListParts {
    fragments: Vec<Fragment>,
    /// Days that file names say.
    dates: Vec<Date>,
    files: Vec<SourceFile>,
}

/// State of an import while its files are read.
#[derive(Default)]
struct ImportState {
    lists: BTreeMap<ListName, ListParts>,
    legacy: BTreeMap<ListName, LegacySet>,
}

impl Publication {
    /// Reads the files. `published` is the date for lists whose format has none.
    ///
    /// # Errors
    /// [`ListError`] if a file is not valid; then no list of the import is used.
    pub fn read(&self, published: Option<Date>) -> Result<Import, ListError> {
        let mut read = ImportState::default();
        for file in &self.files {
            read.file(file, &self.bounds, self.columns.as_ref())?;
        }
        for file in &self.files {
            file.unchanged()?;
        }
        let lists = read.lists(&self.bounds)?.into_iter();
        let parsed = lists.map(|(name, parts)| parts.list(name, published, &self.bounds));
        Ok(Import { lists: parsed.collect::<Result<_, _>>()?, passed_over: self.passed_over.clone() })
    }
}

impl ImportState {
    fn file(
        &mut self,
        file: &ListFile,
        bounds: &PublicationBounds,
        columns: Option<&ColumnMap>,
    ) -> Result<(), ListError> {
        let list = file.form.list().map_or_else(|| identity::presumed(&file.name), ListName::new);
        let bytes = file.bytes(bounds)?;
        let digest = bytes.digest();
        let input = InputFile { file: &file.name, list: list.clone(), bounds, bytes };
        let fragments = match file.form {
            FileFormat::CslCsv => csl::read(input)?,
            FileFormat::UnXml => vec![un::read(input)?],
            FileFormat::EuXml => vec![eu::read(input)?],
            FileFormat::EuCsv => vec![eu_csv::read(input)?],
            FileFormat::UkXml => vec![uk::read_xml(input)?],
            FileFormat::UkCsv | FileFormat::OfsiCsv => vec![uk::read_csv(input, file.form)?],
            FileFormat::OfsiXml => vec![uk::read_ofsi_xml(input)?],
            FileFormat::SecoXml => vec![seco::read(input)?],
            FileFormat::Columns => {
                let map = columns.ok_or_else(|| ListError::UnknownForm { file: file.name.clone() })?;
                vec![columns::read(input, map, file.is_json)?]
            }
            FileFormat::AdvancedXml => vec![advanced::read(input)?],
            FileFormat::SdnXml => vec![sdn_xml::read(input)?],
            FileFormat::NamesJson => vec![json::read(input)?],
            FileFormat::WalletLines => vec![wallets::read(input)?],
            FileFormat::OpenSanctions => vec![opensanctions::read(input)?],
            FileFormat::LegacyMain
            | FileFormat::LegacyComments
            | FileFormat::LegacyAliases
            | FileFormat::LegacyAddresses => {
                let set = self.legacy.entry(list).or_default();
                set.parts.dates.extend(date::of_file_name(&file.name));
                set.legacy.read(file.form, input)?;
                set.parts.files.push(source(file, digest()));
                return Ok(());
            }
        };
        let digest = digest();
        for mut fragment in fragments {
            fragment.published = fragment.published.or_else(|| date::of_file_name(&file.name));
            let parts = self.lists.entry(fragment.list.clone()).or_default();
            parts.files.push(source(file, digest));
            parts.fragments.push(fragment);
        }
        Ok(())
    }

    /// Groups the fragments by list, all formats of a list together.
    fn lists(self, bounds: &PublicationBounds) -> Result<BTreeMap<ListName, ListParts>, ListError> {
        let mut lists = self.lists;
        for (_, LegacySet { legacy, parts: ListParts { dates, files, .. } }) in self.legacy {
            let Some(fragment) = legacy.fragment(bounds)? else { continue };
            let parts = lists.entry(fragment.list.clone()).or_default();
            parts.fragments.push(fragment);
            parts.dates.extend(dates);
            parts.files.extend(files);
        }
        Ok(lists)
    }
}

fn source(file: &ListFile, (sha256, bytes): ([u8; 32], u64)) -> SourceFile {
    SourceFile { name: file.name.clone(), form: file.form, bytes, sha256: hex::encode(sha256) }
}

impl ListParts {
    /// Merges all formats of one list into one list.
    fn list(
        self,
        name: ListName,
        published: Option<Date>,
        bounds: &PublicationBounds,
    ) -> Result<ParsedList, ListError> {
        let Self { mut fragments, dates, mut files } = self;
        fragments.sort_by_key(|fragment| fragment.form);
        files.sort_by(|one, other| (one.form, &one.name).cmp(&(other.form, &other.name)));
        let stated = fragments.iter().filter_map(|fragment| fragment.published);
        let date = one_date(&name, stated.chain(dates))?;
        check_forms(&name, &fragments)?;
        let mut doubts: Vec<Doubt> = fragments.iter_mut().flat_map(|one| one.doubts.drain(..)).collect();
        doubts.extend(parts_missing(&fragments));
        let declared = fragments.iter().find_map(|fragment| fragment.declared);
        let mut fragments = fragments.into_iter();
        let mut first = fragments.next().ok_or(ListError::Nothing)?;
        for other in fragments {
            doubts.extend(compare(&first, &other));
            merge(&mut first, other, bounds)?;
        }
        let list = List {
            name,
            published: date.or(published),
            coverage: first.coverage,
            topic: first.topic,
            demo: false,
            entries: first.entries.into_values().collect(),
        };
        Ok(ParsedList { list, files, declared, doubts })
    }
}

/// A main file has no aliases of its own, and of long remarks the beginning: without the files for these, they come from
/// another form or not at all.
fn parts_missing(fragments: &[Fragment]) -> Vec<Doubt> {
    let mut forms = fragments.iter().filter(|fragment| fragment.coverage == Coverage::Names);
    let (Some(only), None) = (forms.next(), forms.next()) else { return Vec::new() };
    let file = || only.file.clone();
    let aliases = Doubt::PartMissing { file: file(), missing: FileFormat::LegacyAliases };
    let remarks = Doubt::RemarksCut { file: file(), entries: only.cut_remarks };
    let doubts = [(only.without_aliases, aliases), (only.cut_remarks > 0, remarks)];
    doubts.into_iter().filter_map(|(is, doubt)| is.then_some(doubt)).collect()
}

/// The one day that all parts are of.
fn one_date(list: &ListName, dates: impl Iterator<Item = Date>) -> Result<Option<Date>, ListError> {
    let mut one = None;
    for date in dates {
        match one {
            Some(first) if first != date => {
                return Err(ListError::DatesDiffer { list: list.clone(), first, second: date });
            }
            _ => one = Some(date),
        }
    }
    Ok(one)
}

fn check_forms(list: &ListName, fragments: &[Fragment]) -> Result<(), ListError> {
    let twice = fragments.windows(2).find(|pair| pair[0].form == pair[1].form);
    twice.map_or(Ok(()), |pair| {
        Err(ListError::Twice {
            list: list.clone(),
            form: pair[0].form.as_str(),
            first: pair[0].file.clone(),
            second: pair[1].file.clone(),
        })
    })
}

/// Two forms of the whole list must have the same entries; wallets must be of entries that the list has.
fn compare(first: &Fragment, other: &Fragment) -> Option<Doubt> {
    let missing = |of: &Fragment, from: &Fragment| {
        of.entries.keys().filter(|uid| !from.entries.contains_key(*uid)).count() as u64
    };
    if other.coverage == Coverage::WalletsOnly {
        let rows = missing(other, first);
        return (rows > 0).then(|| Doubt::Orphans { file: other.file.clone(), rows });
    }
    let differing = missing(first, other) + missing(other, first);
    (differing > 0).then(|| Doubt::FormsDisagree {
        first: first.file.clone(),
        second: other.file.clone(),
        differing,
    })
}

fn merge(first: &mut Fragment, other: Fragment, bounds: &PublicationBounds) -> Result<(), ListError> {
    let wallets_only = other.coverage == Coverage::WalletsOnly;
    for (uid, mut entry) in other.entries {
        match first.entries.get_mut(&uid) {
            Some(known) => {
                if wallets_only {
                    // The rows name their party by display; the list's own names are better.
                    entry.names.clear();
                    entry.programs.clear();
                }
                draft::merge(known, entry);
                draft::finish(known, &other.file, bounds)?;
            }
            None => {
                entry.list = first.list.clone();
                first.add(entry, bounds)?;
            }
        }
    }
    Ok(())
}
