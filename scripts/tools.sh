# What ./run and ./test install where it is missing. Sourced, not run.

# Where cargo builds; other tools of the tests are put there too.
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")

# Debian's packages, where the machine lets us install them.
apt_install() {
    if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
        { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"; } >&2
    else
        echo "please install: $*" >&2
        return 1
    fi
}

# The Rust toolchain that rust-toolchain.toml names, and a C compiler for SQLite and the cryptography.
need_rust() {
    [ -f "$HOME/.cargo/env" ] && . "$HOME/.cargo/env"
    command -v cc >/dev/null || apt_install gcc g++ libc6-dev make
    if ! command -v cargo >/dev/null; then
        command -v rustup >/dev/null || apt_install rustup
    fi
    if command -v rustup >/dev/null && ! rustup show active-toolchain >/dev/null 2>&1; then
        rustup toolchain install
    fi
    cargo --version >/dev/null || { echo "please install Rust $(grep channel rust-toolchain.toml)" >&2; return 1; }
}

# A Python environment with the peers that the tests talk to.
need_python_peers() {
    local venv=$target/venv stamp=$target/venv/requirements.txt
    cmp -s tests/peers/requirements.txt "$stamp" && return 0
    command -v curl >/dev/null || apt_install curl || return 1
    python3 -c 'import venv, ensurepip' 2>/dev/null || apt_install python3 python3-venv || return 1
    python3 -m venv "$venv" && "$venv/bin/pip" --quiet install --requirement tests/peers/requirements.txt &&
        cp tests/peers/requirements.txt "$stamp"
}

# cargo-deny, of one version, into the target folder.
need_cargo_deny() {
    local version=0.20.2
    if [ "$("$target/tools/bin/cargo-deny" --version 2>/dev/null)" != "cargo-deny $version" ]; then
        cargo install cargo-deny --version "$version" --locked --debug --quiet \
            --root "$target/tools" --target-dir "$target/tools-build"
    fi
}
