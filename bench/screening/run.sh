#!/usr/bin/env bash
# Screens labelled queries with Touchstone and with nomenklatura's logic-v2, one after the other on this machine.
#   bench/screening/run.sh DIR     DIR holds screening-eval/ and ofac/current/, as the suites read them
set -euo pipefail
data=$(realpath "${1:?usage: bench/screening/run.sh DIR}")
cd "$(dirname "$0")/../.."
. ./scripts/tools.sh
need_rust
python_environment "$target/nomenklatura" bench/screening/requirements.txt
# A suite whose files are not there is passed over.
only=$(mktemp -d)
trap 'rm -rf "$only"' EXIT
ln -s "$data/screening-eval" "$data/ofac" "$only"
cargo run --release --locked --quiet --package suites --bin suites -- "$only"
"$target/nomenklatura/bin/python" bench/screening/logic_v2.py \
    "$data/ofac/current/ofac-sdn.json.gz" "$data/screening-eval/list.jsonl"
