# A development notary for tests with peers. Sourced, not run, after tools.sh.

binary=$target/debug/touchstone
work=$(mktemp -d)
sources= others=
# By default a notary takes no free calls where 5% of the disk are not free.
export TOUCHSTONE_STORAGE_RESERVE_MIB=64
trap 'kill $server $others $sources 2>/dev/null || true; rm -rf "$work"' EXIT

# Starts the sources of records, and waits until they listen; sets $sources and writes $work/sources.toml, a configuration.
serve_sources() {
    : >"$work/sources.out"
    "$target/venv/bin/python" tests/peers/sources.py "$work/sources.toml" >"$work/sources.out" &
    sources=$!
    for _ in $(seq 1200); do
        grep -q '^listening on' "$work/sources.out" && return 0
        kill -0 "$sources" || return 1
        sleep 0.05
    done
    echo "the sources of records do not listen" >&2
    return 1
}

# Starts a development notary on a free port, and waits until it listens; sets $server and $base. Its name server is a port where
# nobody listens: domains are INCOMPLETE, whatever the name servers of this machine do.
serve() {
    mkdir -p "$work/$1"
    [ -e "$work/$1/touchstone.toml" ] || printf '[trust]\nname_servers = "127.0.0.1:1"\n' >"$work/$1/touchstone.toml"
    : >"$work/$1.out"
    "$binary" dev --listen 127.0.0.1:0 --data-dir "$work/$1" >"$work/$1.out" 2>"$work/$1.err" &
    server=$!
    for _ in $(seq 1200); do
        base=$(sed -n 's/^listening on //p' "$work/$1.out")
        [ -n "$base" ] && return 0
        kill -0 "$server" || { cat "$work/$1.err" >&2; return 1; }
        sleep 0.05
    done
    echo "the notary $1 does not listen" >&2
    cat "$work/$1.err" >&2
    return 1
}
