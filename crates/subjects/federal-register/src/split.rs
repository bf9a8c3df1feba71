//! A search cut by days, until each part is below the cap of the service.

use std::collections::VecDeque;

use jiff::Unit;
use jiff::civil::Date;

use crate::{MAX_RESULTS, Search};

/// The most calls of a [`Plan`].
pub const MAX_PLAN_CALLS: usize = 64;

/// The search itself where its count is below [`MAX_RESULTS`], else its two halves by days of publication, the later one
/// first. `span` has the first and the last day for a search that does not name its own. A search of a single day cannot be
/// cut; it comes back as it is, and its result is truncated.
pub fn split(search: &Search, count: u64, span: (Date, Date)) -> Vec<Search> {
    let (first, last) = search.days();
    let (first, last) = (first.unwrap_or(span.0), last.unwrap_or(span.1));
    if count < MAX_RESULTS || first >= last {
        return vec![search.clone()];
    }
    let Some((middle, following)) = middle(first, last) else { return vec![search.clone()] };
    let part = |from: Date, to: Date| Search { from: Some(from), to: Some(to), page: 1, ..search.clone() };
    vec![part(following, last), part(first, middle)]
}

/// The last day of the first half and the day after it.
fn middle(first: Date, last: Date) -> Option<(Date, Date)> {
    let days = first.until((Unit::Day, last)).ok()?.get_days();
    let middle = first.checked_add(jiff::Span::new().try_days(days / 2).ok()?).ok()?;
    Some((middle, middle.tomorrow().ok()?))
}

/// A search cut by days: asks for counts, at most [`MAX_PLAN_CALLS`] times, and cuts each part that is not below the cap.
///
/// ```
/// # use federal_register::{Plan, SearchRequest};
/// # use jiff::civil::date;
/// let search = SearchRequest::default().check(date(2026, 1, 31)).unwrap();
/// let mut plan = Plan::new(search, (date(2026, 1, 1), date(2026, 1, 31)), 8);
/// while let Some(part) = plan.part() {
///     let count = if part.from.is_none() { 10_000 } else { 6_000 }; // the answer's count for this part
///     plan.counted(count);
/// }
/// assert_eq!(plan.parts().len(), 2);
/// assert!(!plan.is_truncated());
/// ```
#[derive(Clone, Debug)]
pub struct Plan {
    open: VecDeque<Search>,
    parts: Vec<(Search, u64)>,
    span: (Date, Date),
    calls_left: usize,
    is_truncated: bool,
}

impl Plan {
    /// The plan of a search; `span` as for [`split`], `calls` at most [`MAX_PLAN_CALLS`].
    pub fn new(search: Search, span: (Date, Date), calls: usize) -> Self {
        Self {
            open: VecDeque::from([search]),
            parts: Vec::new(),
            span,
            calls_left: calls.min(MAX_PLAN_CALLS),
            is_truncated: false,
        }
    }

    /// The part to ask for now. `None` when all is counted or the calls are used up.
    pub fn part(&mut self) -> Option<&Search> {
        if self.calls_left == 0 {
            self.is_truncated |= !self.open.is_empty();
            return None;
        }
        self.open.front()
    }

    /// Takes the count of the part that [`Self::part`] named.
    pub fn counted(&mut self, count: u64) {
        let Some(part) = self.open.pop_front() else { return };
        self.calls_left = self.calls_left.saturating_sub(1);
        let halves = split(&part, count, self.span);
        if halves.len() < 2 {
            self.is_truncated |= count >= MAX_RESULTS;
            self.parts.push((part, count));
            return;
        }
        for half in halves.into_iter().rev() {
            self.open.push_front(half);
        }
    }

    /// The parts that were counted and need no cut, newest days first, with their counts.
    pub fn parts(&self) -> &[(Search, u64)] {
        &self.parts
    }

    /// Returns true if the parts are not the whole: the calls were used up, or a single day reaches the cap.
    pub fn is_truncated(&self) -> bool {
        self.is_truncated || (self.calls_left == 0 && !self.open.is_empty())
    }
}
