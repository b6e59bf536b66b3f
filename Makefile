# Builds, tests and shows tmplgen. `make help` lists the targets.
#
# Variables: BUILD (folder of everything made), CC, CFLAGS, SAN=1 (address and undefined-behaviour
# sanitizers, in a folder of its own), WERROR=0|1, FUZZ (the fuzzers to build), PREFIX.

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDARY:

SAN ?= 0
ifeq ($(SAN),1)
BUILD ?= build-san
else
BUILD ?= build
endif
PREFIX ?= /usr/local

ifeq ($(origin CC),default)
CC := gcc
endif
CLANG ?= clang
OBJCOPY ?= objcopy
PKG_CONFIG ?= pkg-config
PYTHON ?= python3

# Warnings are errors with the compiler that the project is developed with; another one may know
# warnings that nobody here has seen.
WERROR ?= $(if $(filter 12,$(shell $(CC) -dumpversion 2>/dev/null)),1,0)

LIBRARIES := libgit2 yaml-0.1 libcurl jansson libcrypto zlib
LIBRARY_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(LIBRARIES) 2>/dev/null)
LIBRARY_LIBS := $(shell $(PKG_CONFIG) --libs $(LIBRARIES) 2>/dev/null) -lm

# V=1 shows whole commands.
V ?= 0
say = $(if $(filter 0,$(V)),@echo '  $(1)' &&)

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
            -Wpointer-arith -Wformat=2 -Wvla -Wundef -Wwrite-strings \
            $(if $(filter 1,$(WERROR)),-Werror)
# With sanitizers half of the time went into optimizing what they hold back anyway, and a quarter of
# the rest into what a debugger asks for beyond the lines: CFLAGS='-Og -g' has that.
CFLAGS ?= $(if $(filter 1,$(SAN)),-Og -g1,-O2 -g)
ifeq ($(SAN),1)
# What was never set has a value that is no truth value, no count and no address: its use is seen.
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer \
            -ftrivial-auto-var-init=pattern
endif
DIALECT := -std=gnu17 -D_GNU_SOURCE -Isrc -I$(BUILD)
COMPILE = $(CC) $(DIALECT) $(WARNINGS) $(CFLAGS) $(SANITIZE) $(LIBRARY_CFLAGS) -MMD -MP
LINK = $(CC) $(CFLAGS) $(SANITIZE) $(LDFLAGS)

# smoke/explain_texts.c is a program of its own, and doctor.c has it in itself.
SOURCES := $(filter-out src/smoke/explain_texts.c,$(sort $(shell find src -mindepth 2 -name '*.c')))
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o)
# Those of some folders of src/.
objects = $(filter $(1:%=$(BUILD)/src/%/%),$(OBJECTS))
UNIT_SOURCES := $(sort $(wildcard tests/unit/test_*.c))
UNIT_SHARED := $(filter-out $(UNIT_SOURCES),$(sort $(wildcard tests/unit/*.c)))
UNIT_TESTS := $(UNIT_SOURCES:tests/unit/%.c=$(BUILD)/unit/%)
FUZZ_SOURCES := $(sort $(wildcard tests/fuzz/fuzz_*.c))
FUZZ ?= $(FUZZ_SOURCES:tests/fuzz/fuzz_%.c=%)
FUZZERS := $(FUZZ:%=$(BUILD)/fuzz/fuzz_%)

.PHONY: all
all: $(BUILD)/tmplgen $(BUILD)/gpu-smoke $(BUILD)/installed

$(BUILD)/tmplgen: $(BUILD)/src/main.o $(BUILD)/libtmplgen.a
	$(call say,link $@) $(LINK) -o $@ $^ $(LIBRARY_LIBS)

# An archive, so that a unit test takes only what it needs. It names the objects, and holds none.
$(BUILD)/libtmplgen.a: $(OBJECTS) $(BUILD)/catalog_data.o Makefile
	@rm -f $@
	@$(AR) rcs --thin $@ $(filter %.o,$^)

# The template's own file: what children get is what is built here, and into `doctor`, with --explain.
GPU_SMOKE := templates/_layers/gpu-smoke/files/smoke/gpu_smoke.c

$(BUILD)/gpu-smoke: src/smoke/explain_texts.c $(GPU_SMOKE) $(BUILD)/smoke/explain_tables.h $(BUILD)/flags
	$(call say,cc   $<) $(CC) -std=c11 $(WARNINGS) $(CFLAGS) $(LDFLAGS) -I$(BUILD) -o $@ $< -ldl

$(BUILD)/smoke/explain_tables.h: tools/explain-tables src/smoke/causes.txt src/smoke/codes.txt
	@mkdir -p $(@D)
	@LC_ALL=C awk -f $^ > $@

$(BUILD)/src/smoke/doctor.o $(BUILD)/fuzz/src/smoke/doctor.o $(BUILD)/harness/smoke_text.o \
    $(BUILD)/fuzz/fuzz_smoke_text: | $(BUILD)/smoke/explain_tables.h

$(BUILD)/src/%.o: src/%.c $(BUILD)/flags | $(BUILD)/deps
	@mkdir -p $(@D)
	$(call say,cc   $<) $(COMPILE) -c -o $@ $<

# Files that are texts in the program (src/base/embed.h), which no compiler tells make of.
EMBEDDED := $(shell find src -path '*/files/*' -type f)
EMBEDDING := $(patsubst %.c,%.o,$(shell grep -lw '^EMBED' $(SOURCES)))
$(EMBEDDING:%=$(BUILD)/%): $(EMBEDDED)

# ---------------------------------------------------------------- the built-in catalog

# Reads YAML as the program does.
$(BUILD)/catalog-pack: tools/catalog_pack.c $(call objects,base data io matrix) \
    $(BUILD)/flags \
    | $(BUILD)/deps
	$(call say,cc   $<) $(CC) $(DIALECT) $(WARNINGS) -O1 -g $(SANITIZE) $(LIBRARY_CFLAGS) -o $@ \
	    $(filter-out %/flags,$^) $(LIBRARY_LIBS)

# Looks at every file of the catalog each time, and leaves the result alone when it is the same.
CATALOG_PACK ?= $(BUILD)/catalog-pack
$(BUILD)/catalog_data.c: $(CATALOG_PACK) force
	@$(CATALOG_PACK) embed $(BUILD)

$(BUILD)/catalog_data.o: $(BUILD)/catalog_data.c src/catalog/builtin_data.h
	$(call say,cc   $<) $(CC) $(DIALECT) -O0 -c -o $@ $<

# ---------------------------------------------------------------- the one file

# It needs glibc 2.28, and for the network libcurl; everything else is in it (tools/portable/). The
# rules above make it, in a folder of its own, with a compiler that knows every glibc and both
# processors; what is made on this machine is made as ever.
PORTABLE := build/portable
ZIG = $(abspath $(wildcard build/portable-venv/lib/python3*/site-packages/ziglang/zig))
# For the processor that the target is for.
zig_cc = $(ZIG) cc -target $*-linux-gnu.2.28

.PHONY: portable
portable:
	@tools/deps.sh portable
	@$(MAKE) --no-print-directory $(ONE_FILES) dist/tmplgen-licences.txt

ONE_FILES := dist/tmplgen-x86_64-linux dist/tmplgen-aarch64-linux
dist/% $(PORTABLE)/%: export ZIG_GLOBAL_CACHE_DIR := $(abspath $(PORTABLE)/zig)
dist/% $(PORTABLE)/%: export ZIG_LOCAL_CACHE_DIR := $(abspath $(PORTABLE)/zig)

dist/tmplgen-%-linux: $(PORTABLE)/%/libraries build/catalog-pack force
	@$(MAKE) --no-print-directory BUILD=$(PORTABLE)/$* CC='$(zig_cc)' WERROR=0 \
	    CFLAGS='-O2 -g0 -fPIE -DTG_PORTABLE' CATALOG_PACK=build/catalog-pack \
	    LIBRARY_CFLAGS=-I$(PORTABLE)/$*/include LDFLAGS='-pie -s -L$(PORTABLE)/$*/lib' \
	    LIBRARY_LIBS='-lgit2 -lhttp_parser -lyaml -ljansson -lz -lm' $(PORTABLE)/$*/tmplgen
	@mkdir -p $(@D)
	@cp $(PORTABLE)/$*/tmplgen $@

# Of all that is in it, as their licences want.
dist/tmplgen-licences.txt: LICENSE $(PORTABLE)/x86_64/libraries
	@mkdir -p $(@D)
	@tail -n +1 $< $(PORTABLE)/x86_64/licences/* >$@

$(PORTABLE)/%/libraries: tools/portable/libraries $(PORTABLE)/sources build/portable-venv/made
	$(call say,libraries $(@D)) PATH="$(abspath build/portable-venv/bin):$$PATH" ARCH=$* \
	    CC='$(zig_cc)' AR='$(AR)' $< build $(@D) $(PORTABLE)/sources >$(PORTABLE)/$*.log 2>&1 || \
	    { tail -20 $(PORTABLE)/$*.log; exit 1; }
	@touch $@

$(PORTABLE)/sources: tools/portable/libraries tools/portable/sources
	$(call say,fetch $@) $< sources $@

# ---------------------------------------------------------------- packages and releases

# All lie in dist/ (docs/release.md).
.PHONY: wheel deb dist release
wheel: portable
	@$(MAKE) --no-print-directory $(BUILD)/installed
	@$(foreach it,x86_64 aarch64,$(PYTHON) tools/package/wheel.py $(it) dist/tmplgen-$(it)-linux \
	    $(BUILD)/installed/share $(PORTABLE)/$(it)/licences dist &&) :

deb: # not while `wheel` installs and builds the same
	@tools/deps.sh deb
	@$(MAKE) --no-print-directory $(BUILD)/installed
	@$(PYTHON) tools/package/deb.py $(BUILD)/installed $(BUILD)/deb dist

dist:
	@$(PYTHON) tools/package/source.py dist

release:
	@$(PYTHON) tools/package/release.py check
	@rm -rf dist $(PORTABLE)/x86_64 $(PORTABLE)/aarch64
	@$(MAKE) --no-print-directory wheel
	@$(MAKE) --no-print-directory deb
	@$(MAKE) --no-print-directory dist
	@$(PYTHON) tools/package/release.py record dist

# ---------------------------------------------------------------- unit tests and fuzzers

$(BUILD)/tests/%.o: tests/%.c $(BUILD)/flags | $(BUILD)/deps
	@mkdir -p $(@D)
	$(call say,cc   $<) $(COMPILE) -Itests -c -o $@ $<

$(BUILD)/unit/%: $(BUILD)/tests/unit/%.o $(UNIT_SHARED:%.c=$(BUILD)/%.o) $(BUILD)/libtmplgen.a
	@mkdir -p $(@D)
	$(call say,link $@) $(LINK) -o $@ $^ -lcmocka $(LIBRARY_LIBS)

# Renders what the comparison with Jinja2 asks for (tests/oracle/).
$(BUILD)/oracle-render: $(BUILD)/tests/oracle/render.o \
    $(call objects,base data io jinja)
	$(call say,link $@) $(LINK) -o $@ $^ $(LIBRARY_LIBS)

# Renders templates against the clock (tests/bench/part_render.py).
$(BUILD)/bench-render: $(BUILD)/tests/bench/render.o \
    $(call objects,base data io jinja)
	$(call say,link $@) $(LINK) -o $@ $^ $(LIBRARY_LIBS)

# Says which documents are valid TOML, for the comparison with Python's tomllib.
$(BUILD)/toml-probe: $(BUILD)/tests/oracle/toml_probe.o $(BUILD)/libtmplgen.a
	$(call say,link $@) $(LINK) -o $@ $^ $(LIBRARY_LIBS)

# Asks a registry, for tests/registry.
$(BUILD)/registry-probe: $(BUILD)/tests/registry/probe.o $(BUILD)/libtmplgen.a
	$(call say,link $@) $(LINK) -o $@ $^ $(LIBRARY_LIBS)

.PHONY: unit-tests fuzzers fuzz-replay
unit-tests: $(UNIT_TESTS)
fuzzers: $(FUZZERS)
fuzz-replay: $(BUILD)/fuzz-replay

# The sources that a fuzzer reaches, again, with clang and coverage: one object folder for all.
FUZZ_FLAGS := $(DIALECT) $(LIBRARY_CFLAGS) -O1 -g1 -MMD -MP \
              -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

$(BUILD)/fuzz/src/%.o: src/%.c $(BUILD)/flags | $(BUILD)/deps
	@mkdir -p $(@D)
	$(call say,fuzz $<) $(CLANG) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -c -o $@ $<

$(EMBEDDING:%=$(BUILD)/fuzz/%): $(EMBEDDED)

# It reaches what a linker takes of the library for it.
$(BUILD)/fuzz/fuzz_%.mk: $(BUILD)/harness/%.o $(BUILD)/libtmplgen.a
	@mkdir -p $(@D)
	@$(LD) -r -t -t -o /dev/null $^ | grep -e '^$(BUILD)/src/' -e '^$(BUILD)/catalog_data' | \
	    sed -e 's,^$(BUILD)/src/,$(BUILD)/fuzz/src/,' -e 's,^,$(BUILD)/fuzz/fuzz_$*: ,' >$@

ifneq ($(filter fuzzers $(FUZZERS),$(MAKECMDGOALS)),)
include $(FUZZERS:=.mk)
endif

$(BUILD)/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(BUILD)/flags
	$(call say,fuzz $<) $(CLANG) $(FUZZ_FLAGS) -MF $@.d -fsanitize=fuzzer -o $@ $< \
	    $(filter %.o,$^) $(LIBRARY_LIBS)

# The same harnesses with the project's own compiler, in one program that runs the inputs it is
# given: what was found once stays mended where there is no clang. With SAN=1 as the fuzzers have it.
HARNESSES := $(FUZZ_SOURCES:tests/fuzz/fuzz_%.c=$(BUILD)/harness/%.o)

$(BUILD)/harness/%.o: tests/fuzz/fuzz_%.c $(BUILD)/flags | $(BUILD)/deps
	@mkdir -p $(@D)
	$(call say,cc   $<) $(COMPILE) -w -DLLVMFuzzerTestOneInput=fuzz_$* -c -o $@ $<
	@$(OBJCOPY) --keep-global-symbol=fuzz_$* $@

$(BUILD)/fuzz-replay: $(BUILD)/tests/fuzz/replay.o $(HARNESSES) $(BUILD)/libtmplgen.a
	$(call say,link $@) $(LINK) -Wl,--export-dynamic-symbol='fuzz_*' -o $@ $^ $(LIBRARY_LIBS)

# ---------------------------------------------------------------- stamps

# Changes when the flags do, so that nothing is left over from other flags.
FLAGS_TEXT := $(CC) $(DIALECT) $(WARNINGS) $(CFLAGS) $(SANITIZE) $(LIBRARY_CFLAGS) $(LDFLAGS)
.PHONY: force
$(BUILD)/flags: force
	@mkdir -p $(@D)
	@echo '$(FLAGS_TEXT)' | cmp -s - $@ || echo '$(FLAGS_TEXT)' > $@

# Plain `make` installs nothing: it says what is missing.
$(BUILD)/deps:
	@mkdir -p $(@D)
	@tools/deps.sh --check build
	@touch $@

.PHONY: deps
deps:
	@tools/deps.sh build

# ---------------------------------------------------------------- show, test, check

VENV := build/venv

.PHONY: demo test test-full soak lint format bench peers mutants venv release-catalog

demo:
	@tools/deps.sh build
	@$(MAKE) --no-print-directory -j2 build/tmplgen
	@tools/demo.sh build/tmplgen

test: venv
	@tools/run-tests test

test-full: venv
	@tools/deps.sh test-full
	@$(MAKE) --no-print-directory -s build/smoke-venv/made
	@tools/run-tests test-full

# Has no end of its own: FUZZ_SECONDS for each fuzzer.
soak: venv
	@tools/deps.sh test-full
	@tools/run-tests soak

lint: venv build/tmplgen build/smoke/explain_tables.h
	@tools/lint

format: venv
	@clang-format -i $(filter-out $(shell grep -rl '^/\* Made by ' src),\
	    $(shell find src tests tools -name '*.[ch]') $(GPU_SMOKE))
	@$(VENV)/bin/ruff format --quiet tests tools/checks tools/lint tools/run-tests

# PARTS="instructions new resolve update rebase slope image render service batch" and ROUNDS=10 choose; WRITE=1 puts the figures
# into docs/performance.md and docs/service.md. SLOW=200: as if each change of the file system took so
# many µs longer.
bench: venv
	@$(MAKE) --no-print-directory -s build/tmplgen build/measure build/bench-render build/unit/test_matrix_shipped \
	    build/bench-venv/made
	@build/bench-venv/bin/python tests/bench/bench.py --rounds $(or $(ROUNDS),10) \
	    $(if $(SLOW),--slow $(SLOW)) $(if $(WRITE),--write) $(PARTS)

build/measure: tests/bench/measure.c build/flags
	$(call say,cc   $<) $(CC) $(DIALECT) $(WARNINGS) -O2 -o $@ $<

# The scenarios of updates through tmplgen, copier and cruft; never in CI. ONLY=S-25,S-27 and
# TOOLS=tmplgen choose, WHY=1 tells each outcome, AGAIN=1 asks the others anew, WRITE=1 puts the
# table into docs/update.md. RATES=1 counts conflicts instead: 50 children through 12 versions of our
# own catalog, beside git merge, copier and cruft (an hour at first); CHILDREN=12 are fewer, CHILD=7
# is one of them. UV=1 asks tmplgen and uv the same of the matrix (ONLY=3,17).
peers: venv
	@$(MAKE) --no-print-directory -s build/tmplgen build/peers-venv/made
	@nice $(VENV)/bin/python -m tests.peers$(if $(UV),.uv_matrix)$(if $(RATES),.rates \
	    $(if $(CHILDREN),--children $(CHILDREN)) $(if $(CHILD),--only $(CHILD))) \
	    $(if $(ONLY),--only $(ONLY)) $(if $(TOOLS),--tools '$(TOOLS)') \
	    $(if $(WHY),--why) $(if $(AGAIN),--again) $(if $(WRITE),--write)

# One fault at a time in the sources on which a child's safety rests; never in CI, and it goes on
# where it was ended. N=160 and SEED choose, FILES='src/apply/*.c,...', NAMED=1 takes those of
# tests/mutants/named.yml alone, GENERATED=1 the others, WRITE=1 puts the figures into docs/mutants.md.
mutants: venv
	@$(MAKE) --no-print-directory -s build/tmplgen unit-tests build/mutants-venv/made
	@nice $(VENV)/bin/python -m tests.mutants $(if $(N),-n $(N)) $(if $(SEED),--seed $(SEED)) \
	    $(if $(FILES),--files '$(FILES)') $(if $(NAMED),--named) $(if $(GENERATED),--generated) \
	    $(if $(WRITE),--write)

venv:
	@tools/deps.sh test
	@$(MAKE) --no-print-directory -s $(VENV)/made

build/venv/made: tests/requirements.txt
build/bench-venv/made: tests/bench/requirements.txt
build/mutants-venv/made: tests/mutants/requirements.txt
build/peers-venv/made: tests/peers/requirements.txt
build/smoke-venv/made: tests/smoke/requirements.txt
build/portable-venv/made: tools/portable/requirements.txt
build/packages-venv/made: tests/e2e/packages.txt
build/venv/made build/bench-venv/made build/mutants-venv/made build/peers-venv/made \
build/smoke-venv/made build/portable-venv/made build/packages-venv/made:
	@echo '  venv $(@D)'
	@rm -rf $(@D)
	@$(PYTHON) -m venv $(@D)
	@$(@D)/bin/python -m pip install -qq --disable-pip-version-check -r $<
	@touch $@

release-catalog:
	@tools/release-catalog

# ---------------------------------------------------------------- the rest

.PHONY: install uninstall clean help
# A relative folder is one of the caller's; modes are what they are wherever it was built.
to = to='$(DESTDIR)$(PREFIX)'; case $$to in /*) ;; *) to=$$PWD/$$to ;; esac; cd $< && find . -type f -exec sh -ec
install: $(BUILD)/installed
	@$(to) 'to=$$1; shift; for it; do mode=644; [ ! -x "$$it" ] || mode=755; \
	    install -D -m $$mode "$$it" "$$to/$$it"; done' - "$$to" {} +
	@echo 'installed in $(DESTDIR)$(PREFIX): bin/tmplgen, bin/gpu-smoke, man pages, completions'

uninstall: $(BUILD)/installed
	@$(to) 'to=$$1; shift; for it; do rm -f "$$to/$$it"; done; \
	    rmdir "$$to/share/doc/tmplgen" 2>/dev/null || :' - "$$to" {} +

$(BUILD)/man-pages: tools/man_pages.c $(BUILD)/libtmplgen.a
	$(call say,cc   $<) $(COMPILE) $(LDFLAGS) -o $@ $^ $(LIBRARY_LIBS)

# What is installed below PREFIX: bin/, share/man/ with pages of the newest release's date, and others.
$(BUILD)/installed: $(BUILD)/tmplgen $(BUILD)/gpu-smoke $(BUILD)/man-pages \
    LICENSE README.md CHANGELOG.md releases/index.txt
	@rm -rf $@ $@.new
	@mkdir -p $@.new/share/man/man1
	@install -D -t $@.new/bin $(BUILD)/tmplgen $(BUILD)/gpu-smoke
	@$(BUILD)/man-pages $@.new/share/man/man1 "$$(awk 'END { print $$4 }' releases/index.txt)"
	@install -D -m 644 -t $@.new/share/doc/tmplgen LICENSE README.md CHANGELOG.md
	@cd $@.new/share && mkdir -p bash-completion/completions zsh/site-functions fish/vendor_completions.d
	@$(BUILD)/tmplgen completion bash >$@.new/share/bash-completion/completions/tmplgen
	@$(BUILD)/tmplgen completion zsh >$@.new/share/zsh/site-functions/_tmplgen
	@$(BUILD)/tmplgen completion fish >$@.new/share/fish/vendor_completions.d/tmplgen.fish
	@mv $@.new $@

clean:
	rm -rf build build-san dist

help:
	@echo 'make            builds build/tmplgen'
	@echo 'make deps       installs what the build needs (Debian, Ubuntu)'
	@echo 'make demo       builds and shows what tmplgen makes'
	@echo 'make test       what a contributor must pass'
	@echo 'make test-full  the slow proofs'
	@echo 'make soak       the endless ones (FUZZ_SECONDS=N)'
	@echo 'make lint       formats and static checks;  make format  lays out the code'
	@echo 'make bench      speed, against others (PARTS=new ROUNDS=N WRITE=1)'
	@echo 'make mutants    does a test notice a fault? (N=160 SEED=N FILES=GLOB NAMED=1 WRITE=1)'
	@echo 'make peers      updates beside copier and cruft (ONLY=ID TOOLS=NAME WHY=1 WRITE=1 UV=1)'
	@echo 'make venv       installs what tests need; make unit-tests, fuzz-replay, fuzzers: tests in C'
	@echo 'make install    PREFIX=/usr/local DESTDIR=;  make uninstall takes it away'
	@echo 'make portable   one file for every Linux, of two processors, in dist/'
	@echo 'make release    that, wheels, a Debian package, source, sums (docs/release.md)'
	@echo 'SAN=1           builds with sanitizers, in build-san/'
	@echo 'make clean'

-include $(shell find $(BUILD)/src $(BUILD)/tests $(BUILD)/fuzz $(BUILD)/harness -name '*.d' 2>/dev/null)
