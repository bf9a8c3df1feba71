#!/bin/sh
# Holds a running service against its own OpenAPI document.
#
#     schemathesis.sh BASE_URL
#
# The service must run with TOUCHSTONE_LIMITS=off; schemathesis must be on the PATH (requirements.txt).
set -eu
if [ $# -ne 1 ]; then
    sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
folder=$(cd "$(dirname "$0")" && pwd)
# It keeps notes in the folder where it runs.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export PYTHONPATH="$folder" SCHEMATHESIS_HOOKS=schemathesis_hooks PYTHONDONTWRITEBYTECODE=1
schemathesis --config-file "$folder/schemathesis.toml" run "${1%/}/openapi.json" --url "${1%/}"
