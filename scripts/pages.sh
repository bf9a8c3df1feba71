#!/usr/bin/env bash
# Drives Chromium over the pages of the real binary.
set -euo pipefail
cd "$(dirname "$0")/.."
. ./scripts/tools.sh
. ./scripts/notary.sh

TOUCHSTONE_LIMITS=off serve pages
# The screenshots stay in the target folder.
PATH="$PATH:$target/peers/bin" node tests/peers/web/pages.mjs "$base" "$target/pages" "$target/pages/shots"
kill "$server"; wait "$server"
