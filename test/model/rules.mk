# The model: mm/ unchanged on fibers, see arch/model/model.h. Included by the Makefile.

MODEL_CFLAGS := -O2 $(COMMON) -fno-pie -no-pie -fno-strict-aliasing -Wno-ignored-qualifiers -D_GNU_SOURCE -Iarch/model/port \
	-DDOLMEN_SLUB_STATS=1
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

model: $B/model/run ## 20,000 random programs by each strategy in each mode: half a minute
	$B/model/run --walk 20k --pct 20k --tso 20k

# For test/model/mutate.
model-flags:
	@echo $(MODEL_CFLAGS)
model-objects:
	@echo $(MODEL_C:%.c=$B/model/%.o)

mutants: $B/model/run ## put known bugs into mm one at a time: the model must object to each
	test/model/mutate chosen

.PHONY: model model-flags model-objects mutants
