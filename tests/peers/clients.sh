#!/usr/bin/env bash
# Makes clients of a notary with the usual generators, from its OpenAPI document as it is, and calls the notary with them.
#
#   clients.sh BASE_URL FOLDER, where FOLDER takes what is generated
set -euo pipefail
base=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../scripts/tools.sh"
mkdir -p "$folder"
curl --silent --show-error --fail "$base/openapi.json" --output "$folder/openapi.json"

"$target/venv/bin/openapi-python-client" generate --path "$folder/openapi.json" --output-path "$folder/notary_client" --meta none \
    --overwrite >"$folder/python.log" 2>&1 || { cat "$folder/python.log" >&2; exit 1; }
# Of what it warns, only media types that are neither JSON nor text may be left out.
if grep -q 'Unable to process\|cannot parse\|Endpoint will not be generated' "$folder/python.log" ||
    grep 'Cannot parse response' "$folder/python.log" | grep -qv 'application/jose\|application/x-tar\|image/svg'; then
    cat "$folder/python.log" >&2
    exit 1
fi
avoid_midnight
PYTHONPATH=$folder "$target/venv/bin/python" "$here/clients.py" "$base"

# A program in TypeScript over the types of one generator and the client of another, under strict rules.
cp "$here/web/clients.ts" "$folder/"
bin=$target/pages/node_modules/.bin
PATH="$PATH:$target/peers/bin"
"$bin/openapi-typescript" "$folder/openapi.json" --output "$folder/types.ts" >"$folder/types.log" 2>&1 || { cat "$folder/types.log" >&2; exit 1; }
"$bin/openapi-ts" --input "$folder/openapi.json" --output "$folder/heyapi" --no-log-file >"$folder/heyapi.log" 2>&1 ||
    { cat "$folder/heyapi.log" >&2; exit 1; }
"$bin/tsc" --strict --skipLibCheck --target es2022 --lib es2022,dom,dom.iterable --module commonjs --moduleResolution node10 \
    --outDir "$folder/js" "$folder/clients.ts"
node "$folder/js/clients.js" "$base"

# A program in Go over the client of oapi-codegen.
if [ -x "$target/go/bin/oapi-codegen" ]; then
    need_go
    cp -r "$here/go" "$folder/go"
    mkdir -p "$folder/go/notary"
    (cd "$folder/go" && "$target/go/bin/oapi-codegen" --config oapi-codegen.yaml ../openapi.json && go build -o client .)
    avoid_midnight
    "$folder/go/client" "$base"
fi
