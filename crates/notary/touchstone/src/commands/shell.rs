//! `touchstone completions` and `touchstone man`.

use std::path::Path;
use std::process::ExitCode;

use crate::cli::command;

/// Prints a shell's completions.
pub fn completions(shell: clap_complete::Shell) -> anyhow::Result<ExitCode> {
    clap_complete::generate(shell, &mut command(), "touchstone", &mut std::io::stdout());
    Ok(ExitCode::SUCCESS)
}

/// Prints the manual page, or writes one for each command.
pub fn man(out: Option<&Path>) -> anyhow::Result<ExitCode> {
    match out {
        Some(folder) => {
            std::fs::create_dir_all(folder)?;
            clap_mangen::generate_to(command(), folder)?;
        }
        None => clap_mangen::Man::new(command()).render(&mut std::io::stdout())?,
    }
    Ok(ExitCode::SUCCESS)
}
