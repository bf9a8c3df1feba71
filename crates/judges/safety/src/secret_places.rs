//! Secrets in a text, in all views of it.

use std::ops::Range;

use secrets::Secret;
use text_views::{View, views};
use web_address::WebAddress;

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

/// The places that hold secrets, rising and apart. The secrets rise.
pub(crate) fn covered(found: &[Secret]) -> Vec<Range<usize>> {
    let mut merged: Vec<Range<usize>> = Vec::new();
    for Secret { span, .. } in found {
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

/// The secrets of an address.
pub(crate) struct AddressSecrets {
    /// The secrets, at their places in the address as it was given, rising.
    pub(crate) found: Vec<Secret>,
    /// True if one of them stands in the host, which other forms of the address show too.
    pub(crate) are_in_host: bool,
    /// True if a part of the address could not be decoded.
    pub(crate) is_capped: bool,
}

impl AddressSecrets {
    /// Finds the secrets of an address, as it was given and as it was read. Whatever stands as a password is one.
    pub(crate) fn of(given: &str, address: &WebAddress) -> Self {
        let views = views(given);
        let mut found: Vec<Secret> =
            find(&views.views, |_| None).into_iter().map(|(secret, _)| secret).collect();
        found.extend(password(address));
        found.sort_by_key(|secret| (secret.span.start, secret.span.end));
        let host = address.host_span().map(|host| address.given_span(host));
        let are_in_host = host.is_some_and(|host| {
            found.iter().any(|secret| secret.span.start < host.end && host.start < secret.span.end)
        });
        Self { found, are_in_host, is_capped: views.capped }
    }

    /// The address as it was given, with each secret replaced by its rule and length.
    pub(crate) fn redacted(&self, given: &str) -> String {
        if self.found.is_empty() { given.to_owned() } else { secrets::redact(given, &self.found) }
    }
}

/// The password before the host: what stands behind the colon, or a long user name with digits, as tokens are put there.
fn password(address: &WebAddress) -> Option<Secret> {
    let userinfo = address.userinfo_span()?;
    let written = &address.text()[userinfo.clone()];
    let start = match written.find(':') {
        Some(colon) => colon + 1,
        None if written.len() >= MIN_TOKEN
            && written.contains(|c: char| c.is_ascii_digit())
            && !written.contains('.') =>
        {
            0
        }
        None => return None,
    };
    let span = userinfo.start + start..userinfo.end;
    let rule = secrets::rules().find(|rule| rule.id == "url-password")?;
    (!span.is_empty()).then(|| Secret { rule, span: address.given_span(span) })
}

/// Length of a user name from which on it may be a token.
const MIN_TOKEN: usize = 12;

/// The address of a hop, as it is kept: with each secret replaced, so that the rules can still read its host.
pub(crate) fn redacted_hop(url: &str) -> String {
    let Ok(address) = WebAddress::parse(url) else { return redacted(url) };
    let secrets = AddressSecrets::of(url, &address);
    let Some(host) = address.host_span().map(|host| address.given_span(host)).filter(|_| secrets.are_in_host)
    else {
        return secrets.redacted(url);
    };
    // Letters of the same number in the host, so that it stays one; the rest as everywhere.
    let covered = covered(&secrets.found);
    let masked: String = url
        .char_indices()
        .map(|(at, letter)| {
            let is_secret = host.contains(&at) && covered.iter().any(|secret| secret.contains(&at));
            if is_secret && letter != '.' { 'x' } else { letter }
        })
        .collect();
    redacted(&masked)
}
