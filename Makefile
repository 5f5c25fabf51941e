# Every command of this project. Each installs what it lacks and needs no service, variable or step by hand.

.DEFAULT_GOAL := help
.PHONY: help run demo web test test-full check bench bench-policy bench-durable bench-record bench-agent bench-api bench-page fmt reference tools clean

help: ## Shows this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s  %s\n", $$1, $$2}' Makefile

run: web ## Builds Countersign and starts it: open the link it prints
	cargo build --package countersign --locked
	target/debug/countersign serve

demo: ## Walks through a policy and six calls in the terminal
	cargo build --package countersign --locked
	scripts/demo

web: ## Builds the page into the binary
	@scripts/web build

# The documentation's examples go first, so that the summary of all other tests is what one reads last.
test: web ## Runs all tests: a throwaway PostgreSQL, a real browser
	@scripts/tools nextest schemathesis
	@scripts/browser
	scripts/with-postgres sh -c 'cargo test --doc --workspace --locked --quiet && cargo nextest run --workspace --locked'

test-full: ## The same with long campaigns, and a report in docs/reference
	@scripts/test-full

check: ## All that a change must pass: format, lints, tests, dependencies, spelling, generated files
	@scripts/check

bench: bench-policy bench-durable bench-record bench-agent bench-api bench-page ## Runs all benchmarks and writes docs/reference/benchmarks.md

bench-policy: ## The judge side by side with other engines
	cargo build --release --locked --manifest-path bench/Cargo.toml --package bench-policy
	bench/target/release/compare docs/reference/benchmarks.md

bench-durable: ## Durable runs beside the disk's limit and other libraries; MILLION=1 has a million runs wait
	cargo build --release --locked --manifest-path bench/Cargo.toml --package bench-durable
	COUNTERSIGN_POSTGRES_DURABLE=1 scripts/with-postgres \
		bench/target/release/durable docs/reference/benchmarks.md $(if $(MILLION),--million)

bench-record: ## What the record costs, and how quickly it is verified and exported
	cargo build --release --locked --manifest-path bench/Cargo.toml --package bench-record
	COUNTERSIGN_POSTGRES_DURABLE=1 scripts/with-postgres bench/target/release/record docs/reference/benchmarks.md

bench-agent: ## What we add to an agent's turn, to many runs at once, and to what a model streams
	cargo build --release --locked --manifest-path bench/Cargo.toml --package bench-agent
	bench/target/release/agent docs/reference/benchmarks.md

bench-api: ## The API beside the durable core and an empty handler, and how soon streams tell; QUICK=1 only tries it out
	cargo build --release --locked --manifest-path bench/Cargo.toml --package bench-api
	COUNTERSIGN_POSTGRES_DURABLE=1 scripts/with-postgres \
		bench/target/release/api $(if $(QUICK),target/bench-api.md --quick,docs/reference/benchmarks.md)

bench-page: web ## The inbox with 10,000 open questions in a real browser
	@scripts/browser
	cargo build --release --locked --package countersign
	COUNTERSIGN_BIN=$(CURDIR)/target/release/countersign node web/e2e/bench.mjs docs/reference/benchmarks.md

fmt: ## Formats the code
	cargo fmt --all
	cargo fmt --all --manifest-path bench/Cargo.toml

reference: ## Writes docs/reference anew from the code
	scripts/reference

tools: ## Installs the programs that tests and checks use, at pinned versions
	@scripts/tools

clean: ## Removes all that was built
	cargo clean
	rm -rf web/dist web/node_modules
