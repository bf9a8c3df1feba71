//! Secrets in a text, in all views of it.

use std::ops::Range;

use secrets::Secret;
use text_views::{View, views};

/// A secret, and the name of the view that shows it; `None` where it stands as it is.
pub(crate) type SeenSecret = (Secret, Option<&'static str>);

/// The secrets of these views, at their places in the text.
pub(crate) fn find(views: &[View], name: fn(&View) -> Option<&'static str>) -> Vec<SeenSecret> {
    let mut found: Vec<SeenSecret> = Vec::new();
    for view in views {
        let secrets = secrets::find(view.text()).findings;
        found.extend(secrets.into_iter().map(|secret| {
            let span = view.span(secret.span);
            (Secret { rule: secret.rule, span }, name(view))
        }));
    }
    // Views of less disguise come first, and are the ones to name.
    found.sort_by_key(|(secret, _)| (secret.span.start, secret.span.end));
    found.dedup_by(|(b, _), (a, _)| a.span == b.span && a.rule == b.rule);
    found
}

/// The places that hold secrets, rising and apart.
pub(crate) fn covered(found: &[SeenSecret]) -> Vec<Range<usize>> {
    let mut merged: Vec<Range<usize>> = Vec::new();
    for (Secret { span, .. }, _) in found {
        match merged.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => merged.push(span.clone()),
        }
    }
    merged
}

/// A text with each secret replaced by its rule and length.
pub(crate) fn redacted(text: &str) -> String {
    let found: Vec<Secret> =
        find(&views(text).views, |_| None).into_iter().map(|(secret, _)| secret).collect();
    if found.is_empty() { text.to_owned() } else { secrets::redact(text, &found) }
}
