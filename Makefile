# SPDX-License-Identifier: Apache-2.0
#
# make test       everything that must hold before a change lands (5 minutes on 2 cores; 13 from empty caches)
# make reproduce  every published figure, in full
# make bench      the grid of benchmarks
# make instructions what a task costs in instructions, for each policy, where valgrind is installed
# make simgrid    flows beside SimGrid's full solver, where libsimgrid-dev is installed (20 minutes)
# make docs       write the generated reference pages
# make build      the program, optimised for where its time goes: ./yardmaster
# make release    binaries, a Debian package, a container image and their checksums: dist/
# make install    shows that go install works, from a module proxy made of the last commit
# make profile    measure again where that is
# make oracle     holds yardmaster decide against the resource manager of Hadoop: SEED=1 CASES=100 (needs Java and Maven)
# make live       what live commands do on a real Hadoop cluster of 4 nodes, started for it (needs Java 17 and Maven; an hour; REPETITIONS=1 is
#                 shorter; CASES="reproduce sweep" runs these alone)
# make live-smoke a short part of it on 2 nodes; skipped where Java 17 or Maven is missing
# make fuzz       every fuzz target for a minute (FUZZ=5s is shorter); fails for one that crashes, or does fewer than 1,000 executions in a second of processor time
# make explore    property tests on many new cases (minutes)

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -c

# Where the time goes: make build lets the compiler know, and timings are taken with it. A plain go build does without
# it, because it would compile the standard library again.
PROFILE = cmd/yardmaster/hot.pgo

SEED =

.PHONY: release install live live-smoke fuzz oracle build profile explore test format vet staticcheck unit race speed browser-tools tidy docs-check docs reproduce bench instructions simgrid

test: format vet staticcheck tidy docs-check browser-tools unit race speed
	@echo "make test: gofmt, vet, staticcheck, tidy, docs, unit, scenario, conformance, browser, race and speed tests passed"

format:
	@echo "== gofmt"
	@out=$$(gofmt -l $$(git ls-files '*.go' 2>/dev/null || find . -name '*.go')); if [ -n "$$out" ]; then echo "gofmt would change:"; echo "$$out"; exit 1; fi

vet:
	@echo "== go vet"
	@go vet ./...

staticcheck:
	@echo "== staticcheck"
	@go run $(STATICCHECK) ./...

tidy:
	@echo "== go mod tidy leaves no difference"
	@go mod tidy -diff

docs-check:
	@echo "== generated docs are up to date"
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && go run ./cmd/yardmaster docs "$$dir" && \
	for f in "$$dir"/*; do diff -u "docs/$$(basename "$$f")" "$$f" || { echo "run make docs"; exit 1; }; done

# The browser test needs Chromium; on Debian it is installed when it is missing and that is allowed. Where it is not,
# the test is skipped.
browser-tools:
	@echo "== chromium"
	@command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || { \
	  if [ "$$(id -u)" = 0 ]; then sudo=; elif sudo -n true 2>/dev/null; then sudo=sudo; else sudo=none; fi; \
	  if ! command -v apt-get >/dev/null 2>&1; then echo "no chromium and no apt-get: the browser test will be skipped"; \
	  elif [ "$$sudo" = none ]; then echo "no chromium, and neither root nor sudo to install it: the browser test will be skipped"; \
	  else echo "installing Debian's chromium for the browser test"; \
	    $$sudo apt-get update -qq >/dev/null && $$sudo apt-get install -y -qq --no-install-recommends chromium >/dev/null || \
	    echo "chromium could not be installed: the browser test will be skipped"; fi; }

unit:
	@echo "== unit, scenario, conformance and browser tests"
	@go test -vet=off ./...

# The core knows no goroutines (internal/arch sees to it); experiment runs many engines at a time. Of the commands those are
# tested that have many of them.
race:
	@echo "== race detector"
	@go test -vet=off -race -short ./experiment/... ./advise/... ./reproduce/... ./live/... ./serve/... ./internal/tables/...
	@go test -vet=off -race -short -run 'Compare|Sweep|Search|Reproduce|Workbench' ./cmd/...

speed:
	@echo "== speed: every policy, a backlog, a thousand queues, a slice of a network day"
	@YARDMASTER_SPEED=1 go test -pgo=$(CURDIR)/$(PROFILE) -count=1 -timeout 60m -v -run Speed ./engine | grep -v '^=== RUN'

build:
	go build -trimpath -pgo=$(PROFILE) -o yardmaster ./cmd/yardmaster

release:
	release/build.sh $(PROFILE)

install:
	release/install.sh

docs:
	go run ./cmd/yardmaster docs docs

reproduce:
	go run ./cmd/yardmaster reproduce

bench:
	go test -pgo=$(CURDIR)/$(PROFILE) -run '^$$' -bench . -benchtime 3x -timeout 120m ./...

# The new profile is added to the one that is there: calls are found by their lines, and what one sample leaves out the other has.
# Data on links, shared machines and YARN's queues are code of their own; their part is shorter than what is there, so it counts
# five times. What needs the traces is left out where YARDMASTER_TRACES is not set.
profile:
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
	go test -trimpath -pgo=off -run '^$$' -bench 'EveryPolicy|Backlog/waiting=1000/^(edf|deadline-min|deadline-max)$$|Backlog/waiting=8000/^(fair|delay|capacity)$$' -benchtime 8x -cpuprofile "$$dir/profile" -o "$$dir/test" ./engine && \
	go test -trimpath -pgo=off -run '^$$' -bench 'FacebookNetwork/quarter|FacebookExact|Resources|Batch|FacebookYarn' -benchtime 4x -cpuprofile "$$dir/more" -o "$$dir/test" ./experiment && \
	go tool pprof -proto -output "$$dir/both" $(PROFILE) "$$dir/profile" $$(for n in 1 2 3 4 5; do echo "$$dir/more"; done) && cp "$$dir/both" $(PROFILE)

instructions:
	internal/heapunit/instructions.sh

simgrid:
	internal/flows/simgrid/run.sh

explore:
	YARDMASTER_EXPLORE=1 go test -count=1 -timeout 60m ./internal/simtest -rapid.checks=2000

fuzz: FUZZ ?= 60s
fuzz:
	YARDMASTER_FUZZ=$(FUZZ) go test -count=1 -timeout 120m -v -run TestFuzzing ./internal/tracetest

# Without SEED new scenarios are drawn; their seed is printed.
oracle: CASES = 100
oracle:
	@python3 oracle/run.py --cases $(CASES) $(if $(SEED),--seed $(SEED)) $(if $(WIDE),--wide) $(if $(PREEMPT),--preempt) $(if $(SIZES),--sizes)

LIVE_CASES = smoke bench marp fbq sweep reproduce faults
live: CASES = $(LIVE_CASES)
live:
	$(if $(filter-out $(LIVE_CASES),$(CASES)),$(error live: $(filter-out $(LIVE_CASES),$(CASES)): no such case; allowed: $(LIVE_CASES)))
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && CGO_ENABLED=0 go build -o "$$dir/yardmaster" ./cmd/yardmaster && \
	live/testcluster/cluster.py --nodes 4 run live/testcluster/all.sh "$$dir/yardmaster" "$(CASES)" $(REPETITIONS)

live-smoke:
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && CGO_ENABLED=0 go build -o "$$dir/yardmaster" ./cmd/yardmaster && \
	live/testcluster/cluster.py --nodes 2 --optional run live/testcluster/smoke.sh "$$dir/yardmaster"
