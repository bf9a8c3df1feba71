#!/usr/bin/env bash
# Drives Chromium over the pages of the real binary.
set -euo pipefail
cd "$(dirname "$0")/.."
. ./scripts/tools.sh
. ./scripts/notary.sh
PATH=$PATH:$target/peers/bin

# Drives it with a script over the running notary, and ends both. The screenshots stay in the target folder.
drive() {
    node "tests/peers/web/$1" "$base" "$target/pages" "$target/pages/shots"
    kill "$server"; wait "$server"
}

TOUCHSTONE_LIMITS=off serve pages
drive pages.mjs
avoid_midnight
serve try
drive try.mjs
