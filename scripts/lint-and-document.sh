#!/usr/bin/env bash
# What cargo starts in place of rustc for the project's own crates in a whole ./test (RUSTC_WORKSPACE_WRAPPER): compiles a crate,
# lints it and writes its documentation, all three against the same compiled dependencies. `cargo clippy` and `cargo doc` would
# check these once more, which is more work than the lints.
#   COMPILE=false   programs are linted and documented only: what nothing starts, such as benchmarks and fuzz targets
set -euo pipefail

rustc=$1
shift
original=("$@")
arguments=() source='' folder='' is_test=false is_program=false is_optimised=false
while [ $# -gt 0 ]; do
    case "$1 ${2:-}" in
    --emit=*) ;;
    "--out-dir "*)
        folder=$2
        shift
        ;;
    # Without a word of finished files, which cargo takes for those of the compilation.
    --json=*) arguments+=(--json=diagnostic-rendered-ansi) ;;
    "-C incremental="*) shift ;;
    "--test "*) is_test=true ;;
    *)
        case "$1 ${2:-}" in
        "--crate-type bin") is_program=true ;;
        "-C opt-level="*) is_optimised=true ;;
        *.rs\ *) source=$1 ;;
        esac
        arguments+=("$1")
        ;;
    esac
    shift
done

# Without a folder to write to, it is a question about rustc.
if [ -z "$folder" ]; then
    exec "$rustc" "${original[@]}"
fi

test=()
"$is_test" && test=(--test)
deny=(-D warnings)
# clippy-driver compiles as rustc does, but optimises less. What is to be fast is compiled by rustc and linted then; integration
# tests only wait for what they test.
if "$is_program" && [ "${COMPILE:-true}" = false ]; then
    clippy-driver "$rustc" "${arguments[@]}" --emit=dep-info,metadata --out-dir "$folder" "${deny[@]}"
elif [[ "$source" == */tests/* ]]; then
    clippy-driver "$rustc" "${original[@]}" -C opt-level=0 "${deny[@]}"
elif "$is_optimised"; then
    "$rustc" "${original[@]}"
    clippy-driver "$rustc" "${arguments[@]}" ${test[@]+"${test[@]}"} --emit=metadata --out-dir "$folder/linted" "${deny[@]}"
else
    clippy-driver "$rustc" "${original[@]}" "${deny[@]}"
fi

case $source in
*/benches/* | */examples/* | */fuzz_targets/*) exit ;;
esac
"$is_test" && exit
private=()
"$is_program" && private=(--document-private-items)
rustdoc "${arguments[@]}" ${private[@]+"${private[@]}"} --out-dir "$folder/../../doc" "${deny[@]}"
