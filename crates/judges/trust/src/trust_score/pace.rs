//! Rate limit on looks at names below one registrable name.
//!
//! Whoever has a zone has as many names in it as they like, and each can lead to a site of others, which a look then asks
//! for its pages. A caller could so make this service a burden to that site. What does not count: the registrable name and
//! `www` below it, so that nobody keeps others from asking about a domain; and names that lead nowhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use domain_name::{DomainName, Subject};
use moka::sync::Cache;

/// Maximum number of names below one registrable name that are looked at within [`WINDOW_S`] seconds. Cached looks do
/// not count.
pub const NAMES: u32 = 20;
/// Length of the window, in seconds.
pub const WINDOW_S: u32 = 60;
/// The registrable names that are counted at once. Where there are more, the count of some begins anew.
const COUNTED: u64 = 1 << 16;

/// Counts of names by registrable name.
pub(super) struct Pace(Cache<DomainName, Arc<AtomicU32>>);

impl Default for Pace {
    fn default() -> Self {
        Self(
            Cache::builder().max_capacity(COUNTED).time_to_live(Duration::from_secs(WINDOW_S.into())).build(),
        )
    }
}

impl Pace {
    /// Counts a look, if there is room for it.
    pub(super) fn admits(&self, subject: &Subject) -> bool {
        let below = subject.name.as_str().strip_suffix(subject.registrable.as_str());
        if matches!(below, Some("" | "www.")) {
            return true;
        }
        let count = self.0.get_with_by_ref(&subject.registrable, Arc::default);
        let admitted = |count: u32| (count < NAMES).then_some(count + 1);
        count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, admitted).is_ok()
    }

    /// Takes a look back that led nowhere: names that are not there are no burden to anybody.
    pub(super) fn release(&self, subject: &Subject) {
        if let Some(count) = self.0.get(&subject.registrable) {
            let _none_left =
                count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| count.checked_sub(1));
        }
    }
}

#[cfg(test)]
mod tests {
    use domain_name::{PublicSuffixes, Rules};

    use super::*;

    #[test]
    fn names_below_one_are_counted_together_and_nobody_keeps_others_from_the_name_itself() {
        let pace = Pace::default();
        let admits = |name: &str| {
            pace.admits(&Subject::parse(name, &PublicSuffixes::bundled(), &Rules::default()).unwrap())
        };
        for number in 0..NAMES {
            assert!(admits(&format!("n{number}.example.com")));
        }
        assert!(!admits("one.more.example.com"));
        let none = Subject::parse("none.example.com", &PublicSuffixes::bundled(), &Rules::default()).unwrap();
        pace.release(&none);
        assert_eq!([admits("one.more.example.com"), admits("two.more.example.com")], [true, false]);
        for other in ["example.com", "www.example.com", "n.example.org", "one.github.io", "two.github.io"] {
            assert!(admits(other), "{other}");
        }
    }
}
