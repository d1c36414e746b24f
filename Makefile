# `make test` passes all tests on a fresh machine with Rust and Python 3.11; it sets up the rest.
.PHONY: demo test test-rust test-python lint bench clean

PYTHON ?= python3
VENV := .venv
CARGO := cargo

demo:
	$(CARGO) run --release -- demo

test: lint test-rust test-python

# Formatting, clippy and rustdoc, all without warnings.
lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
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

# Criterion benchmarks of the parts, then the whole program on the real data, with peak memory.
bench:
	$(CARGO) bench -p spinney
	$(CARGO) build --release
	$(PYTHON) bench/whole.py target/release/spinney

clean:
	$(CARGO) clean
	rm -rf $(VENV)
