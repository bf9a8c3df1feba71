//! Macro strings (RFC 7208, 7).

use std::fmt::Write as _;
use std::net::IpAddr;

use dns::Name;
use domain_name::PublicSuffixes;

use super::session::Session;

/// The longest expansion of a macro string, in bytes. A longer one counts as empty.
pub const MAX_EXPANDED: usize = 1 << 16;

/// A text with macros (RFC 7208, 7).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MacroString(Vec<MacroToken>);

/// A macro string that ends like a domain name (`domain-spec` in RFC 7208, 7.1).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DomainSpec(MacroString);

#[derive(Clone, PartialEq, Eq, Debug)]
enum MacroToken {
    Literal(String),
    Macro(Macro),
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Macro {
    /// Macro letter, in lower case.
    letter: u8,
    /// Given in upper case: the value is escaped for use in a URI.
    escaped: bool,
    /// Number of parts that are kept, from the right.
    keep: usize,
    reversed: bool,
    delimiters: String,
}

/// Context in which a macro string stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MacroContext {
    /// A domain-spec, where the letters `c`, `r` and `t` mean nothing (7.2).
    Domain,
    /// An unknown modifier.
    Modifier,
    /// The text of an explanation, which may have spaces.
    Explanation,
}

/// The reason why a text is not a macro string.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MacroError {
    /// The text has a byte that is not allowed.
    #[error("a character that must not stand there")]
    Character,
    /// A percent sign does not begin a macro or an escape.
    #[error("a percent sign that begins no macro")]
    Percent,
    /// The letter is not a macro letter, or not one that is allowed in this context.
    #[error("an unknown macro letter")]
    Letter,
    /// The macro is not of the form `{letter digits r delimiters}`.
    #[error("a macro that is not closed, or keeps no part")]
    Form,
    /// The end is neither a macro nor a dot with a top label.
    #[error("an end that is no top-level label")]
    TopLabel,
}

impl MacroString {
    /// Reads the text of an explanation.
    ///
    /// # Errors
    /// [`MacroError`] for the first rule that the text breaks.
    pub fn explanation(text: &[u8]) -> Result<Self, MacroError> {
        let text = str::from_utf8(text).map_err(|_| MacroError::Character)?;
        Self::parse(text, MacroContext::Explanation)
    }

    pub(super) fn parse(text: &str, place: MacroContext) -> Result<Self, MacroError> {
        let mut tokens = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find('%') {
            let (literal, from) = rest.split_at(at);
            push_literal(&mut tokens, literal, place)?;
            let kind = from.as_bytes().get(1).copied().ok_or(MacroError::Percent)?;
            let made = match kind {
                b'%' => "%",
                b'_' => " ",
                b'-' => "%20",
                b'{' => {
                    let (inside, after) =
                        from.get(2..).and_then(|from| from.split_once('}')).ok_or(MacroError::Form)?;
                    tokens.push(MacroToken::Macro(Macro::parse(inside, place)?));
                    rest = after;
                    continue;
                }
                _ => return Err(MacroError::Percent),
            };
            tokens.push(MacroToken::Macro(Macro::constant(made)));
            rest = from.get(2..).unwrap_or_default();
        }
        push_literal(&mut tokens, rest, place)?;
        Ok(Self(tokens))
    }

    /// True if the client's validated name is needed.
    pub(super) fn needs_validated_name(&self) -> bool {
        self.macros().any(|found| found.letter == b'p')
    }

    fn macros(&self) -> impl Iterator<Item = &Macro> {
        self.0
            .iter()
            .filter_map(|token| if let MacroToken::Macro(found) = token { Some(found) } else { None })
    }

    /// The text; `None` where it would be over [`MAX_EXPANDED`].
    pub(super) fn expand(&self, session: &Session<'_>, domain: &Name, validated: &str) -> Option<String> {
        self.expand_by(|letter| Some(value(letter, session, domain, validated)))
    }

    fn expand_by(&self, value: impl Fn(u8) -> Option<String>) -> Option<String> {
        let mut text = String::new();
        for token in &self.0 {
            match token {
                MacroToken::Literal(literal) => text.push_str(literal),
                MacroToken::Macro(Macro { letter: CONSTANT, delimiters, .. }) => text.push_str(delimiters),
                MacroToken::Macro(found) => found.apply(&value(found.letter)?, &mut text),
            }
            if text.len() > MAX_EXPANDED {
                return None;
            }
        }
        Some(text)
    }
}

impl DomainSpec {
    /// Reads a `domain-spec` (RFC 7208, 7.1).
    ///
    /// # Errors
    /// [`MacroError`] for the first rule that the text breaks.
    pub fn parse(text: &str) -> Result<Self, MacroError> {
        let parsed = MacroString::parse(text, MacroContext::Domain)?;
        match parsed.0.last() {
            Some(MacroToken::Macro(_)) => Ok(Self(parsed)),
            Some(MacroToken::Literal(literal)) if ends_in_top_label(literal) => Ok(Self(parsed)),
            _ => Err(MacroError::TopLabel),
        }
    }

    pub(super) fn needs_validated_name(&self) -> bool {
        self.0.needs_validated_name()
    }

    /// The name; `None` where the text is no name that a query can be made for.
    pub(super) fn expand(&self, session: &Session<'_>, domain: &Name, validated: &str) -> Option<Name> {
        name(&self.0.expand(session, domain, validated)?)
    }

    /// The name as far as it does not depend on a sender: in a domain's record, of senders that claim to be of `owner`.
    ///
    /// # Errors
    /// It does.
    pub(super) fn without_sender(
        &self,
        domain: &Name,
        owner: &Name,
    ) -> Result<Option<Name>, DependsOnSender> {
        let text = self.0.expand_by(|letter| match letter {
            b'd' => Some(domain.to_string()),
            b'o' => Some(owner.to_string()),
            _ => None,
        });
        match text {
            Some(text) => Ok(name(&text)),
            None if self.0.macros().any(|found| !matches!(found.letter, b'd' | b'o' | CONSTANT)) => {
                Err(DependsOnSender)
            }
            None => Ok(None),
        }
    }

    /// True if the sender chooses the name: it is made of the sender's own names or of names of its addresses, and of
    /// nothing after that but a public suffix.
    pub(super) fn is_chosen_by_sender(&self) -> bool {
        let mut tail = String::new();
        for token in self.0.0.iter().rev() {
            match token {
                MacroToken::Literal(literal) => tail.insert_str(0, literal),
                MacroToken::Macro(Macro { letter: CONSTANT, delimiters, .. }) => {
                    tail.insert_str(0, delimiters)
                }
                MacroToken::Macro(Macro { letter, .. }) => {
                    let tail = tail.trim_matches('.').to_ascii_lowercase();
                    return matches!(letter, b'l' | b'h' | b'p') && (tail.is_empty() || is_suffix(&tail));
                }
            }
        }
        false
    }
}

/// True for a public suffix, below which anybody has names.
pub(super) fn is_suffix(name: &str) -> bool {
    PublicSuffixes::bundled().is_suffix(name)
}

/// A name that is another for each sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct DependsOnSender;

/// Stands in a [`Macro`] for `%%`, `%_` and `%-`, whose text is then in `delimiters`.
const CONSTANT: u8 = 0;

impl Macro {
    fn constant(text: &str) -> Self {
        Self {
            letter: CONSTANT,
            escaped: false,
            keep: usize::MAX,
            reversed: false,
            delimiters: text.to_owned(),
        }
    }

    /// Reads what stands between the braces.
    fn parse(inside: &str, place: MacroContext) -> Result<Self, MacroError> {
        let (given, rest) = inside.split_at_checked(1).ok_or(MacroError::Form)?;
        let given = given.as_bytes().first().copied().unwrap_or_default();
        let letter = given.to_ascii_lowercase();
        match letter {
            b's' | b'l' | b'o' | b'd' | b'i' | b'p' | b'v' | b'h' => {}
            b'c' | b'r' | b't' if place != MacroContext::Domain => {}
            _ => return Err(MacroError::Letter),
        }
        let after_digits = rest.trim_start_matches(|character: char| character.is_ascii_digit());
        let digits = rest.get(..rest.len() - after_digits.len()).unwrap_or_default();
        let keep = match digits {
            "" => usize::MAX,
            // A number that does not fit into a machine word keeps all parts, as any large one does.
            digits => digits.parse().unwrap_or(usize::MAX),
        };
        let (reversed, delimiters) = match after_digits.strip_prefix(['r', 'R']) {
            Some(delimiters) => (true, delimiters),
            None => (false, after_digits),
        };
        let delimiters_known = delimiters.bytes().all(|byte| b".-+,/_=".contains(&byte));
        if keep == 0 || !delimiters_known {
            return Err(MacroError::Form);
        }
        let delimiters = if delimiters.is_empty() { "." } else { delimiters };
        let escaped = given.is_ascii_uppercase();
        Ok(Self { letter, escaped, keep, reversed, delimiters: delimiters.to_owned() })
    }

    fn apply(&self, value: &str, text: &mut String) {
        let mut parts: Vec<&str> = value.split(|character| self.delimiters.contains(character)).collect();
        if self.reversed {
            parts.reverse();
        }
        let kept = parts.get(parts.len().saturating_sub(self.keep)..).unwrap_or_default().join(".");
        if self.escaped { escape(&kept, text) } else { text.push_str(&kept) }
    }
}

fn push_literal(tokens: &mut Vec<MacroToken>, literal: &str, place: MacroContext) -> Result<(), MacroError> {
    let space = place == MacroContext::Explanation;
    if !literal.bytes().all(|byte| matches!(byte, b'!'..=b'~') || (space && byte == b' ')) {
        return Err(MacroError::Character);
    }
    if !literal.is_empty() {
        tokens.push(MacroToken::Literal(literal.to_owned()));
    }
    Ok(())
}

/// True if a literal ends in a dot and a label that is not all digits, maybe with the root's dot.
fn ends_in_top_label(literal: &str) -> bool {
    let Some((_, label)) = literal.strip_suffix('.').unwrap_or(literal).rsplit_once('.') else {
        return false;
    };
    let inner = label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let ends = !label.is_empty() && !label.starts_with('-') && !label.ends_with('-');
    inner && ends && !label.bytes().all(|byte| byte.is_ascii_digit())
}

/// Makes a name of an expanded text: the root's dot goes, and labels from the left where it is too long (7.3).
fn name(text: &str) -> Option<Name> {
    let mut text = text.strip_suffix('.').unwrap_or(text);
    while text.len() > Name::MAX_LENGTH {
        (_, text) = text.split_once('.')?;
    }
    Name::parse(text).ok()
}

fn value(letter: u8, session: &Session<'_>, domain: &Name, validated: &str) -> String {
    match letter {
        b's' => format!("{}@{}", session.local(), session.domain()),
        b'l' => session.local().to_owned(),
        b'o' => session.domain().to_owned(),
        b'd' => domain.to_string(),
        b'i' => session.dotted(),
        b'p' => validated.to_owned(),
        b'v' => if session.address().is_ipv4() { "in-addr" } else { "ip6" }.to_owned(),
        b'h' => session.helo.to_owned(),
        b'c' => match session.address() {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => address.to_string(),
        },
        b'r' if session.receiver.is_empty() => "unknown".to_owned(),
        b'r' => session.receiver.to_owned(),
        b't' => session.at.to_string(),
        _ => String::new(),
    }
}

/// Escapes what is not unreserved (RFC 3986, 2.3).
fn escape(value: &str, text: &mut String) {
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            text.push(char::from(byte));
        } else {
            let _infallible = write!(text, "%{byte:02X}");
        }
    }
}
