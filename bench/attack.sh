#!/bin/sh
# Builds the notary and the benchmarks, lets attackers from many loopback addresses at the notary while one honest client
# calls it, and prints what that client saw as a Markdown table. It fails where a goal is missed.
#   bench/attack.sh                         all attacks, some five minutes after the build
#   bench/attack.sh --seconds 3 queries     some of them, shortened; `bench/attack.sh --help` names them all
set -eu
cd "$(dirname "$0")/.."
cargo build --profile dist --locked --quiet -p touchstone -p bench --bin touchstone --bin bench >&2
if commit=$(git rev-parse --short HEAD 2>/dev/null); then
    set -- "$@" --commit "$commit"
fi
exec "${CARGO_TARGET_DIR:-target}/dist/bench" attack "$@"
