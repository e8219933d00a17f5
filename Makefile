# SPDX-License-Identifier: MIT OR Apache-2.0
# The two commands, and what CI adds to them. Everything else is CMake.

.PHONY: packages build demo test peers asan bench format format-check layers generated symbols clean

PRESET := release
BUILD := build/$(PRESET)

packages:
	@tools/packages.sh

build: packages
	@cmake --preset $(PRESET) >build-configure.log 2>&1 || { cat build-configure.log; exit 1; }
	@rm -f build-configure.log
	@cmake --build --preset $(PRESET)

demo: build
	@tools/demo.sh $(BUILD)

test: build
	@ctest --preset $(PRESET)

peers: build
	@tests/peers/run.sh $(BUILD)

asan: packages
	@cmake --preset asan >/dev/null
	@cmake --build --preset asan
	@ctest --preset asan

bench: build
	@tools/bench.sh $(BUILD)

format:
	@git ls-files -co --exclude-standard '*.c' '*.h' '*.cpp' '*.cu' | xargs clang-format-14 -i

format-check:
	@git ls-files -co --exclude-standard '*.c' '*.h' '*.cpp' '*.cu' | xargs clang-format-14 --dry-run --Werror

layers:
	@tools/check_layers.py

generated:
	@tools/check_generated.sh

symbols: build
	@tools/check_symbols.sh $(BUILD)

clean:
	@rm -rf build
