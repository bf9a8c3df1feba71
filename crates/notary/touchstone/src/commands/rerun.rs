//! `touchstone rerun`: one case in, one signed answer out, and no network.

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::Context as _;
use dispute::rerun::{RerunCase, answer};
use module::Mode;

use crate::keys::rerun_key;
use crate::modules;
use crate::sandbox::Sandbox;
use crate::settings::{Settings, SettingsArgs};

/// Replays the case on standard input. The caller's input is read only within the sandbox.
pub fn run(args: &SettingsArgs) -> anyhow::Result<ExitCode> {
    let mut sandbox = Sandbox::limited();
    let settings = Settings::load_for_rerun(args)?;
    let (key, kid) = rerun_key(&settings.keys_dir, &super::serve::known_base_url(&settings))?;
    grading::reckon_on_this_thread();
    sandbox.close();
    let route_table =
        modules::route_table(&settings, &modules::all(&settings, &modules::host(&settings, Mode::Replay)?)?)?;
    let case = RerunCase::read(io::stdin().lock())?;
    let mut line = answer(&route_table, case, sandbox.holds(), &key, &kid)?;
    line.push(b'\n');
    io::stdout().write_all(&line).context("write the answer")?;
    Ok(ExitCode::SUCCESS)
}
