# The targets are the steps of continuous integration; `make test` runs all of them.
# Needs only Rust (stable), Python >= 3.10 and make: everything else is fetched by cargo and pip.

CARGO ?= cargo
PYTHON ?= python3
OUT ?= out

.DEFAULT_GOAL := help
.PHONY: help demo test fmt lint unit doc examples bench bench-peers hotel clean

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

bench-peers: ## RRWM, assignment and eigenpairs beside pygmtools, lap and numpy in one run
	$(PYTHON) -m venv $(OUT)/peers
	$(OUT)/peers/bin/pip install --quiet --disable-pip-version-check -r scripts/peers.txt
	$(CARGO) build --release --locked -p anchormatch-lab --bench kernels
	$(CARGO) build --release --locked -p anchormatch --example bench_assignment
	$(OUT)/peers/bin/python scripts/bench_peers.py

hotel: ## accuracy on the CMU Hotel sequence (needs the data, see README)
	$(CARGO) run --release --quiet -p anchormatch-cli -- reproduce hotel

clean: ## remove what was built
	$(CARGO) clean
	rm -rf $(OUT)
