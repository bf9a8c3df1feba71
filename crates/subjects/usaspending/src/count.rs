//! The answer of the count.

use receipt::json::Json;
use record_search::{AnswerError, Row, parse};

use crate::answer::{messages, refuse_unused};
use crate::award::whole;
use crate::tables::{COUNTS, SUBAWARD_COUNTS};
use crate::{AwardGroup, AwardSearch, SERVICE};

/// The numbers of awards of each group that match a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwardCounts {
    /// Words of the service to those who ask, such as warnings.
    pub messages: Vec<String>,
    /// All counts.
    pub row: Row,
}

impl AwardCounts {
    /// Reads the answer at [`COUNT_URL`](crate::COUNT_URL).
    ///
    /// # Errors
    /// [`AnswerError`].
    pub fn read(body: &[u8]) -> Result<Self, AnswerError> {
        let parsed = parse(SERVICE, body)?;
        let answer = whole(&parsed)?;
        let Some(counts) = answer.get("results").and_then(Json::as_object) else {
            return Err(AnswerError::Missing {
                service: SERVICE,
                kind: "count of awards",
                member: "results",
            });
        };
        let messages = messages(answer);
        refuse_unused(&messages)?;
        let is_of_subawards = counts.contains("subcontracts") || counts.contains("subgrants");
        let table = if is_of_subawards { &SUBAWARD_COUNTS } else { &COUNTS };
        Ok(Self { messages, row: table.read_lossless(counts)? })
    }

    /// The number of awards of a group.
    pub fn of(&self, group: AwardGroup) -> u64 {
        self.row.count(group.name()).unwrap_or_default()
    }

    /// The number of rows of a search, which may be one for subawards; `None` where the counts are of the other kind.
    pub fn of_search(&self, search: &AwardSearch) -> Option<u64> {
        let name = match (search.subawards, search.group) {
            (false, group) => group.name(),
            (true, AwardGroup::Grants) => "subgrants",
            (true, _) => "subcontracts",
        };
        self.row.count(name)
    }
}
