//! The rules for the order in which webhooks are sent, and for the state after each attempt.
//!
//! The webhooks of one agent for one host are a lane, which sends one at a time. The lanes of a host take turns, and so
//! do the hosts. No more than [`MAX_WEBHOOKS_PER_HOST`] are sent to a host at the same time, and no more than
//! [`MAX_WEBHOOKS_PER_AGENT`] for an agent. Times are in milliseconds since 1970.

use std::fmt::Write as _;

use crate::{MAX_WEBHOOKS_PER_AGENT, MAX_WEBHOOKS_PER_HOST, WebhookOutcome, WebhookState};

/// The number of hosts that are examined for each wanted webhook, because all agents of a host may be at their limit.
pub const HOSTS_PER_WEBHOOK: u32 = 4;
/// The time for which such a host is passed over, in milliseconds, so that the others come before it.
const PASSED_OVER_MS: i64 = 1_000;

/// The name of an agent's lanes. It contains the agent's name and the key of the watch's payer or network, because
/// anybody can use any name.
pub fn lane_name(agent: &str, holder: Option<&[u8]>) -> String {
    let mut name = agent.to_owned();
    if let Some(holder) = holder {
        name.push('/');
        for byte in holder {
            write!(name, "{byte:02X}").expect("a string takes all that is written");
        }
    }
    name
}

/// A lane with a webhook that is being sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TakenLane {
    /// The host that the webhook is sent to.
    pub host: String,
    /// The [name](lane_name) of the lane.
    pub lane: String,
}

/// All lanes with a webhook that is being sent.
#[derive(Default)]
pub struct TakenLanes(pub Vec<TakenLane>);

impl TakenLanes {
    /// Returns true if the host has its most simultaneous webhooks.
    pub fn is_host_full(&self, host: &str) -> bool {
        self.at_host(host) >= MAX_WEBHOOKS_PER_HOST as usize
    }

    /// Returns true if the agent has its most simultaneous webhooks.
    pub fn is_agent_full(&self, lane: &str) -> bool {
        self.0.iter().filter(|taken| taken.lane == lane).count() >= MAX_WEBHOOKS_PER_AGENT as usize
    }

    /// The most lanes of one host that must be examined to find one whose agent is below its limit.
    pub fn worth_looking_at(&self) -> usize {
        self.0.len() / MAX_WEBHOOKS_PER_AGENT as usize + 1
    }

    /// The number of webhooks that are sent to a host.
    fn at_host(&self, host: &str) -> usize {
        self.0.iter().filter(|taken| taken.host == host).count()
    }

    /// The time of the next look at a host whose first free lane is due at `free`. It is not before `not_before`, so
    /// that all other waiting hosts come first.
    pub fn host_due(&self, host: &str, free: Option<i64>, not_before: i64) -> HostDue {
        match free {
            None if self.at_host(host) == 0 => HostDue::Forgotten,
            Some(due_at) if !self.is_host_full(host) => HostDue::At(due_at.max(not_before)),
            Some(_) | None => HostDue::Never,
        }
    }
}

/// The time of the next look at a host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostDue {
    /// The host is examined at this time, in milliseconds since 1970-01-01 UTC.
    At(i64),
    /// The host is examined after one of its lanes becomes free, because no lane may send now.
    Never,
    /// The host has no webhook, so it is removed.
    Forgotten,
}

/// The earliest time for the next look at a host that was examined `now`.
pub fn not_before(now: i64, was_sent: bool) -> i64 {
    if was_sent { now } else { now.saturating_add(PASSED_OVER_MS) }
}

/// The time at which a lane that becomes free is due: after all others that wait. `None` where it has no more webhooks.
pub fn lane_due(first: Option<i64>, now: i64) -> Option<i64> {
    first.map(|due_at| due_at.max(now))
}

/// The change of an alert's row after an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WebhookChange<'a> {
    /// The row does not change.
    Nothing,
    /// The webhook is tried again at this time, and no attempt is counted.
    Postponed(i64),
    /// An attempt is counted.
    Attempted {
        /// The new state.
        state: WebhookState,
        /// The time of the next attempt, or of the last one, in milliseconds since 1970-01-01 UTC.
        due_at: i64,
        /// The reason of the failure; `None` where it was delivered.
        error: Option<&'a str>,
    },
}

/// Decides the change of a webhook in `state` after an attempt. A webhook that was dropped during the attempt stays
/// dropped, unless it was delivered.
pub fn after_attempt(state: WebhookState, sent: &WebhookOutcome, now: i64) -> WebhookChange<'_> {
    let (next, due_at, error) = match sent {
        WebhookOutcome::NotSent { at } => {
            return match state {
                WebhookState::Waiting => WebhookChange::Postponed(at.as_millis()),
                WebhookState::Delivered | WebhookState::Failed | WebhookState::Dropped => {
                    WebhookChange::Nothing
                }
            };
        }
        WebhookOutcome::Delivered => (WebhookState::Delivered, now, None),
        WebhookOutcome::Again { at, error } => (WebhookState::Waiting, at.as_millis(), Some(error.as_str())),
        WebhookOutcome::Failed { error } => (WebhookState::Failed, now, Some(error.as_str())),
        WebhookOutcome::Gone => (WebhookState::Dropped, now, None),
    };
    let stays_dropped = state == WebhookState::Dropped && next != WebhookState::Delivered;
    let state = if stays_dropped { WebhookState::Dropped } else { next };
    WebhookChange::Attempted { state, due_at, error }
}

#[cfg(test)]
mod tests {
    use receipt::time::Timestamp;

    use super::*;

    #[test]
    fn a_lane_is_its_agents_and_its_holders() {
        assert_eq!(lane_name("scout", None), "scout");
        assert_eq!(lane_name("scout", Some(&[0x0a, 0xff])), "scout/0AFF");
    }

    fn lanes(taken: &[(&str, &str)]) -> TakenLanes {
        let lane = |(host, lane): &(&str, &str)| TakenLane { host: (*host).into(), lane: (*lane).into() };
        TakenLanes(taken.iter().map(lane).collect())
    }

    #[test]
    fn a_host_is_due_when_its_first_free_lane_is_and_never_while_it_is_full() {
        assert_eq!(lanes(&[]).host_due("a", None, 5), HostDue::Forgotten);
        assert_eq!(lanes(&[("a", "x")]).host_due("a", None, 5), HostDue::Never);
        assert_eq!(lanes(&[("b", "x")]).host_due("a", None, 5), HostDue::Forgotten);
        assert_eq!(lanes(&[("a", "x")]).host_due("a", Some(3), 5), HostDue::At(5));
        assert_eq!(lanes(&[]).host_due("a", Some(7), 5), HostDue::At(7));
        let full = lanes(&[("a", "w"), ("a", "x"), ("a", "y"), ("a", "z")]);
        assert_eq!(full.host_due("a", Some(7), 5), HostDue::Never);
        assert!(full.is_host_full("a") && !full.is_host_full("b"));
    }

    #[test]
    fn an_agent_is_full_over_all_hosts_and_enough_lanes_are_looked_at_to_find_one_that_is_not() {
        let taken = lanes(&[("a", "x"), ("b", "x"), ("c", "x"), ("d", "x"), ("a", "y")]);
        assert!(taken.is_agent_full("x") && !taken.is_agent_full("y"));
        assert_eq!(taken.worth_looking_at(), 2);
        assert_eq!(lanes(&[]).worth_looking_at(), 1);
    }

    #[test]
    fn a_host_that_could_be_sent_nothing_is_passed_over_for_a_while() {
        assert_eq!(not_before(5, true), 5);
        assert_eq!(not_before(5, false), 1005);
        assert_eq!(not_before(i64::MAX, false), i64::MAX);
        assert_eq!((lane_due(Some(3), 5), lane_due(Some(7), 5), lane_due(None, 5)), (Some(5), Some(7), None));
    }

    #[test]
    fn an_attempt_leads_to_its_own_state_and_what_was_dropped_stays_so_unless_it_was_delivered() {
        use WebhookState::{Delivered, Dropped, Failed, Waiting};
        let at = Timestamp::from_millis(50).unwrap();
        let error = || "HTTP 500".to_owned();
        let attempted = |state, due_at, error| WebhookChange::Attempted { state, due_at, error };
        for (sent, next, due_at, why) in [
            (WebhookOutcome::Delivered, Delivered, 9, None),
            (WebhookOutcome::Again { at, error: error() }, Waiting, 50, Some("HTTP 500")),
            (WebhookOutcome::Failed { error: error() }, Failed, 9, Some("HTTP 500")),
            (WebhookOutcome::Gone, Dropped, 9, None),
        ] {
            assert_eq!(after_attempt(Waiting, &sent, 9), attempted(next, due_at, why));
            let of_dropped = if next == Delivered { Delivered } else { Dropped };
            assert_eq!(after_attempt(Dropped, &sent, 9), attempted(of_dropped, due_at, why));
        }
        let not_sent = WebhookOutcome::NotSent { at };
        assert_eq!(after_attempt(Waiting, &not_sent, 9), WebhookChange::Postponed(50));
        for state in [Delivered, Failed, Dropped] {
            assert_eq!(after_attempt(state, &not_sent, 9), WebhookChange::Nothing);
        }
    }
}
