# make run: set up what is missing, build, run plugins.yaml.   make test: the same for the tests.   make help: everything.
SWIFT ?= swift
PREFIX ?= /usr/local
CONFIG ?= plugins.yaml
BUILD = $(SWIFT) build --explicit-target-dependency-import-check error
CONFIGS = plugins.yaml $(wildcard Examples/*.yaml Examples/venues/*.yaml)

.PHONY: help run test build install setup lint format validate clean

help:
	@echo "make run [CONFIG=plugins.yaml]  set up, build and run a configuration"
	@echo "make test                       set up, build and run the tests"
	@echo "make build                      leave the release program at .build/release/stockbus"
	@echo "make install [PREFIX=/usr/local]  install it as PREFIX/bin/stockbus"
	@echo "make lint | format              check or apply the code style"
	@echo "make validate                   check every shipped configuration"

# In a process group of its own, so that Ctrl-C stops the run and not make, which would report an error.
run: build
	@if [ -t 0 ]; then set -m; fi; .build/release/stockbus run $(CONFIG)

build: setup
	$(BUILD) -c release --product stockbus

test: setup
	$(BUILD) --build-tests
	$(SWIFT) test --skip-build

install: build
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 .build/release/stockbus "$(DESTDIR)$(PREFIX)/bin/stockbus"

setup:
	@sh Scripts/setup.sh

lint:
	$(SWIFT) format lint --strict --recursive Package.swift Sources Plugins Tests

format:
	$(SWIFT) format --in-place --recursive Package.swift Sources Plugins Tests

validate: setup
	$(BUILD) --product stockbus
	@for config in $(CONFIGS); do printf '%s: ' "$$config"; .build/debug/stockbus validate "$$config" || exit 1; done

clean:
	rm -rf .build
