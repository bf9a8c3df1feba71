#!/usr/bin/env bash
# Screens labelled queries, innocent names and evasions with Touchstone, nomenklatura's logic-v2 and Moov's Watchman, one after
# the other on this machine, and prints a table of all at the end.
#   [WATCHMAN_SOURCE=DIR | WATCHMAN=FILE] bench/screening/run.sh DIR [--sample N]
# DIR holds screening-eval/ and ofac/current/, as the suites read them. Touchstone screens all innocent names, the others the
# first N of each group (300; 0 for all), since they are slow. WATCHMAN_SOURCE is a checkout of github.com/moov-io/watchman, of
# which the server is built with Go; WATCHMAN is a server that is built already. Without either Watchman is left out.
set -euo pipefail
data=$(realpath "${1:?usage: bench/screening/run.sh DIR [--sample N]}")
shift
watchman_source=${WATCHMAN_SOURCE:+$(realpath "$WATCHMAN_SOURCE")}
watchman=${WATCHMAN:+$(realpath "$WATCHMAN")}
cd "$(dirname "$0")/../.."
. ./scripts/tools.sh
need_rust
python_environment "$target/nomenklatura" bench/screening/requirements.txt
python=$target/nomenklatura/bin/python
if [ -n "$watchman_source" ]; then
    watchman=$target/watchman/server
    (cd "$watchman_source" && go build -o "$watchman" ./cmd/server)
fi
if [ -n "$watchman" ] && [ ! -x "$watchman" ]; then
    echo "no such program: WATCHMAN=$watchman" >&2
    exit 1
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# A suite whose files are not there is passed over.
mkdir "$scratch/only"
ln -s "$data/screening-eval" "$data/ofac" "$scratch/only"
cargo run --release --locked --quiet --package suites --bin suites -- "$scratch/only" | tee "$scratch/touchstone"
"$python" bench/screening/logic_v2.py "$@" "$data" | tee "$scratch/logic-v2"
if [ -n "$watchman" ]; then
    "$python" bench/screening/watchman.py "$@" "$watchman" "$data" | tee "$scratch/watchman"
else
    echo "Watchman is left out: neither WATCHMAN_SOURCE (a checkout to build) nor WATCHMAN (a built server) is set" >&2
fi
echo
"$python" bench/screening/table.py "$scratch"/{touchstone,logic-v2} ${watchman:+"$scratch/watchman"}
