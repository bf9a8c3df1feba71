//! Content-Security-Policy (W3C CSP 3) as the Observatory reads it: all policies of a response folded into one.
//!
//! Where several policies are given a browser enforces each of them. The Observatory keeps of the first policy what it
//! says, and of a directive that several name what they have in common. The fold is reproduced here with its
//! peculiarities, since the grades follow from it: a directive that only a later policy names counts as `'none'`.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use crate::fields::is_space;

/// Length of the shortest policy, in UTF-16 units.
const SHORTEST_POLICY: usize = 6;
/// Directives that may be given twice; any other makes the policy invalid.
const REPEATABLE: &[&str] = &["report-uri", "report-to"];
/// Directives that do not count in a `meta` element.
const HEADER_ONLY: &[&str] = &["frame-ancestors", "report-uri", "sandbox"];
/// The most policies, directives and sources that are folded; what has more is no policy that anybody wrote.
const MAX_POLICIES: usize = 64;
const MAX_SOURCES: usize = 4096;

/// The directives of all policies, each with its sources, in lower case.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct CspPolicy {
    directives: BTreeMap<String, BTreeSet<String>>,
    /// True if a directive that may be repeated was.
    pub(crate) has_repeats: bool,
}

/// Error of a text that is no policy: too short, too long, a directive given twice, or a source that is not text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Invalid;

#[derive(Clone, Debug)]
struct CspSource {
    text: String,
    policy: usize,
    keep: bool,
}

impl CspPolicy {
    /// Reads the policies of a response; each value of a field or `meta` element may hold several, by commas.
    pub(crate) fn parse<'a>(values: impl IntoIterator<Item = &'a str>) -> Result<Self, Invalid> {
        let policies: Vec<String> =
            values.into_iter().flat_map(|value| value.split(',')).map(clean).collect();
        if policies.len() > MAX_POLICIES
            || policies.iter().any(|policy| policy.encode_utf16().count() < SHORTEST_POLICY)
            || policies.iter().map(|policy| policy.split(is_space).count()).sum::<usize>() > MAX_SOURCES
        {
            return Err(Invalid);
        }
        let mut folded: BTreeMap<String, Vec<CspSource>> = BTreeMap::new();
        let mut has_repeats = false;
        for (index, policy) in policies.iter().enumerate() {
            has_repeats |= fold(&mut folded, policy, index, policies.len() > 1)?;
        }
        let directives = folded.into_iter().map(|(directive, sources)| (directive, texts(sources)));
        Ok(Self { directives: directives.collect(), has_repeats })
    }

    /// Reads policies of `meta` elements as [`CspPolicy::parse`] does, without the directives that do not count there.
    pub(crate) fn parse_meta<'a>(values: impl IntoIterator<Item = &'a str>) -> Result<Self, Invalid> {
        let mut policy = Self::parse(values)?;
        policy.directives.retain(|directive, _| !HEADER_ONLY.contains(&directive.as_str()));
        Ok(policy)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.directives.is_empty()
    }

    pub(crate) fn get(&self, directive: &str) -> Option<&BTreeSet<String>> {
        self.directives.get(directive)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &BTreeSet<String>)> {
        self.directives.iter().map(|(directive, sources)| (directive.as_str(), sources))
    }

    /// The sources that a directive goes by: its own, else those of `default-src`; `None` where all is allowed.
    pub(crate) fn effective(&self, directive: &str) -> Option<&BTreeSet<String>> {
        self.get(directive).or_else(|| self.get("default-src"))
    }

    /// Sources of a directive as [`CspPolicy::effective`] gives them, to be changed: for a directive that goes by
    /// `default-src` they are those.
    pub(crate) fn effective_mut(&mut self, directive: &str) -> Option<&mut BTreeSet<String>> {
        let name = if self.directives.contains_key(directive) { directive } else { "default-src" };
        self.directives.get_mut(name)
    }
}

fn clean(policy: &str) -> String {
    policy.chars().filter(|c| !matches!(c, '\r' | '\n')).collect::<String>().trim_matches(is_space).to_owned()
}

/// A directive that had sources and lost them all allows nothing.
fn texts(sources: Vec<CspSource>) -> BTreeSet<String> {
    if sources.is_empty() {
        BTreeSet::from(["'none'".to_owned()])
    } else {
        sources.into_iter().map(|source| source.text).collect()
    }
}

/// Folds one policy into those before it; tells whether it repeats a directive that it may.
fn fold(
    folded: &mut BTreeMap<String, Vec<CspSource>>,
    policy: &str,
    index: usize,
    is_one_of_many: bool,
) -> Result<bool, Invalid> {
    let mut seen = BTreeSet::new();
    let mut has_repeats = false;
    for entry in policy.split(';') {
        let mut words = entry.split(is_space).filter(|word| !word.is_empty());
        let Some(directive) = words.next().map(str::to_lowercase) else { continue };
        if !seen.insert(directive.clone()) {
            if !REPEATABLE.contains(&directive.as_str()) {
                return Err(Invalid);
            }
            has_repeats = true;
        }
        let mut sources: Vec<CspSource> =
            words.map(str::to_lowercase).map(|text| source(text, index)).collect();
        if sources.is_empty() && directive.ends_with("-src") {
            sources.push(source("'none'".to_owned(), index));
        }
        if index > 0 {
            let before = folded.remove(&directive).unwrap_or_default();
            sources.splice(0..0, before);
        }
        sources.sort_by(|a, b| collate(&a.text, &b.text));
        mark(&mut sources)?;
        sources.retain(|source| source.keep);
        if index == 0 && is_one_of_many {
            sources.iter_mut().for_each(|source| source.keep = false);
        }
        folded.insert(directive, sources);
    }
    Ok(has_repeats)
}

fn source(text: String, policy: usize) -> CspSource {
    CspSource { text, policy, keep: policy == 0 }
}

/// Decides between neighbours: within a policy one that continues another is superfluous; between policies what both
/// say stays.
fn mark(sources: &mut [CspSource]) -> Result<(), Invalid> {
    for at in 1..sources.len() {
        let (before, rest) = sources.split_at_mut(at);
        let (Some(previous), Some(source)) = (before.last(), rest.first_mut()) else { continue };
        if source.policy == previous.policy {
            if source.text.starts_with(&previous.text) {
                source.keep = false;
            }
        } else if path_matches(&previous.text, &source.text)? {
            source.keep = true;
        }
    }
    Ok(())
}

/// The path match of CSP 3 section 6.7.2.12, over whole sources.
fn path_matches(pattern: &str, path: &str) -> Result<bool, Invalid> {
    if pattern.is_empty() || (pattern == "/" && path.is_empty()) {
        return Ok(true);
    }
    let is_exact = !pattern.ends_with('/');
    let mut patterns: Vec<&str> = pattern.split('/').collect();
    let paths: Vec<&str> = path.split('/').collect();
    if patterns.len() > paths.len() || (is_exact && patterns.len() != paths.len()) {
        return Ok(false);
    }
    if !is_exact {
        patterns.pop();
    }
    for (a, b) in patterns.iter().zip(&paths) {
        if decode(a)? != decode(b)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Undoes percent-encoding; a `%` without two digits, or bytes that are no UTF-8, are an error.
fn decode(text: &str) -> Result<String, Invalid> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first == b'%' {
            let digits = after.get(..2).filter(|two| two.iter().all(u8::is_ascii_hexdigit)).ok_or(Invalid)?;
            let digits = std::str::from_utf8(digits).map_err(|_| Invalid)?;
            bytes.push(u8::from_str_radix(digits, 16).map_err(|_| Invalid)?);
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    String::from_utf8(bytes).map_err(|_| Invalid)
}

/// The order of the root collation (CLDR) for the characters of a source list: marks, then digits, then letters.
const MARKS: &str = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";

fn collate(a: &str, b: &str) -> Ordering {
    a.chars().map(weight).cmp(b.chars().map(weight))
}

fn weight(character: char) -> (u8, u32) {
    match MARKS.chars().position(|mark| mark == character).and_then(|at| u32::try_from(at).ok()) {
        Some(at) => (1, at),
        None if character.is_ascii_control() => (0, u32::from(character)),
        None => (2, u32::from(character)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sources(values: &[&str], directive: &str) -> Option<Vec<String>> {
        let policy = CspPolicy::parse(values.iter().copied()).unwrap();
        policy.get(directive).map(|sources| sources.iter().cloned().collect())
    }

    fn list(texts: &[&str]) -> Option<Vec<String>> {
        Some(texts.iter().map(|&text| text.to_owned()).collect())
    }

    #[test]
    fn a_directive_has_the_sources_of_its_policy_in_lower_case() {
        assert_eq!(
            sources(&["Default-Src 'SELF'  https://A.example; ;"], "default-src"),
            list(&["'self'", "https://a.example"])
        );
        assert_eq!(sources(&["default-src"], "default-src"), list(&["'none'"]));
        assert_eq!(sources(&["default-src a", "img-src b"], "style-src"), None);
    }

    #[test]
    fn of_several_policies_that_stays_which_all_of_them_say() {
        assert_eq!(sources(&["script-src a b", "script-src b c"], "script-src"), list(&["b"]));
        assert_eq!(sources(&["script-src a b, script-src b c"], "script-src"), list(&["b"]));
        assert_eq!(sources(&["script-src a", "script-src b"], "script-src"), list(&["'none'"]));
        assert_eq!(sources(&["script-src a", "object-src b"], "object-src"), list(&["'none'"]));
        assert_eq!(sources(&["script-src a", "object-src b"], "script-src"), list(&["a"]));
    }

    #[test]
    fn what_is_no_policy_is_invalid() {
        for value in ["", "  ", "defa", "default-src a; default-src a", "default-src a,", "default-src a, x"]
        {
            assert_eq!(CspPolicy::parse([value]), Err(Invalid), "{value:?}");
        }
        assert_eq!(CspPolicy::parse(["script-src /%zz", "script-src /%zz"]), Err(Invalid));
        assert_eq!(CspPolicy::parse(vec!["default-src a"; MAX_POLICIES + 1]), Err(Invalid));
        assert!(CspPolicy::parse([]).is_ok_and(|policy| policy.is_empty()));
    }

    #[test]
    fn reports_may_be_given_twice() {
        let policy = CspPolicy::parse(["default-src a; report-uri /x; report-uri /y"]).unwrap();
        assert!(policy.has_repeats);
    }

    proptest! {
        #[test]
        fn no_text_panics(values in prop::collection::vec(r"\PC{0,40}|[a-z%/;, '*:-]{0,60}", 0..4)) {
            let _ = CspPolicy::parse(values.iter().map(String::as_str));
            let _ = CspPolicy::parse_meta(values.iter().map(String::as_str));
        }
    }
}
