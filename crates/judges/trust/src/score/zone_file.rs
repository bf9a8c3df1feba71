//! Remedies that are pasted into a zone file (RFC 1035, 5.1).
//!
//! # Invariants
//!
//! - No record is proposed at a name with an alias, because that makes the whole zone invalid (RFC 1034, 3.6.2).
//! - Every name is written so that a zone file reads the same name.

use dns::Name;

use crate::records::Alias;

/// The longest character-string of a TXT record, in bytes (RFC 1035, 3.3).
const MAX_STRING: usize = 255;

/// Owner name of the records of the domain that was asked about.
#[derive(Clone, Copy, Debug)]
pub struct RecordOwner<'a> {
    /// The name.
    pub name: &'a Name,
    /// The name above it that is its owner's own.
    pub registrable: &'a Name,
    /// Target of its alias.
    pub alias: &'a Alias,
}

impl RecordOwner<'_> {
    /// A record at the name itself, or where the name's alias leads; in words where that is not its owner's to write.
    pub(super) fn record(&self, comment: &str, data: &str) -> String {
        let Self { name, registrable, alias } = self;
        match alias {
            Alias::None if is_written(name) => line(name, comment, data),
            Alias::Of(target) if target.is_within(registrable) && is_written(target) => {
                let comment =
                    format!("{name} is an alias (CNAME) of {target}, whose records count for it\n{comment}");
                line(target, &comment, data)
            }
            Alias::Of(target) => format!(
                "{name} is an alias (CNAME) of {target}, and nothing may stand beside an alias: have {data} published at \
                 {target} by who runs it, or give {name} addresses of its own in place of the alias."
            ),
            Alias::None | Alias::Unknown => {
                format!(
                    "Publish {data} at {name}; where that is an alias (CNAME), at the name that it leads to."
                )
            }
        }
    }

    /// The name at which a host's address has to be.
    pub(super) fn of_address(&self) -> &Name {
        match self.alias {
            Alias::Of(target) => target,
            Alias::None | Alias::Unknown => self.name,
        }
    }
}

/// A record below a name, in place of whatever is there; none where that has no room for the label.
pub(super) fn below(label: &str, name: &Name, comment: &str, data: &str) -> Option<String> {
    let owner = name.below(label).ok().filter(is_written)?;
    Some(line(&owner, comment, data))
}

/// A record, with what is to be known about it in comments before it.
pub(super) fn line(owner: &Name, comment: &str, data: &str) -> String {
    format!("{}\n{owner}. IN {data}", commented(comment))
}

/// Lines that a zone file passes over.
pub(super) fn commented(text: &str) -> String {
    text.lines().map(|line| format!("; {line}")).collect::<Vec<_>>().join("\n")
}

/// A text of printable ASCII, as the data of a TXT record.
pub(super) fn txt(text: &str) -> String {
    let strings = text.as_bytes().chunks(MAX_STRING).map(|part| {
        let escaped: String = part
            .iter()
            .map(|byte| char::from(*byte))
            .flat_map(|letter| matches!(letter, '"' | '\\').then_some('\\').into_iter().chain([letter]))
            .collect();
        format!(" \"{escaped}\"")
    });
    format!("TXT{}", strings.collect::<String>())
}

/// True if a name can stand in a zone file as it is: others may name anything, and a semicolon begins a comment.
pub(super) fn is_written(name: &Name) -> bool {
    name.as_str().bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

#[cfg(test)]
mod tests;
