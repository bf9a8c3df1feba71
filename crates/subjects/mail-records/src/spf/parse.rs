//! Reading a record (RFC 7208, 12).

use super::macros::{DomainSpec, MacroContext, MacroError, MacroString};
use super::record::{Directive, DualCidr, Mechanism, Qualifier, SpfRecord, VERSION};

/// The longest part of a term that an error repeats, in bytes.
const SHOWN: usize = 80;

/// A syntax error in a record.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{term:?}: {error}")]
pub struct SyntaxError {
    /// The term with the error, shortened if it is long; empty where the error is not in one term.
    pub term: String,
    /// The rule that the term breaks.
    pub error: TermError,
}

/// The rule that a term breaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TermError {
    /// The record does not begin with the version.
    #[error("must begin with {VERSION}")]
    Version,
    /// The record has a byte that is not ASCII (3.1).
    #[error("must be ASCII")]
    NotAscii,
    /// The term is a mechanism that RFC 7208 does not define.
    #[error("is no mechanism or modifier")]
    Unknown,
    /// The mechanism has arguments that are not allowed, or lacks a required one, as `all:x` or `include` does.
    #[error("must have the arguments of its mechanism")]
    Arguments,
    /// The target is not a `domain-spec`.
    #[error("must name a domain: {0}")]
    Domain(MacroError),
    /// The address is invalid.
    #[error("must have an address")]
    Address,
    /// The prefix length is invalid.
    #[error("must have a prefix length of its family, without leading zeros")]
    PrefixLength,
    /// The record has a second `redirect` or `exp`.
    #[error("must not be given twice")]
    Twice,
}

impl SpfRecord {
    /// Reads a record.
    ///
    /// # Errors
    /// [`SyntaxError`] for the first invalid term.
    pub fn parse(text: &[u8]) -> Result<Self, SyntaxError> {
        let whole = |error| SyntaxError { term: String::new(), error };
        let text = str::from_utf8(text).ok().filter(|text| text.is_ascii());
        let text = text.ok_or(whole(TermError::NotAscii))?;
        let mut terms = text.split(' ');
        if !terms.next().is_some_and(|version| version.eq_ignore_ascii_case(VERSION)) {
            return Err(whole(TermError::Version));
        }
        let mut record = Self::default();
        for term in terms.filter(|term| !term.is_empty()) {
            record.read(term).map_err(|error| SyntaxError { term: shown(term), error })?;
        }
        Ok(record)
    }

    fn read(&mut self, term: &str) -> Result<(), TermError> {
        if let Some((name, value)) = modifier(term) {
            let slot = match name.to_ascii_lowercase().as_str() {
                "redirect" => &mut self.redirect,
                "exp" => &mut self.explanation,
                _ => {
                    MacroString::parse(value, MacroContext::Modifier).map_err(TermError::Domain)?;
                    return Ok(());
                }
            };
            let target = domain(value)?;
            if slot.replace(target).is_some() {
                return Err(TermError::Twice);
            }
            return Ok(());
        }
        let (qualifier, mechanism) = match term.split_at_checked(1) {
            Some(("+", rest)) => (Qualifier::Pass, rest),
            Some(("-", rest)) => (Qualifier::Fail, rest),
            Some(("~", rest)) => (Qualifier::SoftFail, rest),
            Some(("?", rest)) => (Qualifier::Neutral, rest),
            _ => (Qualifier::Pass, term),
        };
        self.directives.push(Directive { qualifier, mechanism: read_mechanism(mechanism)? });
        Ok(())
    }
}

/// A modifier's name and value: the name ends at the first `=`, and nothing but a name stands before it.
fn modifier(term: &str) -> Option<(&str, &str)> {
    let (name, value) = term.split_once('=')?;
    let mut bytes = name.bytes();
    let first = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic());
    let rest = bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    (first && rest).then_some((name, value))
}

fn read_mechanism(text: &str) -> Result<Mechanism, TermError> {
    let end = text.find([':', '/']).unwrap_or(text.len());
    let (name, arguments) = text.split_at(end);
    match name.to_ascii_lowercase().as_str() {
        "all" => arguments.is_empty().then_some(Mechanism::All).ok_or(TermError::Arguments),
        "include" => Ok(Mechanism::Include(required(arguments)?)),
        "exists" => Ok(Mechanism::Exists(required(arguments)?)),
        "ptr" => Ok(Mechanism::Ptr(optional(arguments)?)),
        "a" => {
            let (target, cidr) = with_cidr(arguments)?;
            Ok(Mechanism::A(target, cidr))
        }
        "mx" => {
            let (target, cidr) = with_cidr(arguments)?;
            Ok(Mechanism::Mx(target, cidr))
        }
        "ip4" => {
            let (address, length) = network(arguments, 32)?;
            Ok(Mechanism::Ip4(address.parse().map_err(|_| TermError::Address)?, length))
        }
        "ip6" => {
            let (address, length) = network(arguments, 128)?;
            Ok(Mechanism::Ip6(address.parse().map_err(|_| TermError::Address)?, length))
        }
        _ => Err(TermError::Unknown),
    }
}

fn domain(text: &str) -> Result<DomainSpec, TermError> {
    DomainSpec::parse(text).map_err(TermError::Domain)
}

fn required(arguments: &str) -> Result<DomainSpec, TermError> {
    domain(arguments.strip_prefix(':').ok_or(TermError::Arguments)?)
}

fn optional(arguments: &str) -> Result<Option<DomainSpec>, TermError> {
    if arguments.is_empty() { Ok(None) } else { required(arguments).map(Some) }
}

/// A target and its prefix lengths. A slash may stand in a domain, too, but no domain ends in one with digits.
fn with_cidr(arguments: &str) -> Result<(Option<DomainSpec>, DualCidr), TermError> {
    let (rest, v6) = match strip_digits(arguments) {
        Some((rest, digits)) if rest.ends_with("//") => {
            (rest.get(..rest.len() - 2).unwrap_or_default(), prefix_length(digits, 128)?)
        }
        _ => (arguments, 128),
    };
    let (rest, v4) = match strip_digits(rest) {
        Some((rest, digits)) => (rest.get(..rest.len() - 1).unwrap_or_default(), prefix_length(digits, 32)?),
        None => (rest, 32),
    };
    Ok((optional(rest)?, DualCidr { v4, v6 }))
}

/// Splits digits at the end, slash included, off a text.
fn strip_digits(text: &str) -> Option<(&str, &str)> {
    let rest = text.trim_end_matches(|character: char| character.is_ascii_digit());
    let digits = text.get(rest.len()..)?;
    (rest.ends_with('/') && !digits.is_empty()).then_some((rest, digits))
}

fn network(arguments: &str, longest: u8) -> Result<(&str, u8), TermError> {
    let network = arguments.strip_prefix(':').ok_or(TermError::Arguments)?;
    match network.split_once('/') {
        Some((address, digits)) => Ok((address, prefix_length(digits, longest)?)),
        None => Ok((network, longest)),
    }
}

fn prefix_length(digits: &str, longest: u8) -> Result<u8, TermError> {
    let canonical = digits == "0" || !digits.starts_with('0');
    let digits = Some(digits).filter(|digits| canonical && digits.bytes().all(|byte| byte.is_ascii_digit()));
    digits
        .and_then(|digits| digits.parse().ok())
        .filter(|length| *length <= longest)
        .ok_or(TermError::PrefixLength)
}

fn shown(term: &str) -> String {
    term.chars().take(SHOWN).collect()
}
