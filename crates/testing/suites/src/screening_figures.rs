//! The figures of a screening run: precision, recall, speed.

use std::collections::BTreeMap;
use std::time::Duration;

use name_match::Verdict;

/// The least that is asked for.
const F1: f64 = 0.985;
/// The least recall at the threshold that is shipped.
const RECALL_AS_SHIPPED: f64 = 0.985;
/// The least recall at one false positive in a hundred.
const RECALL: f64 = 0.93;
/// The most unlisted names that may be a `MATCH`.
const UNLISTED_MATCHED: f64 = 0.002;

/// The least F1 of pairs that are compared by themselves, without a list to say which words are rare: what nomenklatura's
/// logic-v2 reaches on its own cases at its own threshold (0.783).
const PAIRS_F1: f64 = 0.78;
/// The most of their names of two different parties that may be taken for one. Most of them are only a typo, a number or
/// a middle name apart; logic-v2 takes 0.29 for one.
const PAIRS_HIT: f64 = 0.15;
/// The most of them that may be a `MATCH`: it is for names that say the same.
const PAIRS_MATCHED: f64 = 0.06;

/// Classes that are judged together, and the least share of them.
struct Group {
    name: &'static str,
    classes: &'static [&'static str],
    share: f64,
}

/// The groups of names that must be found at one false positive in a hundred.
const FOUND: [Group; 3] = [
    Group {
        name: "original_script_recall",
        classes: &["original-script-un", "original-script-curated"],
        share: 0.75,
    },
    Group { name: "noise_words_recall", classes: &["noise-words-org"], share: 0.95 },
    Group { name: "merged_words_recall", classes: &["token-merge", "token-merge-org"], share: 0.95 },
];

/// The groups of names that must be a `MATCH`.
const MATCHED: [Group; 2] = [
    Group { name: "exact_match", classes: &["exact-primary", "exact-aka"], share: 0.99 },
    Group { name: "reordered_match", classes: &["reorder"], share: 0.99 },
];

/// A figure and its required value.
struct Bar {
    name: &'static str,
    figure: Option<f64>,
    bar: f64,
    /// It is the most, not the least.
    most: bool,
}

impl Bar {
    fn least(name: &'static str, figure: Option<f64>, bar: f64) -> Self {
        Self { name, figure, bar, most: false }
    }

    fn holds(&self) -> bool {
        self.figure.is_none_or(|figure| if self.most { figure <= self.bar } else { figure >= self.bar })
    }

    fn line(&self) -> String {
        let (figure, word) = (self.figure.unwrap_or(0.0), if self.most { "most" } else { "least" });
        let held = if self.holds() { "" } else { ": NOT MET" };
        format!("{}={figure:.4} (at {word} {}){held}", self.name, self.bar)
    }
}

/// Of one class of queries.
#[derive(Debug, Default)]
struct Class {
    rows: usize,
    hits: usize,
    matches: usize,
    /// The scores of the right hits; 0 where there is none.
    scores: Vec<f32>,
    /// The class holds names that are not listed.
    unlisted: bool,
}

/// Counts and times of a run.
#[derive(Debug, Default)]
pub struct Figures {
    classes: BTreeMap<String, Class>,
    unlisted: Vec<f32>,
    times: Vec<Duration>,
}

impl Figures {
    /// Counts a query that is listed: its hit's score and whether it is a `MATCH`, where there is one.
    pub fn listed(&mut self, class: &str, hit: Option<(f32, bool)>) {
        let class = self.classes.entry(class.to_owned()).or_default();
        class.rows += 1;
        class.hits += usize::from(hit.is_some());
        class.matches += usize::from(hit.is_some_and(|(_, matched)| matched));
        class.scores.push(hit.map_or(0.0, |(score, _)| score));
    }

    /// Counts a query that is not listed.
    pub fn unlisted(&mut self, class: &str, score: f32, verdict: Verdict) {
        let class = self.classes.entry(format!("{class} (unlisted)")).or_default();
        class.unlisted = true;
        class.rows += 1;
        class.hits += usize::from(verdict > Verdict::NoMatch);
        class.matches += usize::from(verdict == Verdict::Match);
        self.unlisted.push(score);
    }

    /// Notes how long one query took.
    pub fn took(&mut self, time: Duration) {
        self.times.push(time);
    }

    /// The harmonic mean of precision and recall.
    pub fn f1(&self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 }
    }

    /// The share of listed queries that score higher than all but one in a hundred of the unlisted ones.
    pub fn recall_at_one_percent(&self) -> f64 {
        let cut = self.cut();
        let scores = || self.of(false).flat_map(|class| &class.scores);
        share(scores().filter(|score| **score > cut).count(), scores().count())
    }

    /// Returns the required figures, a line each, and true if all of them hold. The speed is not among them.
    pub fn bars(&self) -> (Vec<String>, bool) {
        let found = |group: &Group| self.found(group.classes);
        let matched = |group: &Group| self.matched(group.classes);
        let mut bars = vec![
            Bar::least("f1", Some(self.f1()), F1),
            Bar::least("recall", Some(self.recall()), RECALL_AS_SHIPPED),
            Bar::least("recall_at_1pct_fpr", Some(self.recall_at_one_percent()), RECALL),
        ];
        bars.extend(FOUND.iter().map(|group| Bar::least(group.name, found(group), group.share)));
        bars.extend(MATCHED.iter().map(|group| Bar::least(group.name, matched(group), group.share)));
        bars.push(Bar {
            most: true,
            ..Bar::least("unlisted_match", self.unlisted_matched(), UNLISTED_MATCHED)
        });
        hold(bars)
    }

    /// The same of pairs of names that are compared by themselves.
    pub fn bars_of_pairs(&self) -> (Vec<String>, bool) {
        let most = |name, figure, bar| Bar { most: true, ..Bar::least(name, figure, bar) };
        let hit = (!self.unlisted.is_empty()).then(|| share(self.hits(true), self.unlisted.len()));
        let has_listed = self.of(false).any(|class| class.rows > 0);
        hold(vec![
            Bar::least("f1", has_listed.then(|| self.f1()), PAIRS_F1),
            most("others_hit", hit, PAIRS_HIT),
            most("others_match", self.unlisted_matched(), PAIRS_MATCHED),
        ])
    }

    /// Precision and recall over all classes.
    pub fn overall(&self) -> String {
        format!(
            "precision={:.4} recall={:.4} f1={:.4} recall_at_1pct_fpr={:.4} false_positives={}/{}",
            self.precision(),
            self.recall(),
            self.f1(),
            self.recall_at_one_percent(),
            self.hits(true),
            self.unlisted.len(),
        )
    }

    /// A line for each class.
    pub fn by_class(&self) -> Vec<String> {
        let cut = self.cut();
        let line = |(name, class): (&String, &Class)| {
            let (hits, matches) = (share(class.hits, class.rows), share(class.matches, class.rows));
            if class.unlisted {
                return format!("{name}: n={} hit={hits:.4} match={matches:.4}", class.rows);
            }
            let above = share(class.scores.iter().filter(|score| **score > cut).count(), class.rows);
            format!(
                "{name}: n={} recall={hits:.4} match={matches:.4} recall_at_1pct_fpr={above:.4}",
                class.rows
            )
        };
        self.classes.iter().map(line).collect()
    }

    /// Returns the speed of the run.
    pub fn speed(&self) -> String {
        let mut times = self.times.clone();
        times.sort_unstable();
        let at = |percent: usize| times.get(times.len() * percent / 100).map_or(0, Duration::as_micros);
        let seconds = times.iter().sum::<Duration>().as_secs_f64().max(f64::MIN_POSITIVE);
        #[allow(clippy::cast_precision_loss)] // thousands of queries
        let per_second = times.len() as f64 / seconds;
        format!("p50_us={} p99_us={} per_s={per_second:.0}", at(50), at(99))
    }

    /// The share of these classes' queries that are found at one false positive in a hundred; nothing without any.
    fn found(&self, classes: &[&str]) -> Option<f64> {
        let cut = self.cut();
        let scores = || self.these(classes).flat_map(|class| &class.scores);
        (scores().count() > 0)
            .then(|| share(scores().filter(|score| **score > cut).count(), scores().count()))
    }

    /// The share of these classes' queries that are a `MATCH`.
    fn matched(&self, classes: &[&str]) -> Option<f64> {
        let rows = self.these(classes).map(|class| class.rows).sum();
        (rows > 0).then(|| share(self.these(classes).map(|class| class.matches).sum(), rows))
    }

    /// The same of the unlisted ones.
    fn unlisted_matched(&self) -> Option<f64> {
        let matches = self.of(true).map(|class| class.matches).sum();
        (!self.unlisted.is_empty()).then(|| share(matches, self.unlisted.len()))
    }

    fn these(&self, classes: &[&str]) -> impl Iterator<Item = &Class> {
        classes.iter().filter_map(|name| self.classes.get(*name))
    }

    fn of(&self, unlisted: bool) -> impl Iterator<Item = &Class> {
        self.classes.values().filter(move |class| class.unlisted == unlisted)
    }

    fn hits(&self, unlisted: bool) -> usize {
        self.of(unlisted).map(|class| class.hits).sum()
    }

    fn precision(&self) -> f64 {
        let right = self.hits(false);
        share(right, right + self.hits(true))
    }

    fn recall(&self) -> f64 {
        share(self.hits(false), self.of(false).map(|class| class.rows).sum())
    }

    /// The score that one in a hundred unlisted queries exceed.
    fn cut(&self) -> f32 {
        let mut scores = self.unlisted.clone();
        scores.sort_unstable_by(|a, b| b.total_cmp(a));
        scores.get(scores.len() / 100).copied().unwrap_or(0.0)
    }
}

/// A line for each bar that there is a figure for, and whether all of these hold.
fn hold(mut bars: Vec<Bar>) -> (Vec<String>, bool) {
    bars.retain(|bar| bar.figure.is_some());
    (bars.iter().map(Bar::line).collect(), bars.iter().all(Bar::holds))
}

#[allow(clippy::cast_precision_loss)] // thousands of queries
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::{Figures, Verdict};

    /// Of a hundred pairs of either kind, so many that are taken for one party, and as many that are a `MATCH`.
    fn pairs(same: usize, others: usize, others_matched: usize) -> bool {
        let mut figures = Figures::default();
        for at in 0..100 {
            figures.listed("pairs", (at < same).then_some((0.9, true)));
            let verdict = match at {
                _ if at < others_matched => Verdict::Match,
                _ if at < others => Verdict::PossibleMatch,
                _ => Verdict::NoMatch,
            };
            figures.unlisted("pairs", 0.5, verdict);
        }
        figures.bars_of_pairs().1
    }

    #[test]
    fn pairs_fail_where_too_few_are_found_or_too_many_are_taken_for_one() {
        assert!(pairs(80, 5, 2));
        assert!(!pairs(60, 5, 2), "most are found by saying that nobody is anybody");
        assert!(!pairs(100, 100, 0), "all are found by saying that everybody is");
        assert!(!pairs(95, 20, 2));
        assert!(!pairs(95, 10, 10));
    }

    #[test]
    fn pairs_of_one_kind_alone_are_judged_by_what_there_is() {
        let mut figures = Figures::default();
        figures.unlisted("pairs", 0.1, Verdict::NoMatch);
        assert!(figures.bars_of_pairs().1);
        figures.unlisted("pairs", 0.9, Verdict::Match);
        assert!(!figures.bars_of_pairs().1);
    }
}
