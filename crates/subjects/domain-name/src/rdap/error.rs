//! The reasons why an RDAP document was not accepted.

use receipt::json::{self, Json, JsonErrorKind, Object};

/// The reason why an RDAP document was not accepted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RdapError {
    /// The document is larger than this bound, in bytes.
    #[error("the document is larger than {0} bytes")]
    TooLarge(usize),
    /// The document is nested too deeply.
    #[error("the document is nested too deeply")]
    TooDeep,
    /// The document is not JSON.
    #[error("the document is not JSON")]
    NotJson,
    /// This member, which matters for the result, occurs twice.
    #[error("the member {0:?} is given twice")]
    DuplicateMember(&'static str),
    /// The answer is an error with this code (RFC 9083, section 6).
    #[error("the server answers with error {0}")]
    Refused(u64),
    /// The document is not of this kind: a domain object, or a bootstrap file.
    #[error("the document is not {0}")]
    WrongKind(&'static str),
}

impl RdapError {
    /// All codes that [`RdapError::code`] returns.
    pub const CODES: [&str; 6] =
        ["too_large", "too_deep", "not_json", "duplicate_member", "server_error", "wrong_kind"];

    /// The stable code of the error, as evidence has it.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooLarge(_) => "too_large",
            Self::TooDeep => "too_deep",
            Self::NotJson => "not_json",
            Self::DuplicateMember(_) => "duplicate_member",
            Self::Refused(_) => "server_error",
            Self::WrongKind(_) => "wrong_kind",
        }
    }
}

/// Reads a document of at most so many bytes.
pub(super) fn document(bytes: &[u8], limit: usize) -> Result<Json, RdapError> {
    if bytes.len() > limit {
        return Err(RdapError::TooLarge(limit));
    }
    json::parse_lenient(bytes).map_err(|error| match error.kind {
        JsonErrorKind::TooDeep => RdapError::TooDeep,
        _ => RdapError::NotJson,
    })
}

/// The value of a member that matters for the result. A duplicate of the member is an error.
pub(super) fn member<'a>(object: &'a Object, name: &'static str) -> Result<Option<&'a Json>, RdapError> {
    if object.is_duplicated(name) { Err(RdapError::DuplicateMember(name)) } else { Ok(object.get(name)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_listed() {
        let errors = [
            RdapError::TooLarge(1),
            RdapError::TooDeep,
            RdapError::NotJson,
            RdapError::DuplicateMember("events"),
            RdapError::Refused(404),
            RdapError::WrongKind("a domain object"),
        ];
        assert_eq!(errors.map(|error| error.code()), RdapError::CODES);
    }
}
