# The short way in. `make demo` and `make test` install what is missing, build, and run.
BUILD    := build
JOBS     := $(shell nproc 2>/dev/null || echo 2)
CLI      := $(BUILD)/opwright
LOG      := $(BUILD)/make.log
PROGRAMS := opwright opwright_rt opwright-cage

.PHONY: all deps deps-test build demo test test-slow bench lint fuzz format clean

all: deps build

deps:
	@tools/bootstrap run

deps-test:
	@tools/bootstrap test

# Quiet: what the tools say is shown only when one of them fails.
build:
	@[ -x $(CLI) ] || echo "building into $(BUILD)/ (about a minute)"
	@mkdir -p $(BUILD)
	@cmake -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release >$(LOG) 2>&1 || { cat $(LOG); exit 1; }
	@cmake --build $(BUILD) -j $(JOBS) --target $(PROGRAMS) >>$(LOG) 2>&1 || { tail -60 $(LOG); exit 1; }

# The main job on every file in examples/, ending in a table of verdicts.
demo: deps build
	@$(CLI) gen --output-dir out examples/*.py

test: deps-test build
	@tools/run-tests

test-slow: deps-test build
	@tools/run-tests --slow

bench: deps build
	@bench/first_light.sh

lint:
	@tools/lint

fuzz:
	@tools/fuzz

format:
	@git ls-files 'src/*.[ch]' 'tests/*.c' | xargs clang-format -i

clean:
	@rm -rf build build-* out
