//! The lists that a question asks.

use receipt::json::Path;
use verdict::{Array, Field, FieldError, Fields, Objection, Reason};
use watchlist::ListName;
use watchlist::refresh::PublishedList;

use super::standing::unavailable;
use super::subject::line_schema;
use super::texts::read_texts;
use crate::live::{LiveList, LiveLists, PartyLinks};

/// Maximum number of lists that a question names.
const MOST_LISTS: usize = 32;
/// The most characters of a list's name.
const LIST_CHARS: usize = 128;

pub(crate) const LISTS: Field<Array> = Field::array("lists", 1..=MOST_LISTS, || line_schema(LIST_CHARS))
    .describe(
        "The lists to ask, by the names that /snapshots has, or by `sdn`, `consolidated`, `un`, `eu`, `uk`, `seco`, `csl`: all live \
         ones if left out. NO_MATCH says nothing about the others.",
    )
    .synonyms("list list_names datasets dataset sources source scope sanctions_lists");

/// Reads the names of the lists; none where all are asked.
pub(crate) fn read_lists(fields: &Fields<'_>) -> Result<Vec<String>, FieldError> {
    read_texts(fields, &LISTS, "lists", LIST_CHARS)
}

/// The lists of names that a question asks.
#[derive(Debug)]
pub(crate) struct AskedLists<'l> {
    /// The lists, in the order of the live ones.
    pub(crate) lists: Vec<LiveList>,
    /// Position of each in the live lists of names.
    positions: Vec<usize>,
    links: &'l PartyLinks,
    /// True where the question names them, so that the answer speaks of these alone.
    pub(crate) are_named: bool,
}

impl<'l> AskedLists<'l> {
    /// All live lists of names.
    pub(crate) fn all(live: &'l LiveLists) -> Self {
        let lists = live.names().to_vec();
        Self { positions: (0..lists.len()).collect(), lists, links: live.links(), are_named: false }
    }

    /// The lists of a replay: those that were asked.
    pub(crate) fn of_replay(live: &'l LiveLists, names: &[String]) -> Self {
        Self { are_named: !names.is_empty(), ..Self::all(live) }
    }

    /// The live lists of names that a question asks by name, or all where it names none.
    ///
    /// # Errors
    /// No list answers names; or one that is named is not live: 503 for a list that a publisher has, else 400.
    pub(crate) fn new(live: &'l LiveLists, names: &[String]) -> Result<Self, Objection> {
        if live.names().is_empty() {
            return Err(unavailable("no_list: there is no sanctions list of names yet").into());
        }
        if names.is_empty() {
            return Ok(Self::all(live));
        }
        let called = |name: &String| {
            let lists = live.names().iter().enumerate();
            let called = lists.filter(|(_, list)| is_called(list.name(), name)).map(|(position, _)| position);
            called.collect::<Vec<usize>>()
        };
        let mut positions: Vec<usize> = names.iter().flat_map(called).collect();
        let missing = || names.iter().enumerate().filter(|(_, name)| called(name).is_empty());
        if let Some((at, _)) = missing().find(|(_, name)| published(name).is_none()) {
            return Err(unknown(live, at).into());
        }
        if let Some((_, name)) = missing().next() {
            return Err(unavailable(format!("no_list: {name} is not here")).into());
        }
        positions.sort_unstable();
        positions.dedup();
        let lists = positions.iter().map(|position| live.names()[*position].clone()).collect();
        Ok(Self { lists, positions, links: live.links(), are_named: true })
    }

    /// The entries of the asked lists that are one party with an entry, each as the positions of its list and of itself.
    pub(crate) fn linked(&self, list: usize, entry: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let linked = self.links.linked((self.positions[list], entry));
        linked.into_iter().filter_map(|(position, entry)| {
            Some((self.positions.iter().position(|asked| *asked == position)?, entry))
        })
    }
}

/// Tests that a list is called so: by its name, in any case of letters, or by the key of its publication.
fn is_called(list: &ListName, name: &str) -> bool {
    let published = name.to_ascii_lowercase().parse::<PublishedList>();
    list.as_str().eq_ignore_ascii_case(name) || published.is_ok_and(|published| published.is_of(list))
}

/// The publication that a name is of, by its key or by the name of one of its lists.
fn published(name: &str) -> Option<PublishedList> {
    let is_of = |published: &PublishedList| {
        name.eq_ignore_ascii_case(published.key())
            || published.is_of(&ListName::new(name))
            || name.eq_ignore_ascii_case(published.list().as_str())
    };
    PublishedList::ALL.into_iter().find(is_of)
}

fn unknown(live: &LiveLists, at: usize) -> FieldError {
    let mut path = Path::root();
    path.push_name(LISTS.name);
    path.push_index(at);
    let live: Vec<&str> = live.names().iter().map(|list| list.name().as_str()).collect();
    let detail = format!("must be the name of a live list: {}", live.join(", "));
    FieldError { path, reason: Reason::UnknownValue, detail }
}
