//! The bound on connections of callers, by the files that the process may have open.
//!
//! Half of the files are for connections of callers, up to a ceiling. The rest is for all else: looks at domains, fetches, the
//! store, `/metrics`.

use anyhow::bail;
use listen::{Bounds, MAX_CONNECTIONS, MIN_CONNECTIONS};
use rlimit::Resource;

/// The files that a process may have open on most systems where nothing is said.
const USUAL_FILES: u64 = 1024;

/// Raises the limit of open files as far as the system lets it; systems hand out few unless they are asked for more.
pub fn ask_for_files() {
    match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(files) => tracing::debug!(files, "open files"),
        Err(error) => tracing::warn!(%error, "the limit of open files stays as it is"),
    }
}

/// Checks the setting, whatever the limit of files.
pub fn check(setting: Option<usize>) -> anyhow::Result<()> {
    match setting {
        Some(set) if !(MIN_CONNECTIONS..=MAX_CONNECTIONS).contains(&set) => {
            bail!("max_connections must be from {MIN_CONNECTIONS} to {MAX_CONNECTIONS}, and is {set}")
        }
        Some(_) | None => Ok(()),
    }
}

/// The bounds on connections: those of the setting, else those that the limit of open files allows.
pub fn bounds(setting: Option<usize>) -> anyhow::Result<Bounds> {
    let files = files();
    if let Some(set) = setting.filter(|set| *set > most(files)) {
        bail!(
            "max_connections is {set}, and {files} open files allow {}: let the process open more (`ulimit -Hn`, systemd's \
             LimitNOFILE=), or set fewer",
            most(files)
        );
    }
    Ok(Bounds::of(setting.unwrap_or_else(|| usual(files))))
}

/// The open files that connections of callers leave.
pub fn left(setting: Option<usize>) -> u64 {
    let files = files();
    let taken = setting.unwrap_or_else(|| usual(files));
    files.saturating_sub(u64::try_from(taken).unwrap_or(u64::MAX))
}

/// The default bound: half of the files.
fn usual(files: u64) -> usize {
    usize::try_from(files / 2).unwrap_or(usize::MAX).clamp(MIN_CONNECTIONS, MAX_CONNECTIONS)
}

/// The connections that a service has where nothing is set: it asks for all the files that the system lets it open.
pub fn by_itself() -> usize {
    usual(Resource::NOFILE.get_hard().unwrap_or(USUAL_FILES))
}

/// The most that can be set: three quarters of the files.
fn most(files: u64) -> usize {
    usize::try_from(files / 4 * 3).unwrap_or(usize::MAX)
}

fn files() -> u64 {
    Resource::NOFILE.get_soft().unwrap_or(USUAL_FILES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_files_are_for_connections_up_to_a_ceiling() {
        assert_eq!([0, 1024, 20_000, 1 << 20, u64::MAX].map(usual), [16, 512, 10_000, 16_384, 16_384]);
        assert_eq!([0, 1024, 20_000].map(most), [0, 768, 15_000]);
    }

    #[test]
    fn a_setting_is_within_the_bounds_or_refused() {
        assert!([None, Some(16), Some(16_384)].map(check).iter().all(Result::is_ok));
        assert!([Some(0), Some(15), Some(16_385)].map(check).iter().all(Result::is_err));
    }
}
