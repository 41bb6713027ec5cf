# What each target needs on a fresh Debian or Ubuntu, it installs; elsewhere it
# says what to install. GO may name another go command.
GO ?= go
BIN := bin/forage
FUZZTIME ?= 6s
export CGO_ENABLED ?= 0

.PHONY: all demo run test check check-long bench papers build dashboard e2e-programs browser-test desktop-test screenshots fuzz vet vet-systems needs needs-cc dist dist-test bench-test plain-test sim-test window clean

all: build

# The dashboard becomes part of the program. Vite writes index.html last.
WEB := ui/web
dashboard: $(WEB)/dist/index.html

$(WEB)/dist/index.html: $(WEB)/node_modules/.package-lock.json $(WEB)/index.html $(WEB)/vite.config.ts $(WEB)/tsconfig.json \
		$(shell find $(WEB)/src assets/words -type f)
	cd $(WEB) && npm run --silent test && npm run --silent build

$(WEB)/node_modules/.package-lock.json: $(WEB)/package-lock.json
	@./.ci/needs node npm
	cd $(WEB) && npm ci --no-audit --no-fund --silent
	@touch $@

# A node built without CGO runs on any Linux of its architecture.
build: needs dashboard
	CGO_ENABLED=0 $(GO) build -ldflags "-s -w" -o $(BIN) ./cmd/forage

# The window is built where it can be built; else the dashboard is there.
window: needs-cc
	@if ./.ci/needs window; then set -x; CGO_ENABLED=1 $(GO) build -ldflags "-s -w" -o $(BIN)-window.new ./cmd/forage-window && \
		mv $(BIN)-window.new $(BIN)-window; \
	else echo "no OpenGL headers: the window is not built, the dashboard opens in its place" >&2; fi

# Where there is a screen, the window is built too. The first time that takes minutes: node and dashboard do not wait for it.
demo run: build
	@[ -z "$$DISPLAY$$WAYLAND_DISPLAY" ] || ! ./.ci/needs cc window || if [ -e $(BIN)-window ]; then $(MAKE) -s window; else \
		echo "The window is being built meanwhile, as $(BIN)-window.log tells. Until then the dashboard opens."; \
		nice $(MAKE) -s window > $(BIN)-window.log 2>&1 < /dev/null & fi
	./$(BIN) $@

vet: needs
	@out=$$(gofmt -l .ci app assets cmd crawl p2p storage ui); if [ -n "$$out" ]; then echo "not gofmt-ed:" $$out; exit 1; fi
	CGO_ENABLED=0 $(GO) vet ./...
	cd cmd/bench && CGO_ENABLED=0 $(GO) vet ./...

# What other systems compile: half a minute with a warm cache, minutes without.
vet-systems: needs
	GOOS=windows $(GO) vet ./cmd/forage ./ui/tray ./ui/open ./ui/desktop/... ./cmd/forage-window ./app/sense/... ./app/autostart ./app/pace ./app/priority
	GOOS=darwin $(GO) vet ./cmd/forage ./ui/tray ./ui/open ./app/sense/... ./app/autostart ./app/pace ./app/priority

# What runs tests, says how long each step took, and can name the slowest (.ci/slowest).
STEP := ./.ci/step
GOTESTSUM := $(CURDIR)/bin/gotestsum
REPORT = $(GOTESTSUM) --format pkgname-and-test-fails --hide-summary skipped --jsonfile $(CURDIR)/bin/tests/$(1).json --
bin/gotestsum: .ci/tools/go.mod
	@mkdir -p bin/tests
	cd .ci/tools && CGO_ENABLED=0 $(GO) build -o $(GOTESTSUM) gotest.tools/gotestsum

# The programs that all end-to-end tests run, built once. The window tells with "windowmap" where its buttons are.
E2E := $(CURDIR)/bin/e2e
e2e-programs: needs-cc dashboard
	@mkdir -p $(E2E)
	CGO_ENABLED=0 $(GO) build -o $(E2E)/forage ./cmd/forage
	@if ./.ci/needs window; then set -x; CGO_ENABLED=1 $(GO) build -tags windowmap -o $(E2E)/forage-window ./cmd/forage-window; \
	else rm -f $(E2E)/forage-window; echo "no OpenGL headers: cmd/forage-window is not built, and tests on a desktop are left out" >&2; fi

# Packages with goroutines that share memory: the race detector watches them. The others run without, four times as fast.
RACED := ./app/api/... ./app/bandwidth ./crawl/fetch ./crawl/uplink ./crawl/worker ./p2p ./p2p/calls ./p2p/driver ./p2p/peerhost \
	./storage ./storage/requests ./storage/warc
# The rest. Tests on a desktop have a step of their own.
# storage/warc is among both: the race detector gets a sample of the faults of a disk (durabletest.OneIn).
UNRACED = ./cmd/forage ./app ./storage/warc $(filter-out $(shell $(GO) list $(RACED) ./cmd/forage ./app ./cmd/forage-window/...),$(shell $(GO) list ./...))

# One processor a package: in a bubble of testing/synctest two goroutines may run timers at once, and Go 1.26 gives both the
# same context of the race detector, which then breaks (runtime/time.go, unlockAndRun). It judges by order, not by chance.
RACE := -race -cpu 1

# What every change must pass, in minutes. The race detector needs CGO and a C compiler.
test: needs-cc dashboard bin/gotestsum
	@rm -rf bin/steps bin/tests && mkdir -p bin/tests
	@./.ci/needs dbus-daemon || echo "no dbus-daemon: tests of the tray are left out" >&2
	@$(STEP) "vet" $(MAKE) -s vet
	@$(STEP) "programs for end-to-end tests" $(MAKE) -s e2e-programs
	@CGO_ENABLED=1 $(STEP) "tests with the race detector" $(call REPORT,race) $(RACE) -short -timeout 30m $(RACED)
	@$(STEP) "tests without, simulations" $(MAKE) -s -j2 --output-sync=target plain-test sim-test
	@$(STEP) "tests on a desktop, in a browser, of packaging, of bench" \
		$(MAKE) -s -j2 --output-sync=target desktop-test browser-test dist-test bench-test SHORT=-short

# Three packages at a time: the first two wait for most of it.
plain-test: e2e-programs bin/gotestsum
	FORAGE_E2E_PROGRAM=$(E2E)/forage $(call REPORT,plain) -p 3 -short -timeout 30m -skip '^TestSim_' $(UNRACED)

# Swarms in virtual time: they wait for nothing.
sim-test: bin/gotestsum
	$(call REPORT,sims) -p 1 -short -timeout 30m -run '^TestSim_' ./app ./p2p/group

# What measures and judges is a module of its own.
bench-test: bin/gotestsum
	cd cmd/bench && $(call REPORT,bench) $(SHORT) -timeout 15m ./...

# The dashboard in a real browser; left out where there is none and none can be installed.
browser-test: e2e-programs bin/gotestsum
	@./.ci/needs browser || echo "no browser: tests in one are left out" >&2
	cd $(WEB)/e2e && $(GO) vet . && FORAGE_E2E_PROGRAM=$(E2E)/forage $(call REPORT,browser) $(SHORT) -timeout 15m .

# The window's program, which alone is built with OpenGL's headers, and tray and window on a desktop of their own: left
# out where headers or programs are missing and cannot be installed.
desktop-test: e2e-programs bin/gotestsum
	@if [ -e $(E2E)/forage-window ]; then set -x; CGO_ENABLED=1 $(GO) vet ./cmd/forage-window && CGO_ENABLED=1 $(GO) test ./cmd/forage-window; fi
	@./.ci/needs desktop || echo "no desktop to test on: tests of tray and window on one are left out" >&2
	if [ -e $(E2E)/forage-window ]; then export FORAGE_E2E_PROGRAMS=$(E2E); fi; $(call REPORT,desktop) $(SHORT) -timeout 20m ./cmd/forage-window/e2e

# The pictures of the user guide, of real programs on the practice web.
screenshots: needs-cc dashboard
	@./.ci/needs window desktop browser fonts
	FORAGE_NEED_DESKTOP=1 FORAGE_PICTURES=$(CURDIR)/docs/guide $(GO) test -count=1 -timeout 15m -run TestPictures ./cmd/forage-window/e2e

# Every fuzz target, for a while each.
fuzz: needs
	./.ci/fuzz $(FUZZTIME)

# Before a release: all tests at their full size under the race detector (simulations and pictures without), every system, every fuzz target.
WITHOUT_WINDOW = $$($(GO) list ./... | grep -v /cmd/forage-window)
check: needs-cc dashboard bin/gotestsum build
	@rm -rf bin/steps bin/tests && mkdir -p bin/tests
	@$(STEP) "vet" $(MAKE) -s vet vet-systems
	@$(STEP) "staticcheck, govulncheck" ./.ci/lint
	@$(STEP) "programs for end-to-end tests" $(MAKE) -s e2e-programs
	@CGO_ENABLED=1 FORAGE_E2E_PROGRAM=$(E2E)/forage $(STEP) "tests with the race detector" $(call REPORT,race) $(RACE) -timeout 40m $(WITHOUT_WINDOW)
	@$(STEP) "simulations" $(call REPORT,plain) -timeout 25m -run '^TestSim_' ./app
	@$(STEP) "pictures" $(call REPORT,pictures) ./ui/desktop/...
	@$(STEP) "tests on a desktop" $(MAKE) -s desktop-test
	@$(STEP) "tests of packaging" $(MAKE) -s dist-test
	@$(STEP) "tests of bench" $(MAKE) -s bench-test
	@$(STEP) "tests in a browser" $(MAKE) -s browser-test
	@$(STEP) "demo" ./.ci/demo ./$(BIN)
	@$(STEP) "fuzzing" ./.ci/fuzz 1s
	@./.ci/slowest

# Hours: sixty kills of a real process, syncs counted, swarms of sixty in every kind of trouble, networks with routers,
# packages on a clean system, and fuzzing for longer.
check-long: check
	@./.ci/needs nft || true
	FORAGE_LONG=1 CGO_ENABLED=1 $(GO) test -timeout 8h -run 'Long|TestSim_' -v $(WITHOUT_WINDOW)
	$(MAKE) fuzz FUZZTIME=2m
	./.ci/warcio/run ./$(BIN)
	./.ci/dist-twice
	$(MAKE) dist
	./.ci/package-install dist/forage_*.deb

# Packages for Linux and Windows, in dist/; what this machine cannot build is left out, and said.
dist: needs dashboard dist-test
	@./.ci/needs cc window || true
	@./.ci/needs mingw || true
	cd .ci/tools && $(GO) run ./dist -root ../..

dist-test: needs dashboard
	cd .ci/tools && $(GO) vet ./... && $(GO) test $(SHORT) ./...

bench: build
	$(GO) test -run '^$$' -bench . -benchmem ./crawl/... ./p2p/... ./storage/...
	cd cmd/bench && $(GO) run . -forage ../../$(BIN) && $(GO) run ./loop -forage ../../$(BIN) && \
		$(GO) run . -scale 1000000 && $(GO) run . -swarm 1,4,16

# The papers' experiments, again: docs/papers.md and its pictures. DATA is a directory with round trips; without it some are not run.
papers: needs
	$(GO) run ./cmd/papers $(if $(DATA),-data $(DATA))

needs:
	@./.ci/needs go

needs-cc:
	@./.ci/needs go cc

clean:
	rm -rf bin dist $(WEB)/node_modules $(WEB)/dist/assets $(WEB)/dist/index.html
