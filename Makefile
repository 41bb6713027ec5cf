# What each target needs on a fresh Debian or Ubuntu, it installs; elsewhere it
# says what to install. GO may name another go command.
GO ?= go
BIN := bin/forage
FUZZTIME ?= 6s
export CGO_ENABLED ?= 0

.PHONY: all demo run test check check-long bench build dashboard browser-test desktop-test screenshots fuzz vet needs dist dist-test window clean

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

# The window is built where it can be seen and built; else the dashboard is there.
window: needs-cc
	@if ./.ci/needs window; then set -x; CGO_ENABLED=1 $(GO) build -trimpath -ldflags "-s -w" -o $(BIN)-window ./cmd/forage-window; \
	else echo "no OpenGL headers: the window is not built, the dashboard opens in its place" >&2; fi

SCREEN := $(if $(DISPLAY)$(WAYLAND_DISPLAY),window)

demo: build $(SCREEN)
	./$(BIN) demo

run: build $(SCREEN)
	./$(BIN) run

vet: needs
	@out=$$(gofmt -l .ci app assets cmd crawl p2p storage ui); if [ -n "$$out" ]; then echo "not gofmt-ed:" $$out; exit 1; fi
	CGO_ENABLED=0 $(GO) vet ./...
	GOOS=windows $(GO) vet ./cmd/forage ./ui/tray ./ui/open ./ui/desktop ./cmd/forage-window ./app/sense ./app/autostart ./app/pace ./app/priority
	GOOS=darwin $(GO) vet ./cmd/forage ./ui/tray ./ui/open ./app/sense ./app/autostart ./app/pace ./app/priority

# What needs no OpenGL headers, with CGO too; the rest is tried by desktop-test.
WITHOUT_WINDOW = $$($(GO) list ./... | grep -v /cmd/forage-window)

# The race detector needs CGO and a C compiler. Simulations of swarms run without it, and so do pictures of the window.
test: needs-cc dashboard vet
	@./.ci/needs dbus-daemon || echo "no dbus-daemon: tests of the tray are left out" >&2
	CGO_ENABLED=1 $(GO) test -race -timeout 25m $(WITHOUT_WINDOW)
	$(GO) test -timeout 25m -run '^TestSim_' ./app
	$(GO) test ./ui/desktop
	$(MAKE) desktop-test
	$(MAKE) dist-test
	$(MAKE) browser-test

# The dashboard in a real browser; left out where there is none and none can be installed.
browser-test: dashboard
	@./.ci/needs browser || echo "no browser: tests in one are left out" >&2
	cd $(WEB)/e2e && $(GO) vet . && $(GO) test -timeout 15m .

# The window's program, which alone is built with OpenGL's headers, and tray and window on a desktop of their own: left
# out where headers or programs are missing and cannot be installed.
desktop-test: needs-cc dashboard
	@if ./.ci/needs window; then set -x; \
		CGO_ENABLED=1 $(GO) vet ./cmd/forage-window && CGO_ENABLED=1 $(GO) test ./cmd/forage-window; \
	else echo "no OpenGL headers: cmd/forage-window is not built, and tests on a desktop are left out" >&2; fi
	@./.ci/needs desktop || echo "no desktop to test on: tests of tray and window on one are left out" >&2
	$(GO) test -timeout 10m ./cmd/forage-window/e2e

# The pictures of the user guide, of real programs on the practice web.
screenshots: needs-cc dashboard
	@./.ci/needs window desktop browser fonts
	FORAGE_NEED_DESKTOP=1 FORAGE_PICTURES=$(CURDIR)/docs/guide $(GO) test -count=1 -timeout 15m -run TestPictures ./cmd/forage-window/e2e

# Every fuzz target, for a while each.
fuzz: needs
	./.ci/fuzz $(FUZZTIME)

check: test fuzz build
	./.ci/demo ./$(BIN)

# Sixty kills of a real process, syncs counted, swarms of sixty in every kind of trouble (some hours of one core),
# and everything of check for longer.
check-long: test build
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
	cd .ci/tools && $(GO) vet ./... && $(GO) test ./...

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
	rm -rf bin dist $(WEB)/node_modules $(WEB)/dist/assets $(WEB)/dist/index.html
