//! Messages to the service manager, by the protocol of sd_notify(3): systemd starts the unit with `Type=notify`, and takes the
//! service for started once it says so.
//!
//! Nothing is sent where `NOTIFY_SOCKET` names no socket. A message that cannot be sent is logged, and changes nothing else: a
//! manager that waits for it decides by itself when it has waited for long enough.

use sd_notify::NotifyState;

/// Says that requests are taken. To be called once the address is listened on and the store is open.
pub fn ready() {
    send(NotifyState::Ready);
}

/// Says that the service stops, and answers what is under way.
pub fn stopping() {
    send(NotifyState::Stopping);
}

fn send(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "the service manager was not told");
    }
}
