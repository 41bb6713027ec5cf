# What each target needs on a fresh Debian or Ubuntu, it installs; elsewhere it
# says what to install. GO may name another go command.
GO ?= go
BIN := bin/forage
FUZZTIME ?= 6s
export CGO_ENABLED ?= 0

.PHONY: all demo run test check check-long bench build dashboard browser-test fuzz vet needs clean

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
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w" -o $(BIN) ./cmd/forage

demo: build
	./$(BIN) demo

run: build
	./$(BIN) run

vet: needs
	@out=$$(gofmt -l app assets cmd crawl p2p storage ui); if [ -n "$$out" ]; then echo "not gofmt-ed:" $$out; exit 1; fi
	$(GO) vet ./...
	GOOS=windows $(GO) vet ./cmd/forage ./app/sense ./app/autostart ./app/pace ./app/priority
	GOOS=darwin $(GO) vet ./cmd/forage ./app/sense ./app/autostart ./app/pace ./app/priority

# The race detector needs CGO and a C compiler. Simulations of swarms run without it.
test: needs-cc dashboard vet
	CGO_ENABLED=1 $(GO) test -race -timeout 25m ./...
	$(GO) test -timeout 15m -run '^TestSim_' ./app
	$(MAKE) browser-test

# The dashboard in a real browser; left out where there is none and none can be installed.
browser-test: dashboard
	@./.ci/needs browser || echo "no browser: tests in one are left out" >&2
	cd $(WEB)/e2e && $(GO) vet . && $(GO) test -timeout 15m .

# Every fuzz target, for a while each.
fuzz: needs
	./.ci/fuzz $(FUZZTIME)

check: test fuzz build
	./.ci/demo ./$(BIN)

# Sixty kills of a real process, syncs counted, swarms of sixty in every kind of trouble,
# and everything of check for longer.
check-long: test build
	FORAGE_LONG=1 CGO_ENABLED=1 $(GO) test -timeout 90m -run 'Long|TestSim_' -v ./...
	$(MAKE) fuzz FUZZTIME=2m
	./.ci/warcio/run ./$(BIN)

bench: build
	$(GO) test -run '^$$' -bench . -benchmem ./crawl/... ./p2p/... ./storage/...
	$(GO) run ./cmd/bench -forage ./$(BIN)
	$(GO) run ./cmd/bench -scale 1000000
	$(GO) run ./cmd/bench -swarm 1,4,16

needs:
	@./.ci/needs go

needs-cc:
	@./.ci/needs go cc

clean:
	rm -rf bin $(WEB)/node_modules $(WEB)/dist/assets $(WEB)/dist/index.html
