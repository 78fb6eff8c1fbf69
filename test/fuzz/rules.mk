# Fuzzers (test/fuzz): built by clang alone. What is fuzzed is instrumented for coverage; the fuzzers themselves are not, so
# that libFuzzer's `cov:` counts the product only.

FUZZ_FLAGS := -O1 $(HOSTED) -fsanitize=address,undefined -fno-sanitize-recover=undefined
FUZZ_PRODUCT := $(FUZZ_FLAGS) -fsanitize-coverage=inline-8bit-counters,pc-table
FUZZ_PARSERS := mm/srat.c mm/slit.c mm/madt.c mm/acpi.c mm/range.c boot/% kernel/%
FUZZ_O := $B/fuzz.o

# fuzzer <name>, <its sources in test/fuzz>, <sources of the product>
define fuzzer
FUZZERS += $1
$B/fuzz/$1: $(patsubst %,$(FUZZ_O)/test/fuzz/%.o,fuzz $2) $(3:%.c=$(FUZZ_O)/%.o)
	$(say) LD $$@
	@mkdir -p $$(@D)
	@clang $(FUZZ_FLAGS) -fsanitize=fuzzer -o $$@ $$^
DEPS += $(patsubst %,$(FUZZ_O)/test/fuzz/%.d,fuzz $2) $(3:%.c=$(FUZZ_O)/%.d)
endef

FUZZERS :=
$(eval $(call fuzzer,api,api shadow wrong_free machine,$(wildcard mm/*.c) lib/printf.c lib/sort.c \
	$(addprefix arch/hosted/,cpus.c memory.c tables.c)))
$(eval $(call fuzzer,srat,srat tables,mm/srat.c mm/acpi.c lib/sort.c))
$(eval $(call fuzzer,slit,slit tables,mm/slit.c mm/acpi.c))
$(eval $(call fuzzer,madt,madt tables,mm/madt.c mm/acpi.c))
$(eval $(call fuzzer,acpi,acpi tables,kernel/acpi.c))
$(eval $(call fuzzer,maps,maps,mm/range.c mm/acpi.c boot/e820.c boot/efi_map.c))
$(eval $(call fuzzer,line,line,kernel/words.c kernel/line.c))

fuzzers: $(FUZZERS:%=$B/fuzz/%)

$(FUZZ_O)/%.o: %.c $(FUZZ_O).flags
	$(say) CC "$< (fuzz)"
	@mkdir -p $(@D)
	@clang $(if $(filter $(FUZZ_PARSERS),$<),-fsanitize=fuzzer-no-link) \
		$(if $(filter mm/% lib/% boot/% kernel/%,$<),$(FUZZ_PRODUCT),$(FUZZ_FLAGS)) -MMD -MP -c $< -o $@
$(FUZZ_O).flags: TEXT := clang $(FUZZ_PRODUCT)
