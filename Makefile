# The commands that people type. `make` alone prints this help.

.DEFAULT_GOAL := help
BUILD := build
DYNAPROOF := $(BUILD)/dynaproof
# Pulumi's own version stands in the state that it writes.
PULUMI_VERSION := $(shell sed -n 's|^.*github.com/pulumi/pulumi/sdk/v3 \(v[0-9.]*\).*|\1|p' go.mod | head -n 1)
AWS_VERSION := $(shell sed -n 's|^.*github.com/pulumi/pulumi-aws/sdk/v6 \(v[0-9.]*\).*|\1|p' go.mod | head -n 1)
LDFLAGS := -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=$(PULUMI_VERSION)

# Pulumi's backend links clients of stores that no state is kept in here. Google's own tag leaves out of its client what speaks gRPC
# to it directly: a tenth of the packages that dynaproof-local would compile.
override export GOFLAGS += -tags=disable_grpc_modules

.PHONY: help
help: ## print this help
	@awk 'BEGIN {FS = ":.*## "} \
	  /^##@/ {printf "\n%s\n", substr($$0, 5)} \
	  /^[a-zA-Z_-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

##@ Prove

.PHONY: verify
verify: build ## deploy all five designs on the embedded engine, replay everything, print the verdicts
	$(DYNAPROOF) verify $(DESIGNS)

.PHONY: verdicts
verdicts: ## hold the evidence of the last make verify to the frozen verdicts, and to what a run must send, explore and show
	go test -count=1 ./conformance -run 'TestConformance$$' -evidence $(CURDIR)/$(BUILD)/report/evidence.json.gz

.PHONY: engines
engines: build ## replay all designs on dynoxide, dynalite and moto, and say what each can answer
	$(DYNAPROOF) engines $(DESIGNS)

.PHONY: scale
scale: build ## prove that patterns cost what their results cost, however much data others have
	$(DYNAPROOF) scale $(DESIGNS)
	go test -count=1 ./conformance/lab/scale -run 'GrowthIsExplained' -designs ''

.PHONY: mutants
mutants: build ## break one thing at a time, and see the claim fail that must notice
	$(DYNAPROOF) mutants $(DESIGNS)
	go test -count=1 ./conformance/internal/test/exploretest -run 'ElementsOn' -claims ''

.PHONY: serve
serve: build ## keep an engine with all designs deployed and loaded
	$(DYNAPROOF) serve

# Seeds and repeats bound these tests, not time: a slow machine is no failure. Only a test that hangs reaches this.
HUNG := 12h

.PHONY: races
races: engine ## race every flow for 200 seeds, and write all reports, under the race detector
	go test -race -count 1 -timeout $(HUNG) ./conformance/internal/test/guardtest -run 'TestRaces$$' -seeds 200 -orders 1000
	go test -race -count 1 -timeout $(HUNG) ./conformance/report ./conformance/internal/test/exploretest
	go test -count 1 -timeout $(HUNG) ./conformance/suite/races -run 'TestNoOrderIsLeftOut$$' -interleavings 70

.PHONY: soak
soak: engine ## repeat what runs clients side by side 2,000 times under the race detector; about 20 minutes
	go test -race -count 2000 -failfast -timeout $(HUNG) -run 'TestRace$$|TestRunsWriteWhen|TestRunsThatDoNot' ./conformance/internal/flow
	go test -race -count 2000 -failfast -timeout $(HUNG) -run 'TestManyClientsAtOnce|TestCloseWaits|TestCloseGivesUp' ./conformance/internal/wire

.PHONY: fuzz
fuzz: ## look for text that breaks a reader, a minute for each
	go test ./accesspatterns -run '^$$' -fuzz '^FuzzKeyTemplate$$' -fuzztime 1m
	go test ./accesspatterns/document -run '^$$' -fuzz '^FuzzDraft$$' -fuzztime 1m
	go test ./accesspatterns/document -run '^$$' -fuzz '^FuzzCitation$$' -fuzztime 1m
	go test ./accesspatterns/expression -run '^$$' -fuzz '^FuzzExpression$$' -fuzztime 1m
	go test ./accesspatterns/contract -run '^$$' -fuzz '^FuzzLoad$$' -fuzztime 1m
	go test ./accesspatterns/contract/importer -run '^$$' -fuzz '^FuzzImport$$' -fuzztime 1m
	go test ./conformance/evidence -run '^$$' -fuzz '^FuzzRead$$' -fuzztime 1m
	go test ./conformance/internal/wire -run '^$$' -fuzz '^FuzzProxy$$' -fuzztime 1m

.PHONY: rehearsal
rehearsal: build ## go through the AWS lane with all designs against a moto in place of AWS: kills, cleanup, two accounts
	go test -count=1 -timeout 20m -v -run 'TestRehearsal|TestExisting(LeavesOthersAlone|TellsWhatIsNotDeclared)$$' ./conformance/cli -rehearse all

.PHONY: faults
faults: engine ## replay 500 patterns and invariants under injected faults; no verdict may be wrong, nothing lost
	$(DYNAPROOF) faults $(DESIGNS)

.PHONY: pulumi
pulumi:
	@mkdir -p $(BUILD)
	nice go build -modfile=stacks/deploy/testdata/pulumi.mod -ldflags '-s -w $(LDFLAGS)' -o $(BUILD)/pulumi github.com/pulumi/pulumi/pkg/v3/cmd/pulumi

.PHONY: plugin
plugin: pulumi ## fetch Pulumi's aws plugin, which --target aws needs, with the CLI (built in minutes, once)
	@$(if $(AWS_PLUGIN_CHECKSUM),,echo "plugin: the download is not verified; set AWS_PLUGIN_CHECKSUM to the SHA-256 of its archive for this platform" >&2)
	$(BUILD)/pulumi plugin install resource aws $(AWS_VERSION) $(if $(AWS_PLUGIN_CHECKSUM),--checksum $(AWS_PLUGIN_CHECKSUM))

.PHONY: takeover
takeover: pulumi ## build the Pulumi CLI (minutes, once) and hand stacks over between it and dynaproof
	DYNAPROOF_PULUMI=$(CURDIR)/$(BUILD)/pulumi go test -count=1 -timeout 20m -v -run 'TakesOver|RepairedByTheOther' ./stacks/deploy

# The plugin is the one that DYNAPROOF_AWS_PLUGIN names, the one on the path, or the one that `make plugin` has put in place.
AWS_PLUGIN = $(or $(DYNAPROOF_AWS_PLUGIN),$(shell command -v pulumi-resource-aws),$(wildcard $(or $(PULUMI_HOME),$(HOME)/.pulumi)/plugins/resource-aws-$(AWS_VERSION)/pulumi-resource-aws))
.PHONY: plugin-check
plugin-check: ## hold the provider for loopback against Pulumi's aws plugin on all designs; skipped where there is none
	DYNAPROOF_AWS_PLUGIN=$(AWS_PLUGIN) go test -count=1 -timeout 20m -v -run 'TestPlugin$$' ./stacks/deploy

# AWS's modelling server, with its generators; aws-cdk comes from npm as they ask for it.
PEERS := awslabs.dynamodb-mcp-server==2.1.8
.PHONY: peers
peers: ## hold exports and imports against the field's own tools, from the Python registry and npm; skipped where these cannot be had
	@mkdir -p $(BUILD)
	@if python3 -m venv $(BUILD)/peers && $(BUILD)/peers/bin/pip install --quiet --timeout 30 --retries 1 $(PEERS) && npm view --fetch-timeout=30000 --fetch-retries=1 aws-cdk version >/dev/null; then \
	  DYNAPROOF_PEERS=$(CURDIR)/$(BUILD)/peers/bin/python go test -count=1 -timeout 20m -v -run 'TestPeers$$' ./conformance/internal/export; \
	else echo "peers: skipped, for $(PEERS) or aws-cdk cannot be had here"; fi

##@ Develop

.PHONY: build
build: ## build build/dynaproof, and build/dynaproof-local, which deploys the five designs for it
	@mkdir -p $(BUILD)
	go build -buildvcs=auto -ldflags '-s -w' -o $(DYNAPROOF) ./conformance/cmd/dynaproof
	go build -buildvcs=false -ldflags '-s -w' -o $(DYNAPROOF)-local ./stacks/local

# The race detector takes the packages that start goroutines (a test holds the list
# against them), but for those that link Pulumi or replay designs, which would take minutes
# more to compile and to run, and for the reports, whose tests take minutes under it. `make races`
# takes these minutes.
RACE := ./accesspatterns/explore ./accesspatterns/guard ./conformance/internal/deploy ./conformance/internal/flow ./conformance/internal/watchdog ./conformance/internal/wholefile ./conformance/internal/wire ./conformance/lab ./conformance/target

# These packages have benchmarks and no test: `make bench` links them, and `make lint` compiles them.
MEASURED := ./conformance/lab/bench

# go test begins with the packages that are named first. Those that take longest come first, so that none of them is left to run alone.
LONGEST := ./conformance/cli ./conformance/suite ./conformance/report/browser ./conformance/internal/test/exploretest ./conformance ./accesspatterns/document/reader ./stacks/deploy ./conformance/lab/scale

# Tests wait for engines, a browser and children a fifth of their time: two packages more than there are processors are tested at once,
# and six at most, since a container may be shown the processors of its host.
AT_ONCE = $(shell processors=$$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN); echo $$((2 + (processors < 4 ? processors : 4))))

# `make lint` vets all packages; so nothing is vetted here. gotestsum has its own module file, so that its modules are not ours.
# Time is what tests lack: a test process collects garbage less often, until its heap nears a gigabyte, which is a soft limit.
.PHONY: test
test: export GOGC = 1000
test: export GOMEMLIMIT = 1GiB
test: export DYNAPROOF_LOCAL = $(CURDIR)/$(DYNAPROOF)-local
test: engine ## unit tests and the suite, under go test; race detector where it is affordable; ends with what was skipped
	go list $(RACE) $(MEASURED) | sort > $(BUILD)/apart
	go build -modfile=.ci/test.mod -o $(BUILD)/gotestsum gotest.tools/gotestsum
	@$(BUILD)/gotestsum --format standard-quiet --ignore-non-json-output-lines --raw-command -- sh -c '\
	  go test -json -vet=off -p $(AT_ONCE) -race $(RACE) && \
	  go test -json -vet=off -p $(AT_ONCE) -timeout 25m $(LONGEST) $$(go list ./... | sort | comm -23 - $(BUILD)/apart)'

# Its own module file, so that the linters' 200 modules are not ours.
.PHONY: lint
lint: ## run the linters of .golangci.yml (the first run builds them, a minute or two)
	@mkdir -p $(BUILD)
	go build -modfile=.ci/lint.mod -o $(BUILD)/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	$(BUILD)/golangci-lint run

.PHONY: engine
engine: build ## fetch the embedded engine
	@$(DYNAPROOF) engine

.PHONY: manifest
manifest: ## write the manifest of all claims and the digests of all document lines anew
	go test ./accesspatterns/designs -run 'IsCommitted|AreCommitted|AreFrozen' -update

.PHONY: frozen
frozen: manifest engine ## write manifest, verdicts and mutants anew: what a change of the product must not move unsaid
	go test -count=1 ./conformance -run 'TestConformance$$' -designs '' -update
	go test ./accesspatterns/contract -run 'WhatIsWrittenIsRead' -update
	go test ./conformance/lab/mutants/... -run 'AreFrozen' -update
	go test ./conformance/report -run 'AreFrozen' -update
	go test ./conformance/internal/explain -run 'EveryClaimIsExplained' -update
	go test ./conformance/internal/test/exploretest -run 'ElementsOn' -claims '' -update

.PHONY: documents
documents: build ## account for every line of the design documents
	$(DYNAPROOF) documents $(or $(DYNAPROOF_DOCUMENTS),../shared/designs)

.PHONY: bench
bench: engine ## measure time and memory, each figure beside what it is compared with: one table
	@go test -run '^$$' -bench . -benchtime 1x -timeout 0 ./conformance/lab/bench -dynaproof $(DYNAPROOF)

.PHONY: benchmarks
benchmarks: engine ## print the Go benchmarks
	go test -run '^$$' -bench . -benchmem ./accesspatterns/guard ./conformance/internal/wire ./stacks/deploy

.PHONY: files
files: ## check workflows, GitLab example and release configuration; fails where it cannot have a schema
	CI=true go test -count=1 -v ./conformance/internal/test/workflows

.PHONY: release
release: ## build the binaries of a release into dist, without publishing (needs goreleaser)
	goreleaser release --snapshot --clean

.PHONY: clean
clean: ## remove what was built
	rm -rf $(BUILD)
