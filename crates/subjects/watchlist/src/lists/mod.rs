//! Reads the files of list publishers.
//!
//! [`Publication::open`] recognises the files of one import, by what they begin with, and
//! [`Publication::read`] reads them, record by record, into [`List`](crate::List)s. Files of one list
//! (SDN.XML and SDN_ADVANCED.XML, the legacy CSV files, wallets) are joined by uid; the order in which they
//! are named makes no difference.
//!
//! | form | module | holds |
//! |---|---|---|
//! | `SDN_ADVANCED.XML` | `advanced` | all, in original scripts too |
//! | `SDN.XML`, `CONSOLIDATED.XML` | `sdn_xml` | all but original scripts; says how many entries it has |
//! | `sdn.csv`, `alt.csv`, `add.csv`, `sdn_comments.csv`, `cons_*` | `legacy`, `remarks` | all but original scripts |
//! | `{"entries": [...]}` | `json` | names and strong aliases |
//! | `{"address": ...}` a line | `wallets` | wallets, of the entries of another form |
//! | `targets.simple.csv` | `opensanctions` | names without quality, numbers without kind |
//! | the UN's `consolidated.xml` | `un` | all but designations and what an alias alone has |
//! | the EU's FSF XML and CSV | `eu`, `eu_csv` | all but what documents say of themselves |
//! | the UK Sanctions List and OFSI's, XML and CSV | `uk` | all but measures |
//! | SECO's XML | `seco` | all but what was before the last modification |
//! | the Consolidated Screening List's CSV | `csl` | a list for each of its sources |
//! | any CSV or JSON Lines | `columns` | what a map of the columns says |
//!
//! Which list a file is of is told by what it holds (`identity`).
//!
//! # Invariants
//!
//! - A broken file is refused as a whole.
//! - Every entry of a file is read.
//! - A value over its bound is an error; no value is cut.

mod advanced;
mod bounded;
pub(crate) mod changes;
mod columns;
mod context;
mod csl;
mod date;
mod detect;
mod doubt;
pub(crate) mod draft;
mod error;
mod eu;
mod eu_csv;
mod file_format;
mod fragment;
mod free_text;
mod identity;
mod import;
mod json;
mod legacy;
mod opensanctions;
mod parties;
mod publication;
mod remarks;
mod sdn_xml;
mod seco;
mod table;
mod text;
mod uk;
mod un;
mod wallets;
mod xml;

pub use columns::ColumnMap;
pub use doubt::{Doubt, NameKind};
pub use error::ListError;
pub use file_format::FileFormat;
pub use import::{Import, ParsedList, SourceFile};
pub use publication::Publication;
