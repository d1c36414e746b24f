# `make test` passes all tests on a fresh machine with Rust and Python 3.11; it sets up the rest.
.PHONY: demo test test-rust test-python lint bench bench-parts bench-whole clean

PYTHON ?= python3
VENV := .venv
BENCH_VENV := .venv-bench
CARGO := cargo

demo:
	$(CARGO) run --release -- demo

test: lint test-rust test-python

# Formatting, clippy and rustdoc, all without warnings. The program and the library are both called spinney and would
# write the same pages at the same time, so the program is documented alone, before the pages that are kept.
lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc -p spinney-cli --bin spinney --no-deps --document-private-items
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --document-private-items

test-rust:
	$(CARGO) test --workspace --no-fail-fast

# Comparisons with scikit-learn and SciPy, which live in a virtual environment of their own.
test-python: $(VENV)/ready
	$(CARGO) build --release
	SPINNEY=target/release/spinney $(VENV)/bin/python -m pytest -q tests/python

$(VENV)/ready: tests/python/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

# Criterion benchmarks of the parts, then the whole program beside its peers, with a dated record in bench/records.
# BENCH passes options on: make bench-whole BENCH="--only cpdb6 hiv4 --repeats 3"
bench: bench-parts bench-whole

bench-parts:
	$(CARGO) bench -p spinney

bench-whole: $(BENCH_VENV)/ready
	$(CARGO) build --release
	$(BENCH_VENV)/bin/python bench/run.py --program target/release/spinney $(BENCH)

$(BENCH_VENV)/ready: bench/requirements.txt
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

clean:
	$(CARGO) clean
	rm -rf $(VENV) $(BENCH_VENV)
