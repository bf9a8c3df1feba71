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
cd "$folder"
exec schemathesis --config-file schemathesis.toml run "${1%/}/openapi.json" --url "${1%/}"
