//! The European Union's consolidated list in CSV (FSF 1.1): `;` between cells, a row for each name, address, date of birth,
//! document and citizenship of an entity.
//!
//! The columns are found by their names; those that a file lacks are empty. Where it does not say which names are strong,
//! all are.

use super::context::{InputFile, malformed};
use super::date;
use super::draft;
use super::error::ListError;
use super::eu::{birth, country, identification, is_low, kind, names_of, place, references};
use super::file_format::FileFormat;
use super::fragment::Fragment;
use super::free_text;
use super::parties::Parties;
use super::table::{self, Header, Row, TableForm};
use super::text::{clean, some};
use crate::model::{Entry, Quality};

/// A column by which the form is told.
pub(super) const KEY: &str = "Entity_LogicalId";

/// The columns that are read.
const NAMES: [&str; 40] = [
    "fileGenerationDate",
    KEY,
    "Entity_EU_ReferenceNumber",
    "Entity_UnitedNationId",
    "Entity_SubjectType",
    "Entity_SubjectType_ClassificationCode",
    "Entity_Regulation_Programme",
    "Entity_Remark",
    "NameAlias_LastName",
    "NameAlias_FirstName",
    "NameAlias_MiddleName",
    "NameAlias_WholeName",
    "NameAlias_Gender",
    "NameAlias_Title",
    "NameAlias_Strong",
    "Address_Street",
    "Address_PoBox",
    "Address_ZipCode",
    "Address_City",
    "Address_Region",
    "Address_Place",
    "Address_CountryDescription",
    "BirthDate_BirthDate",
    "BirthDate_Year",
    "BirthDate_Month",
    "BirthDate_Day",
    "BirthDate_YearRangeFrom",
    "BirthDate_YearRangeTo",
    "BirthDate_Circa",
    "BirthDate_CalendarType",
    "Identification_Number",
    "Identification_LatinNumber",
    "Identification_TypeDescription",
    "Identification_CountryDescription",
    "Citizenship_CountryDescription",
    "NameAlias_Remark",
    "Address_Remark",
    "BirthDate_Remark",
    "Identification_Remark",
    "Citizenship_Remark",
];

/// Positions of the columns, in the order of [`NAMES`].
struct Columns([Option<usize>; NAMES.len()]);

impl Columns {
    fn of(header: &Header) -> Result<Self, ListError> {
        for name in [KEY, "Entity_SubjectType", "NameAlias_WholeName"] {
            header.need(name)?;
        }
        Ok(Self(NAMES.map(|name| header.find(name))))
    }

    /// The cell of a column, which must be one of [`NAMES`].
    fn cell<'r>(&self, row: &'r Row<'_>, name: &str) -> &'r str {
        row.of(NAMES.iter().position(|known| *known == name).and_then(|at| self.0[at])).trim()
    }
}

/// Reads the file.
///
/// # Errors
/// [`ListError`] where it is not such a table.
pub(super) fn read(input: InputFile<'_>) -> Result<Fragment, ListError> {
    let (file, bounds, list) = (input.file, input.bounds, input.list.clone());
    let mut fragment = Fragment::new(FileFormat::EuCsv, file, &list);
    let mut parties = Parties::new(file, bounds, &list);
    let mut published = None;
    let form = TableForm { delimiter: b';', ..TableForm::CSV };
    table::read(
        input,
        form,
        |header, _| Columns::of(header),
        |columns, row| {
            let cell = |name: &str| columns.cell(row, name);
            let day = date::day_month_year(cell("fileGenerationDate"));
            if published.is_some() && day != published {
                return Err(malformed(file, format!("record {} is of another day", row.number)));
            }
            published = published.or(day);
            let kind =
                kind(cell("Entity_SubjectType")).or(kind(cell("Entity_SubjectType_ClassificationCode")));
            parties.add(&clean(cell(KEY)), kind.unwrap_or_default(), |entry| add(entry, columns, row))
        },
    )?;
    fragment.published = published;
    parties.end(fragment)
}

fn add(entry: &mut Entry, columns: &Columns, row: &Row<'_>) {
    let cell = |name: &str| columns.cell(row, name);
    let given = [cell("NameAlias_FirstName"), cell("NameAlias_MiddleName")];
    let weak = cell("NameAlias_Strong").eq_ignore_ascii_case("false") || is_low(cell("NameAlias_Remark"));
    for name in names_of(entry.kind, cell("NameAlias_LastName"), given, cell("NameAlias_WholeName")) {
        draft::alias(entry, &name, if weak { Quality::Weak } else { Quality::Strong });
    }
    entry.gender = entry.gender.or(draft::gender(cell("NameAlias_Gender")));
    entry.title = entry.title.take().or(some(cell("NameAlias_Title")));
    references(entry, cell("Entity_EU_ReferenceNumber"), cell("Entity_UnitedNationId"));
    entry.programs.extend(some(cell("Entity_Regulation_Programme")));
    for of in ["Entity", "NameAlias", "Address", "BirthDate", "Identification", "Citizenship"] {
        let remark = cell(&format!("{of}_Remark"));
        if draft::remark(entry, remark) {
            free_text::wallets(entry, remark);
        }
    }
    country(entry, cell("Citizenship_CountryDescription"));
    let lines = [
        "Address_Street",
        "Address_PoBox",
        "Address_ZipCode",
        "Address_City",
        "Address_Region",
        "Address_Place",
    ];
    place(entry, lines.map(cell), cell("Address_CountryDescription"));
    let parts = [cell("BirthDate_Year"), cell("BirthDate_Month"), cell("BirthDate_Day")];
    let years = [cell("BirthDate_YearRangeFrom"), cell("BirthDate_YearRangeTo")];
    let circa = cell("BirthDate_Circa").to_ascii_lowercase();
    draft::birth(
        entry,
        birth(cell("BirthDate_CalendarType"), cell("BirthDate_BirthDate"), parts, years, &circa),
    );
    let (kind, of) = (cell("Identification_TypeDescription"), cell("Identification_CountryDescription"));
    identification(entry, kind, cell("Identification_Number"), cell("Identification_LatinNumber"), of);
}
