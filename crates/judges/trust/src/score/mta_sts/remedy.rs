//! Remedies: a record for the zone, or a policy for the server.

use dns::{Answer, Mx, Name};
use verdict::Timestamp;

use super::MtaStsMode;
use crate::score::zone_file::{below, is_written, txt};

/// The most exchangers that a policy is written for.
const MAX_HOSTS: usize = 16;

/// Facts that a policy is written from.
#[derive(Clone, Copy)]
pub(super) struct Advice<'a> {
    pub(super) name: &'a Name,
    pub(super) exchangers: &'a Answer<Mx>,
    /// Time from which the policy's `id` follows: it must be another than that of the policy before (section 3.1).
    pub(super) at: Timestamp,
}

impl Advice<'_> {
    /// The record; with the policy, in comments, where there is none yet.
    pub(super) fn record(&self, has_policy: bool) -> String {
        let mut comment = format!(
            "in place of all that is at this name, and after the policy: it has to be at\n\
             https://mta-sts.{}/.well-known/mta-sts.txt, as text/plain, without a redirect",
            self.name
        );
        if !has_policy {
            let Some(policy) = self.policy(MtaStsMode::Testing) else { return self.in_words() };
            comment.push_str(":\n  ");
            comment.push_str(&policy.join("\n  "));
        }
        below("_mta-sts", self.name, &comment, &self.data()).unwrap_or_else(|| self.in_words())
    }

    /// The policy file, with the record that announces it.
    pub(super) fn file(&self, mode: MtaStsMode) -> String {
        let Some(policy) = self.policy(mode) else { return self.in_words() };
        let name = self.name;
        format!(
            "# nginx, in the server of mta-sts.{name}, which has an address and a certificate\n\
             location = /.well-known/mta-sts.txt {{\n    default_type text/plain;\n    return 200 \"{}\\n\";\n}}\n\
             # and in the zone, where the change has to be told:\n# _mta-sts.{name}. IN {}",
            policy.join("\\n"),
            self.data()
        )
    }

    /// Remedy for a server that does not serve a policy as it should.
    pub(super) fn server(&self) -> String {
        format!(
            "Serve https://mta-sts.{name}/.well-known/mta-sts.txt with a certificate that holds for mta-sts.{name}, and \
             without a redirect.",
            name = self.name
        )
    }

    fn data(&self) -> String {
        let id: String = self.at.to_string().chars().filter(char::is_ascii_alphanumeric).collect();
        txt(&format!("v=STSv1; id={id}"))
    }

    /// The lines of a policy that names every exchanger; none where one cannot be named.
    fn policy(&self, mode: MtaStsMode) -> Option<Vec<String>> {
        let hosts: Vec<&Name> = match self.exchangers {
            Answer::Found { records, .. } => {
                records.iter().map(|mx| mx.exchange.host()).collect::<Option<_>>()?
            }
            Answer::NoData => vec![self.name],
            Answer::NxDomain | Answer::Failed(_) => return None,
        };
        let can_be_named =
            (1..=MAX_HOSTS).contains(&hosts.len()) && hosts.iter().all(|host| is_written(host));
        can_be_named.then(|| {
            let ends = ["version: STSv1".to_owned(), format!("mode: {}", mode.word())];
            let hosts = hosts.iter().map(|host| format!("mx: {host}"));
            ends.into_iter().chain(hosts).chain(["max_age: 604800".to_owned()]).collect()
        })
    }

    fn in_words(&self) -> String {
        format!(
            "Publish a policy (RFC 8461) at https://mta-sts.{name}/.well-known/mta-sts.txt that names every mail exchanger, \
             and a record with a new id at _mta-sts.{name}.",
            name = self.name
        )
    }
}
