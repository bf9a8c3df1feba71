# What the fault harness needs. Sourced, not run, after tools.sh.

# PostgreSQL 15, etcd, nginx, libfaketime and the tools of namespaces from Debian; Patroni and psycopg in target/faults/venv.
need_faults() {
    local program missing=
    if [ "$(id -u)" -ne 0 ]; then
        echo "please run as root: network namespaces, mounts and the user postgres are needed" >&2
        return 1
    fi
    [ -x /usr/lib/postgresql/15/bin/postgres ] || missing="$missing postgresql-15"
    for program in etcd:etcd-server nginx:nginx-light ip:iproute2 unshare:util-linux setpriv:util-linux; do
        PATH=$PATH:/usr/sbin:/sbin command -v "${program%:*}" >/dev/null || missing="$missing ${program#*:}"
    done
    compgen -G "/usr/lib/*/faketime/libfaketimeMT.so.1" >/dev/null || missing="$missing libfaketime"
    # The venv is made with Debian's Python: PostgreSQL's user, as which Patroni runs, may not read root's folders.
    /usr/bin/python3 -c 'import venv, ensurepip' 2>/dev/null || missing="$missing python3-venv"
    # shellcheck disable=SC2086 # one word a package
    [ -z "$missing" ] || apt_install_stopped $missing || return 1
    (PATH=/usr/bin:$PATH && mkdir -p "$target/faults" &&
        python_environment "$target/faults/venv" bench/faults/requirements.txt) || return 1
    if ! setpriv --reuid postgres --regid postgres --clear-groups "$target/faults/venv/bin/patroni" --version >/dev/null; then
        echo "the user postgres cannot run $target/faults/venv/bin/patroni: put CARGO_TARGET_DIR where it may read" >&2
        return 1
    fi
}
