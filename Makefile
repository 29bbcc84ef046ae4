# The targets are the steps of continuous integration; `make test` runs all of them.
# Needs only Rust (stable), Python >= 3.10 and make: everything else is fetched by cargo and pip.

CARGO ?= cargo
PYTHON ?= python3
OUT ?= out
# Where the data sets are, for the tests and experiments that read them; what is not there is said.
ANCHORMATCH_DATA ?= $(abspath $(wildcard ../shared/data))
export ANCHORMATCH_DATA

# What is built once gains nothing from what incremental compilation keeps.
ifdef CI
export CARGO_INCREMENTAL ?= 0
endif

.DEFAULT_GOAL := help
.PHONY: help demo test fmt lint dependencies page chromium browser studio-pictures studio-speed audit unit explore fuzz doc examples wheel python bench bench-solvers bench-peers bench-qaplib bench-networks bench-known bench-trust bench-cluster test-ray bench-compat reproduce reproduce-quick release-check clean

help: ## what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

demo: ## match two views of the built-in house and write a report
	@mkdir -p $(OUT)
	$(CARGO) run --release --quiet -p anchormatch-cli -- demo --out $(OUT)/demo.html

test: fmt lint dependencies page unit browser doc examples python ## every check: format, lints, tests, documentation, examples, Python

fmt: ## is the code formatted?
	$(CARGO) fmt --all --check

lint: ## clippy, warnings are errors
	$(CARGO) clippy --workspace --all-targets --all-features --locked -- -D warnings

dependencies: ## do all licences fit, and does our oldest Rust suffice?
	$(PYTHON) scripts/check_dependencies.py

audit: $(OUT)/tools/bin/cargo-deny ## advisories, licences, sources and duplicates, by cargo-deny
	PATH="$(abspath $(OUT))/tools/bin:$$PATH" $(CARGO) deny check licenses bans sources
	@export PATH="$(abspath $(OUT))/tools/bin:$$PATH"; \
	if $(CARGO) deny fetch db; then $(CARGO) deny check advisories; \
	else echo "advisories: not checked, their database could not be fetched"; fi

$(OUT)/tools/bin/cargo-deny:
	$(CARGO) install --locked --root $(OUT)/tools cargo-deny

# All features but `reproduce`, so that the second step builds nothing anew but the command.
WITHOUT_REPRODUCE = --workspace --exclude anchormatch-python --features anchormatch/ndarray,anchormatch/petgraph \
  --locked --test without_reproduce

unit: ## unit, property, integration and documentation tests
	$(CARGO) test --workspace --exclude anchormatch-python --all-features --locked
	$(CARGO) test $(WITHOUT_REPRODUCE)

page: ## are the built files of the studio's page up to date? (needs Node, and says so)
	$(PYTHON) scripts/check_page.py

chromium: ## Chromium from the system's packages (Debian and its kin, as root)
	$(PYTHON) scripts/install_chromium.py

# Nobody's system gets a package unasked, but that of continuous integration. The command is the one that the unit tests
# built last.
browser: $(if $(CI),chromium) ## the studio's page in a real browser (needs Chromium, see `make chromium`, and says so)
	$(CARGO) test $(WITHOUT_REPRODUCE) --no-run
	$(PYTHON) crates/anchormatch-studio/tests/browser/test_page.py

studio-pictures: ## the screenshots of docs/studio.md (needs Chromium)
	$(CARGO) build --locked -p anchormatch-cli
	$(PYTHON) crates/anchormatch-studio/tests/browser/test_page.py --pictures docs

studio-speed: ## from a change in the studio to the refreshed match on its page, in milliseconds (needs Chromium)
	$(CARGO) build --release --locked -p anchormatch-cli
	$(PYTHON) crates/anchormatch-studio/tests/browser/test_page.py --command target/release/anchormatch --speed

explore: ## the tests with new random cases in the property tests (SEED=N repeats a run)
	PROPTEST_RNG_SEED=$${SEED:-$$(date +%s)} $(CARGO) test --workspace --exclude anchormatch-python --all-features --locked

# Seconds for each fuzz target, and the sanitizer: ours is safe Rust, `address` looks into what we call.
# Without one the coverage comes by stable flags; every other one needs nightly Rust.
FUZZ_SECONDS ?= 20
FUZZ_SANITIZER ?= none
FUZZ_TOOLCHAIN = $(if $(filter none,$(FUZZ_SANITIZER)),,+nightly)
FUZZ_TARGETS ?= $(basename $(notdir $(wildcard fuzz/fuzz_targets/*.rs)))

fuzz: ## every fuzz target for FUZZ_SECONDS each; what fails stays in fuzz/crashes
	@$(CARGO) $(FUZZ_TOOLCHAIN) --version > /dev/null 2>&1 || { \
	  echo "FUZZ_SANITIZER=$(FUZZ_SANITIZER) needs nightly Rust, which is not installed: rustup toolchain install nightly" >&2; exit 1; }
	@test -x $(OUT)/tools/bin/cargo-fuzz || $(CARGO) install --locked --root $(OUT)/tools cargo-fuzz
	@export PATH="$(abspath $(OUT))/tools/bin:$$PATH"; failed=; \
	for target in $(FUZZ_TARGETS); do \
	  mkdir -p $(OUT)/fuzz/$$target fuzz/crashes/$$target; \
	  $(CARGO) $(FUZZ_TOOLCHAIN) fuzz run --sanitizer $(FUZZ_SANITIZER) $$target \
	    $(abspath $(OUT))/fuzz/$$target fuzz/corpus/$$target fuzz/crashes/$$target -- \
	    -max_total_time=$(FUZZ_SECONDS) -timeout=30 -rss_limit_mb=2048 -max_len=4096 -verbosity=0 \
	    -print_final_stats=1 -artifact_prefix=fuzz/crashes/$$target/ || failed="$$failed $$target"; \
	  rmdir --ignore-fail-on-non-empty fuzz/crashes/$$target; \
	done; \
	test -z "$$failed" || { echo "failed:$$failed; the input is in fuzz/crashes, where make test replays it" >&2; exit 1; }

doc: ## the API documentation builds without warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --all-features --locked

examples: ## the examples in Rust run and print what they should (python does so for those in Python)
	CARGO="$(CARGO)" $(PYTHON) scripts/check_examples.py

wheel: $(OUT)/maturin ## the Python package, optimised, as a wheel
	$(OUT)/maturin/bin/maturin build --release --locked --interpreter $(PYTHON) --out $(OUT)/wheels

# The wheel of the tests shares the profile of the other tests, which builds faster. Many tests wait for other processes,
# so that several go side by side; those of one file do not, for they share a cluster.
python: $(OUT)/maturin ## the Python package in a fresh virtual environment: tests, documentation, types
	rm -rf $(OUT)/wheels-test
	$(OUT)/maturin/bin/maturin build --profile dev --locked --interpreter $(PYTHON) --out $(OUT)/wheels-test
	$(PYTHON) -m venv --clear $(OUT)/python
	$(OUT)/python/bin/pip install --quiet --disable-pip-version-check -r python/tests/requirements.txt $(OUT)/wheels-test/*.whl
	$(OUT)/python/bin/python -m pytest --quiet --numprocesses 4 --dist loadfile python/tests
	$(OUT)/python/bin/python -m pytest --quiet --doctest-modules --pyargs anchormatch
	$(OUT)/python/bin/python -m mypy python/anchormatch
	$(OUT)/python/bin/ruff check
	$(OUT)/python/bin/ruff format --check

# Ray is large: its tests have an environment of their own and are no part of `make test`. It also leaves
# processes behind that end after the interpreter does.
test-ray: $(OUT)/maturin ## many pairs with Ray, whose workers are killed
	rm -rf $(OUT)/wheels-test
	$(OUT)/maturin/bin/maturin build --profile dev --locked --interpreter $(PYTHON) --out $(OUT)/wheels-test
	$(PYTHON) -m venv --clear $(OUT)/ray
	$(OUT)/ray/bin/pip install --quiet --disable-pip-version-check -r python/tests_ray/requirements.txt $(OUT)/wheels-test/*.whl
	$(OUT)/ray/bin/python -m pytest --quiet -W ignore::ResourceWarning -W ignore::pytest.PytestUnraisableExceptionWarning python/tests_ray

$(OUT)/maturin: pyproject.toml
	$(PYTHON) -m venv --clear $(OUT)/maturin
	$(OUT)/maturin/bin/pip install --quiet --disable-pip-version-check "maturin>=1.9,<2"
	@touch $(OUT)/maturin

bench: ## time, memory and growth of the kernels
	$(CARGO) bench --locked -p anchormatch-lab --bench kernels

bench-solvers: ## every solver on the synthetic sweeps: accuracy, objective, time
	$(CARGO) run --release --quiet -p anchormatch-lab -- bench solvers --out $(OUT)/solvers

bench-peers: wheel $(OUT)/peers ## every comparison with the peers, in one run; writes docs/peers.md
	$(CARGO) build --release --locked -p anchormatch-lab --bench kernels
	$(CARGO) build --release --locked -p anchormatch --example bench_faq
	$(CARGO) build --release --locked -p anchormatch-cli -p anchormatch-lab
	$(OUT)/peers/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps $(OUT)/wheels/*.whl
	$(OUT)/peers/bin/python scripts/write_peers.py --data "$(ANCHORMATCH_DATA)"

bench-qaplib: $(OUT)/peers ## QAPLIB beside SciPy, the same second for each instance (needs the data)
	$(CARGO) build --release --locked -p anchormatch-cli
	$(OUT)/peers/bin/python scripts/bench_qaplib.py --data "$(ANCHORMATCH_DATA)"

bench-networks: $(OUT)/peers ## real networks beside graspologic, the same anchors (needs the data)
	$(CARGO) build --release --locked -p anchormatch-lab
	$(OUT)/peers/bin/python scripts/bench_networks.py --data "$(ANCHORMATCH_DATA)"

bench-known: $(OUT)/peers ## what attributes, relations, candidates and crossing edges bring (needs the data)
	$(CARGO) build --release --locked -p anchormatch-cli
	$(OUT)/peers/bin/python scripts/bench_known.py --data "$(ANCHORMATCH_DATA)" --questions

bench-trust: $(OUT)/peers ## confidences where nothing can be found, and where nodes are alike
	$(CARGO) build --release --locked -p anchormatch-cli
	$(OUT)/peers/bin/python scripts/bench_trust.py

bench-cluster: wheel ## one pair on two processes of Dask beside one machine, weak scaling
	$(PYTHON) -m venv --clear $(OUT)/cluster
	$(OUT)/cluster/bin/pip install --quiet --disable-pip-version-check psutil "dask[dataframe,distributed]" pandas pyarrow $(OUT)/wheels/*.whl
	$(OUT)/cluster/bin/python -W ignore scripts/bench_cluster.py

bench-compat: wheel $(OUT)/peers ## anchormatch.compat beside SciPy, pygmtools and graspologic
	$(OUT)/peers/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps $(OUT)/wheels/*.whl
	$(OUT)/peers/bin/python scripts/bench_compat.py

$(OUT)/peers: scripts/peers.txt
	$(PYTHON) -m venv $(OUT)/peers
	$(OUT)/peers/bin/pip install --quiet --disable-pip-version-check -r scripts/peers.txt
	@touch $(OUT)/peers

reproduce: ## the paper's Section 5 and docs/reproduction.md (Hotel needs the data, see docs/figures.md)
	$(CARGO) run --release --quiet -p anchormatch-cli --features reproduce -- reproduce all --out $(OUT)/reproduction --docs docs

reproduce-quick: ## the same with few trials, in minutes, without the documents
	$(CARGO) run --release --quiet -p anchormatch-cli --features reproduce -- reproduce all --quick --out $(OUT)/reproduction-quick

release-check: $(OUT)/release/tools ## pack crates, sdist and wheel, look into them, install them and run the README's lines
	CARGO="$(CARGO)" $(OUT)/release/tools/bin/python scripts/release_check.py --out $(OUT)/release

$(OUT)/release/tools: scripts/release_tools.txt
	$(PYTHON) -m venv --clear $(OUT)/release/tools
	$(OUT)/release/tools/bin/pip install --quiet --disable-pip-version-check -r scripts/release_tools.txt
	@touch $(OUT)/release/tools

clean: ## remove what was built
	$(CARGO) clean
	rm -rf $(OUT)
