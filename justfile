# Short names for the commands of CONTRIBUTING.md. Nothing depends on this file.

# List the commands.
default:
    @just --list

# Build the release binary and serve the development profile.
run *flags:
    ./run {{flags}}

# Run the steps of the tests that are named; all of them without a name.
test *steps:
    ./test {{steps}}

# Format, lints, unit tests, rustdoc.
fast:
    ./test fast

# Put all sources into the project's format.
fmt:
    cargo fmt --all

# The lints that ./test has.
lint:
    ./test lints

# Build the documentation of the crates and open it.
doc:
    cargo doc --locked --workspace --no-deps --open

# The external suites, on the data in a folder.
suites dir:
    ./test --suites {{dir}}

# The benchmarks; `just bench --help` names the figures.
bench *arguments:
    bench/run.sh {{arguments}}

# The attacks; `just attack --help` names them.
attack *arguments:
    bench/attack.sh {{arguments}}

# Kill the service under load, again and again.
crash *arguments:
    bench/crash.sh {{arguments}}

# Kill, stop and cut off PostgreSQL below three replicas; `just faults --help` names the scenarios.
faults *arguments:
    bench/faults/run.sh {{arguments}}

# Run a fuzz target (needs a nightly toolchain and cargo-fuzz).
fuzz target *arguments:
    cargo +nightly fuzz run {{target}} {{arguments}}
