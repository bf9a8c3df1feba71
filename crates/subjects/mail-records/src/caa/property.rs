//! One CAA property, read (RFC 8659, 4).

use dns::Caa;
use serde::Serialize;

/// The longest part of a tag or value that is repeated in texts, in bytes.
pub const MAX_SHOWN: usize = 256;

/// The flags that make a property critical. The RFC has the first only; so many records were written with the second
/// that issuers take it for the first (as Let's Encrypt does).
const CRITICAL: u8 = 128 | 1;

/// A CAA property (RFC 8659, 4).
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "property", rename_all = "lowercase")]
pub enum Property {
    /// The `issue` property: an authority that may issue.
    Issue(Authority),
    /// The `issuewild` property: an authority that may issue for wildcards; it overrides `issue` there.
    IssueWild(Authority),
    /// The `iodef` property: an address for reports of requests that are against the policy.
    Iodef,
    /// Another tag, which an issuer of TLS certificates need not know.
    Other {
        /// The tag, with replacement characters for bytes that are not UTF-8.
        tag: String,
        /// True if an authority that does not know the tag must not issue.
        critical: bool,
    },
}

/// The value of `issue` and `issuewild`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Authority {
    /// The issuer's domain, in lower case; `None` where the value names none, or is malformed.
    pub issuer: Option<String>,
    /// The parameters: tags in lower case, and their unchanged values.
    pub parameters: Vec<(String, String)>,
    /// The reason why the value is malformed, so that it permits nobody (RFC 8659, 4.2); `None` where it is well
    /// formed.
    pub error: Option<ValueError>,
}

/// A value that is against the grammar of RFC 8659 (4.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum ValueError {
    /// The issuer is not a domain name.
    #[error("must name an issuer's domain")]
    Issuer,
    /// A parameter is not `tag=value`.
    #[error("must have parameters of the form tag=value")]
    Parameter,
}

impl Property {
    /// Reads a property from a CAA record.
    #[must_use]
    pub fn read(caa: &Caa) -> Self {
        if caa.tag.eq_ignore_ascii_case(b"issue") {
            Self::Issue(Authority::read(&caa.value))
        } else if caa.tag.eq_ignore_ascii_case(b"issuewild") {
            Self::IssueWild(Authority::read(&caa.value))
        } else if caa.tag.eq_ignore_ascii_case(b"iodef") {
            Self::Iodef
        } else {
            let end = caa.tag.len().min(MAX_SHOWN);
            let tag = String::from_utf8_lossy(caa.tag.get(..end).unwrap_or_default()).into_owned();
            Self::Other { tag, critical: caa.flags & CRITICAL != 0 }
        }
    }
}

impl Authority {
    /// Reads the value of `issue` or `issuewild`.
    #[must_use]
    pub fn read(value: &[u8]) -> Self {
        let (issuer, parameters) = match value.iter().position(|byte| *byte == b';') {
            Some(at) => (value.get(..at), value.get(at + 1..)),
            None => (Some(value), None),
        };
        let issuer = read_issuer(issuer.unwrap_or_default());
        match (issuer, read_parameters(parameters.unwrap_or_default())) {
            (Ok(issuer), Ok(parameters)) => Self { issuer, parameters, error: None },
            (Err(error), _) | (_, Err(error)) => {
                Self { issuer: None, parameters: Vec::new(), error: Some(error) }
            }
        }
    }

    /// Returns true if the value permits an issuer to issue for this account, by this method. An unknown account or
    /// method (`None`) satisfies no condition, and no account or method satisfies a duplicate or malformed parameter
    /// (RFC 8657, 3 and 4).
    #[must_use]
    pub fn permits(&self, issuer: &str, method: Option<&str>, account_uri: Option<&str>) -> bool {
        let named = self.issuer.as_deref().is_some_and(|named| named.eq_ignore_ascii_case(issuer));
        named
            && self.condition("accounturi", |value| account_uri == Some(value))
            && self.condition("validationmethods", |value| {
                let labels = || value.split(',');
                let well_formed = value.is_empty() || labels().all(is_label);
                well_formed && method.is_some_and(|method| labels().any(|label| label == method))
            })
    }

    fn condition(&self, tag: &str, met: impl Fn(&str) -> bool) -> bool {
        let mut values = self.parameters.iter().filter(|(name, _)| name == tag);
        match (values.next(), values.next()) {
            (None, _) => true,
            (Some((_, value)), None) => met(value),
            (Some(_), Some(_)) => false,
        }
    }
}

/// A label of RFC 8657 (4): letters, digits and hyphens.
fn is_label(label: &str) -> bool {
    !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn trim(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = text {
        text = rest;
    }
    text
}

fn read_issuer(text: &[u8]) -> Result<Option<String>, ValueError> {
    let text = trim(text);
    if text.is_empty() {
        return Ok(None);
    }
    let text = str::from_utf8(text).map_err(|_| ValueError::Issuer)?;
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let is_domain = text.split('.').all(|label| {
        !label.is_empty() && !label.starts_with('-') && !label.ends_with('-') && label.bytes().all(inner)
    });
    if is_domain { Ok(Some(text.to_ascii_lowercase())) } else { Err(ValueError::Issuer) }
}

fn read_parameters(text: &[u8]) -> Result<Vec<(String, String)>, ValueError> {
    if trim(text).is_empty() {
        return Ok(Vec::new());
    }
    text.split(|byte| *byte == b';').map(|parameter| read_parameter(trim(parameter))).collect()
}

fn read_parameter(text: &[u8]) -> Result<(String, String), ValueError> {
    let parameter = str::from_utf8(text).ok().and_then(|text| text.split_once('='));
    let (tag, value) = parameter.ok_or(ValueError::Parameter)?;
    let (tag, value) = (tag.trim_end_matches([' ', '\t']), value.trim_start_matches([' ', '\t']));
    if is_label(tag) && value.bytes().all(|byte| matches!(byte, b'!'..=b':' | b'<'..=b'~')) {
        Ok((tag.to_ascii_lowercase(), value.to_owned()))
    } else {
        Err(ValueError::Parameter)
    }
}
