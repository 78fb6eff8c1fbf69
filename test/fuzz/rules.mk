# Fuzzers (test/fuzz), built by clang alone. Only what is fuzzed is instrumented for coverage, neither the fuzzers nor what
# runs before the first input: so libFuzzer's `cov:` counts the product. Included by the Makefile.

FUZZ_FLAGS := -O1 $(HOSTED) -fsanitize=address,undefined -fno-sanitize-recover=undefined
FUZZ_EDGES := -fsanitize-coverage=inline-8bit-counters -fsanitize-coverage=pc-table
FUZZ_O := $B/fuzz.o

# fuzzer <name>, <sources in test/fuzz>, <sources that are fuzzed>, <other sources>, <how the fuzzed are instrumented>
define fuzzer
FUZZERS += $1
$B/fuzz/$1: $(patsubst %,$(FUZZ_O)/$1/%.o,$(2:%=test/fuzz/%) $(basename $3 $4))
	$(say) LD $$@
	@mkdir -p $$(@D)
	@clang $(FUZZ_FLAGS) -fsanitize=fuzzer -o $$@ $$^
$(FUZZ_O)/$1/%.o: %.c $(FUZZ_O).flags
	$(say) CC "$$< (fuzz $1)"
	@mkdir -p $$(@D)
	@clang $(FUZZ_FLAGS) $$(if $$(filter $3,$$<),$5) -MMD -MP -c $$< -o $$@
DEPS += $(patsubst %,$(FUZZ_O)/$1/%.d,$(2:%=test/fuzz/%) $(basename $3 $4))
endef

# The calls of the library compare with no magic values, and their comparisons are many.
FUZZ_CALLS := $(addprefix mm/,barn.c buddy.c bulk.c cache.c check.c kmalloc.c page_alloc.c partial.c pcp.c sheaf.c slab.c stats.c)

FUZZERS :=
$(eval $(call fuzzer,api,fuzz api shadow wrong_free machine,$(FUZZ_CALLS),$(filter-out $(FUZZ_CALLS),$(wildcard mm/*.c)) \
	lib/printf.c lib/sort.c $(addprefix arch/hosted/,cpus.c shape.c start.c tables.c),$(FUZZ_EDGES)))
$(eval $(call fuzzer,srat,fuzz srat tables,mm/srat.c,mm/acpi.c lib/sort.c,-fsanitize=fuzzer-no-link))
$(eval $(call fuzzer,slit,fuzz slit tables,mm/slit.c,mm/acpi.c,-fsanitize=fuzzer-no-link))
$(eval $(call fuzzer,madt,fuzz madt tables,mm/madt.c,mm/acpi.c,-fsanitize=fuzzer-no-link))
$(eval $(call fuzzer,acpi,fuzz acpi tables,kernel/power.c mm/rsdp.c,,-fsanitize=fuzzer-no-link))
$(eval $(call fuzzer,maps,fuzz maps,mm/range.c mm/maps.c,mm/acpi.c,-fsanitize=fuzzer-no-link))
$(eval $(call fuzzer,line,fuzz line,kernel/words.c kernel/line.c,,-fsanitize=fuzzer-no-link))

$(FUZZ_O).flags: TEXT := clang $(FUZZ_FLAGS) $(FUZZ_EDGES)

fuzzers: $(FUZZERS:%=$B/fuzz/%)

test: fuzzers

.PHONY: fuzzers
