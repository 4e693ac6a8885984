# `make help` lists what there is. The work is in scripts/.

PREFIX  ?= /usr/local
DESTDIR ?=
# Further arguments for `swift build` and `swift test`, such as SWIFTFLAGS='-Xswiftc -warnings-as-errors'.
SWIFTFLAGS ?=
# How long `make run` runs, such as 5s; empty: until Ctrl-C.
FOR ?=
# Not empty: `make bench` takes a fast look.
QUICK ?=

SWIFT   := scripts/swift
# What is installed carries Swift's own libraries in it, and the C++ library that they need: the
# machine that runs it needs no Swift, and the process half a megabyte less.
RELEASE := --configuration release --static-swift-stdlib -Xlinker -L.build/static $(SWIFTFLAGS)
# Regular expressions, which nothing here uses, would be linked in all the same: a megabyte.
RELEASE += -Xswiftc -Xfrontend -Xswiftc -disable-implicit-string-processing-module-import
# A module may import only what Package.swift says it depends on.
CHECKED := --explicit-target-dependency-import-check error $(SWIFTFLAGS)
SOURCES := Package.swift $(shell find Sources -type f)
BUILT   := .build/release/forced .build/release/forcectl

.DEFAULT_GOAL := build
.PHONY: help run build test test-kernel test-kernel-haptic bench fuzz sanitize format lint check-imports install uninstall clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' Makefile | sort | awk -F'|' '{ printf "%-24s %s\n", $$1, $$2 }'

run: ## build, start the daemon, show live readings until Ctrl-C
	@scripts/setup build
	@scripts/run $(FOR)

build: ## release build, the one that `make install` installs
	@scripts/setup build
	@$(MAKE) --no-print-directory $(BUILT)

# Alone in a folder that is searched first, because beside it the shared one would be taken. Where
# there is none the shared one is.
.build/static/libstdc++.a:
	@mkdir -p $(@D)
	@newest=$$(ls /usr/lib/gcc/*/*/$(@F) 2>/dev/null | sort -V | tail -n 1); \
	  [ -z "$$newest" ] || ln -sf "$$newest" $@

# One call builds both. Touched, because an unchanged program is not linked again.
.build/release/forced: $(SOURCES) | .build/static/libstdc++.a
	$(SWIFT) build $(RELEASE) --product forced
	@touch $@
.build/release/forcectl: $(SOURCES) | .build/release/forced
	$(SWIFT) build $(RELEASE) --product forcectl
	@touch $@

test: ## every test that needs no special machine
	@scripts/setup build test $(if $(CI),broker)
	$(SWIFT) build --build-tests $(CHECKED)
	@scripts/test-examples
	$(SWIFT) test $(CHECKED)

test-kernel: ## the installed service in a virtual machine with a real kernel (root or sudo)
	@scripts/setup build kernel
	@scripts/test-kernel

test-kernel-haptic: ## haptic touchpads and a DualSense on the drivers of a newer kernel, in emulation (root or sudo)
	@scripts/setup build kernel
	@MACHINES=haptic scripts/test-kernel

bench: ## latency, cost and size beside the floor, the filters on the recordings, in a few minutes; QUICK=1 for a fast look
	@scripts/setup build bench
	@$(MAKE) --no-print-directory .build/release/forced
	@bench/run $(if $(QUICK),--quick)
	@FORCED_BENCH=1 $(SWIFT) test $(CHECKED) --filter FilterFigures 2>&1 | sed -n '/^filter/p'

fuzz: ## look for messages that break the protocol's code, for a minute; scripts/fuzz takes the seconds
	@scripts/setup build
	@scripts/fuzz

sanitize: ## the tests under ThreadSanitizer and AddressSanitizer
	@scripts/setup build test
	@scripts/sanitize thread
	@scripts/sanitize address

format: ## rewrite the sources the way .swift-format says
	@scripts/setup build
	$(SWIFT) format --in-place --recursive Sources Tests Fuzz examples Package.swift

lint: ## formatting, generated files, and shellcheck on the scripts
	@scripts/setup build lint
	$(SWIFT) format lint --strict --recursive Sources Tests Fuzz examples Package.swift
	scripts/embed-interface --check
	scripts/protocol-page --check
	shellcheck --severity=warning .ci/run $$(grep -slE '^#!/bin/(ba)?sh' scripts/* Tests/kernel/*)

check-imports: ## the directions between the modules
	@scripts/check-imports --self-test
	@scripts/check-imports

install: ## copy everything to $(DESTDIR)$(PREFIX)
	@$(MAKE) --no-print-directory $(BUILT)
	@scripts/install install '$(DESTDIR)' '$(PREFIX)'

uninstall: ## remove what install copied
	@scripts/install uninstall '$(DESTDIR)' '$(PREFIX)'

clean: ## remove everything that was built
	rm -rf .build Tests/kernel/out
