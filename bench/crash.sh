#!/bin/sh
# Kills the service under load, again and again, and checks that nothing acknowledged is lost.
#
#     bench/crash.sh [ROUNDS] [--seed N] [--connections N]
set -eu
cd "$(dirname "$0")/.."
rounds=200
case "${1:-}" in
'' | -*) ;;
*)
    rounds=$1
    shift
    ;;
esac
cargo build --quiet --package touchstone
exec cargo run --quiet --package bench --bin crash -- \
    --touchstone "${CARGO_TARGET_DIR:-target}/debug/touchstone" --rounds "$rounds" "$@"
