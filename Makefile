# The targets are the steps of continuous integration; `make test` runs all of them.
# Needs only Rust (stable), Python >= 3.10 and make: everything else is fetched by cargo and pip.

CARGO ?= cargo
PYTHON ?= python3
OUT ?= out

.DEFAULT_GOAL := help
.PHONY: help demo test fmt lint unit doc examples bench bench-solvers bench-peers bench-qaplib bench-networks reproduce reproduce-quick clean

help: ## what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

demo: ## match two views of the built-in house and write a report
	@mkdir -p $(OUT)
	$(CARGO) run --release --quiet -p anchormatch-cli -- demo --out $(OUT)/demo.html

test: fmt lint unit doc examples ## every check: format, lints, tests, documentation, examples

fmt: ## is the code formatted?
	$(CARGO) fmt --all --check

lint: ## clippy, warnings are errors
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

unit: ## unit, property, integration and documentation tests
	$(CARGO) test --workspace --locked

doc: ## the API documentation builds without warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked

examples: ## the examples run
	$(CARGO) run --quiet --locked -p anchormatch --example match_graphs

bench: ## time, memory and growth of the kernels
	$(CARGO) bench --locked -p anchormatch-lab --bench kernels

bench-solvers: ## every solver on the synthetic sweeps: accuracy, objective, time
	$(CARGO) run --release --quiet -p anchormatch-cli -- bench solvers --out $(OUT)/solvers

bench-peers: $(OUT)/peers ## RRWM, FAQ, assignment and eigenpairs beside their peers in one run
	$(CARGO) build --release --locked -p anchormatch-lab --bench kernels
	$(CARGO) build --release --locked -p anchormatch --example bench_faq
	$(OUT)/peers/bin/python scripts/bench_peers.py
	$(OUT)/peers/bin/python scripts/bench_faq.py

bench-qaplib: $(OUT)/peers ## QAPLIB beside SciPy, the same second for each instance (needs the data)
	$(CARGO) build --release --locked -p anchormatch-cli
	$(OUT)/peers/bin/python scripts/bench_qaplib.py --data "$${ANCHORMATCH_DATA:-../shared/data}"

bench-networks: $(OUT)/peers-networks ## real networks beside graspologic, the same anchors (needs the data)
	$(CARGO) build --release --locked -p anchormatch-cli
	$(OUT)/peers-networks/bin/python scripts/bench_networks.py --data "$${ANCHORMATCH_DATA:-../shared/data}"

$(OUT)/peers: scripts/peers.txt
	$(PYTHON) -m venv $(OUT)/peers
	$(OUT)/peers/bin/pip install --quiet --disable-pip-version-check -r scripts/peers.txt
	@touch $(OUT)/peers

$(OUT)/peers-networks: scripts/peers_networks.txt
	$(PYTHON) -m venv $(OUT)/peers-networks
	$(OUT)/peers-networks/bin/pip install --quiet --disable-pip-version-check -r scripts/peers_networks.txt
	@touch $(OUT)/peers-networks

reproduce: ## the paper's Section 5 and docs/reproduction.md (Hotel needs the data, see README)
	$(CARGO) run --release --quiet -p anchormatch-cli -- reproduce all --out $(OUT)/reproduction --docs docs

reproduce-quick: ## the same with few trials, in minutes, without the documents
	$(CARGO) run --release --quiet -p anchormatch-cli -- reproduce all --quick --out $(OUT)/reproduction-quick

clean: ## remove what was built
	$(CARGO) clean
	rm -rf $(OUT)
