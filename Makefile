# make help lists the targets: the lines with two marks.
# run and test share a debug build, which takes less than half the time of a release build; build and install make the release program.
SWIFT ?= swift
PREFIX ?= /usr/local
CONFIG ?= plugins.yaml
BUILD = SWIFT='$(SWIFT)' sh Scripts/build.sh --explicit-target-dependency-import-check error
# For the fast program: types are made by direct calls, where they would be looked up among all conformances of the program at its start;
# relocations take a tenth of the room if the loader knows that form (glibc 2.36).
FAST = -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors $(PACKED)
PACKED := $(shell getconf GNU_LIBC_VERSION 2>/dev/null | awk '{ split($$2, v, "."); if (v[1] * 1000 + v[2] >= 2036) print "-Xlinker -z -Xlinker pack-relative-relocs" }')
CONFIGS = plugins.yaml $(filter-out %.test.yaml,$(wildcard Examples/*.yaml Examples/nats/*.yaml Examples/venues/*.yaml Examples/plugins/awk/*.yaml))
BENCHMARKS = $(addprefix Benchmarks/,Package.swift Sources Peers/swift/Package.swift Peers/swift/Sources Alternatives/Package.swift Alternatives/Sources)
OUTSIDE = $(addprefix Examples/plugins/moving-average/,Package.swift Sources Tests) $(addprefix Examples/plugins/spread/,Package.swift Sources Tests) Examples/plugins/tutorials
FUZZING = $(addprefix Fuzzing/,Package.swift Sources)
SECONDS ?= 60
MINUTES ?= 20

# Scripts/commit.sh has written the header for --version.
export STOCKBUS_COMMIT_IS_TOLD = 1

.PHONY: help run test test-build test-outside build install deb tarball test-packages man docs setup map lint format validate disk recovery replays python test-python test-rehearsals test-browser test-api test-nats test-tables bench bench-quick bench-counts reloads fuzz soak clean

## help                            list these
help:
	@awk '/^## / { printf "make %s\n", substr($$0, 4) }' Makefile

## run [CONFIG=plugins.yaml]       set up, build quickly, and run a configuration
# In a process group of its own, so that Ctrl-C stops the run but not make, which would report an error.
run: setup
	$(BUILD) --product stockbus
	@echo "stockbus: a debug build, for a first look; 'make install' makes the fast program" >&2
	@if [ -t 0 ]; then set -m; fi; .build/debug/stockbus run $(CONFIG)

## build                           leave the fast program at .build/release/stockbus
build: setup
	$(BUILD) -c release $(FAST) --product $(or $(PRODUCT),stockbus)

## test [FILTER=NAME]              set up, build and run the tests
test: test-build
	$(SWIFT) test --skip-build $(if $(FILTER),--filter '$(FILTER)')

test-build: setup
	$(BUILD) --build-tests

## test-outside                    build, test and run a package outside of this one, Examples/plugins/moving-average
# A package as somebody else writes it: only products, only what is public. A program without network and database must build none.
test-outside: setup
	sh Scripts/outside.sh

## install [PREFIX=/usr/local]     install it as PREFIX/bin/stockbus
install: build
	PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' sh Scripts/install.sh .build/release

## deb                             write a package for Debian and Ubuntu to .build/packages, for machines without Swift
deb: PROGRAMS = chrpath dpkg-shlibdeps
deb: build
	@sh Scripts/package.sh deb

## tarball                         the same for other distributions, in a folder that may be anywhere
tarball: PROGRAMS = chrpath
tarball: build
	@sh Scripts/package.sh tarball

## test-packages                   try both packages on a minimal Debian 12 without Swift (root, debootstrap)
test-packages: deb tarball
	@python3 Tests/System/Packages/bare.py || [ $$? -eq 77 ]

## man                             write the manual pages to .build/man; make install takes them along
man: build
	python3 Scripts/man.py .build/release/stockbus .build/man

## docs                            write the documentation of plugins, the contract and all plugins as pages to .build/docs
docs: setup
	$(BUILD) --product stockbus
	@SWIFT='$(SWIFT)' sh Scripts/docs.sh .build/debug/stockbus || [ $$? -eq 77 ]

setup:
	@sh Scripts/setup.sh $(PROGRAMS)
	@sh Scripts/commit.sh

## map                             draw the floors of Package.swift into Documentation/maintain/architecture.md
map:
	SWIFT='$(SWIFT)' python3 Scripts/house.py

## lint                            check the code style; in the pages links, names and the map
lint:
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Plugins Tests $(OUTSIDE) $(BENCHMARKS) $(FUZZING)
	@if command -v python3 >/dev/null; then python3 Scripts/links.py && SWIFT='$(SWIFT)' python3 Scripts/house.py --check; \
	  else echo "SKIPPED: the check of the pages needs python3"; fi

## format                          apply the code style
format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Plugins Tests $(OUTSIDE) $(BENCHMARKS) $(FUZZING)

## validate                        check every shipped configuration, and run their tests
validate: setup
	$(BUILD) --product stockbus
	@for config in $(CONFIGS); do printf '%s: ' "$$config"; .build/debug/stockbus validate "$$config" || exit 1; done
	.build/debug/stockbus test Examples Examples/nats Examples/venues Examples/plugins/awk

## disk                            fill small disks and count what is on them (root)
disk: setup
	$(BUILD) --product stockbus
	python3 Tests/System/Disk/tmpfs.py

## recovery [KILLS=200]            kill runs at random moments, and look for all that they had acknowledged
recovery: setup
	$(BUILD) --product stockbus
	python3 Tests/System/Recovery/kill.py .build/debug/stockbus --kills $(or $(KILLS),200)
	python3 Tests/System/Recovery/people.py .build/debug/stockbus --kills $(or $(KILLS),50)
	python3 Tests/System/Recovery/memory.py .build/debug/stockbus --kills $(or $(KILLS),200)
	python3 Tests/System/Recovery/past.py .build/debug/stockbus

## test-browser [PARTS=]           try the dashboard's page in Chromium, and the program's (PARTS=program); PARTS=figures: measure it
test-browser:
	@sh Scripts/browser.sh $(PARTS)

## test-api                        compare the dashboard's API with openapi.yaml, by Schemathesis
test-api: setup
	$(BUILD) --product stockbus
	@sh Scripts/api.sh .build/debug/stockbus || [ $$? -eq 77 ]

## test-nats [EVENTS=20000]        kill and cut off real NATS servers, writers and readers, and look for each event
test-nats: setup
	$(BUILD) --product stockbus
	@sh Scripts/nats.sh .build/debug/stockbus || [ $$? -eq 77 ]

## test-tables [PYTHON=python3]    compare Arrow streams and Parquet files with pyarrow, polars and DuckDB, where PYTHON has them
test-tables: setup
	$(SWIFT) build --package-path Tests/System/Tables/Tool --scratch-path .build/tables -c release
	@$(or $(PYTHON),python3) Tests/System/Tables/tables.py .build/tables/release/tables-tool || [ $$? -eq 77 ]

## python                          pack the Python module as a wheel in .build/python: pip install .build/python/stockbus-*.whl
python:
	@python3 Scripts/wheel.py .build/python

## test-python [PYTHON=python3]    try the Python module with real runs, and with polars, pyarrow, pandas, DuckDB, mypy where PYTHON has them
test-python: setup
	$(BUILD) --product stockbus
	$(or $(PYTHON),python3) Tests/System/Python/test_stockbus.py .build/debug/stockbus

## replays [MINUTES=10]            compare what a recording gives at full speed, at 60 times its own, and through the echo
replays: setup
	$(BUILD) --product stockbus
	python3 Tests/System/SameBytes/replays.py --minutes $(or $(MINUTES),10)

## test-rehearsals                 rules beside Prometheus, one digest of alerts, nothing that gets out, planted mistakes
test-rehearsals: setup
	$(BUILD) --product stockbus
	@for part in promtool digest order nothing_out planted; do \
	  python3 Tests/System/Rehearsing/$$part.py .build/debug/stockbus || [ $$? -eq 77 ] || exit 1; done

## bench [ONLY=bus,replay]         measure beside the peers (30 minutes)
bench: setup
	python3 Benchmarks/bench.py --only "$(ONLY)"

## bench-quick [ONLY=bus,replay]   the same in five minutes
bench-quick: setup
	python3 Benchmarks/bench.py --quick --only "$(ONLY)"

## bench-counts                    hold the hot paths to their instruction counts
bench-counts: setup
	python3 Benchmarks/counts.py

## reloads [RELOADS=1000 SEED=1]   change a run at a million events a second, and look for each event
reloads: setup
	cd Benchmarks && $(SWIFT) build -c release --product ReloadBench
	Benchmarks/.build/release/ReloadBench $(or $(RELOADS),1000) $(or $(RATE),1000000) $(or $(SEED),1)

## fuzz [TARGET= SECONDS=60]       attack what reads bytes from outside; TARGET=all: all; none: list them
fuzz: setup
	@sh Scripts/fuzz.sh "$(TARGET)" "$(SECONDS)"

## soak [MINUTES=20 PARTS=]        models, stress and sanitizers, for so long besides the builds; 0: each once, to its end
soak: setup
	@sh Scripts/soak.sh "$(MINUTES)" $(PARTS)

## clean                           remove what builds have made
clean:
	rm -rf .build Fuzzing/.build
