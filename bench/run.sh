#!/bin/sh
# Builds the notary and the benchmarks and prints their figures as a Markdown table.
#   bench/run.sh                    everything
#   bench/run.sh receipts           one figure; `bench/run.sh --help` names them all
#   bench/run.sh all --rounds 1 --seconds 1 --receipts 100000    a quick look
set -eu
cd "$(dirname "$0")/.."
cargo build --profile dist --locked --quiet -p touchstone -p bench --bin touchstone --bin bench >&2
[ $# -gt 0 ] || set -- all
if commit=$(git rev-parse --short HEAD 2>/dev/null); then
    set -- "$@" --commit "$commit"
fi
exec "${CARGO_TARGET_DIR:-target}/dist/bench" "$@"
