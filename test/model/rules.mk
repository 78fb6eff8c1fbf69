# The model: mm/ unchanged on fibers, see arch/model/model.h. Included by the Makefile.

MODEL_CFLAGS := -O2 $(COMMON) -fno-pie -no-pie -fno-strict-aliasing -Wno-ignored-qualifiers -D_GNU_SOURCE -Iarch/model/port \
	-DDOLMEN_SLUB_STATS=1 -DSHEAF_MISSES=2 -DSHEAF_OUT_MAX=2u
MODEL_MM := $(filter-out mm/kmalloc.c,$(wildcard mm/*.c))
MODEL_C := $(MODEL_MM) lib/printf.c lib/sort.c $(wildcard arch/model/*.c test/model/*.c)

$B/model/run: $(MODEL_C:%.c=$B/model/%.o)
	$(say) LD $@
	@gcc $(MODEL_CFLAGS) -o $@ $^

$B/model/%.o: %.c $B/model.flags
	$(say) CC "$< (model)"
	@mkdir -p $(@D)
	@gcc $(MODEL_CFLAGS) -MMD -MP -c $< -o $@

$B/model.flags: TEXT := gcc $(MODEL_CFLAGS)
DEPS += $(MODEL_C:%.c=$B/model/%.d)

# The same with the windows that port_default.h gives a port without any: a lock and no fence.
$(eval $(call program,model-defaults,gcc,$(MODEL_CFLAGS) -DMODEL_DEFAULTS,$(MODEL_C)))

test: $B/model/run

model: $B/model/run ## 20,000 random programs by each strategy in each mode: half a minute
	$B/model/run --walk 20k --pct 20k --tso 20k

# For test/model/mutate: of each program what it is built from.
model-built: $B/model/run
model-flags:
	@echo $(MODEL_CFLAGS)
model-objects:
	@echo $(MODEL_C:%.c=$B/model/%.o)
contracts-built: $B/host/contracts
contracts-flags:
	@echo -O2 $(HOSTED)
contracts-objects:
	@echo $(CONTRACTS_C:%.c=$B/host/contracts.o/%.o) $(LIBRARY_C:%.c=$B/host/libdolmen.o/%.o)

mutants: $B/model/run ## put known bugs into mm one at a time: the model must object to each
	test/model/mutate chosen

.PHONY: model mutants $(foreach program,model contracts,$(addprefix $(program)-,built flags objects))
