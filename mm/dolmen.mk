# Dolmen for the Makefile of a kernel. Beside your own objects, link $(DOLMEN_O):
#
#	DOLMEN_CFLAGS := -Iport -mno-red-zone -mcmodel=kernel	# the folder of your port_arch.h, and what your kernel needs
#	include path/to/dolmen/mm/dolmen.mk
#
# Your own sources want -I$(DOLMEN_HOME)/include. Objects go to $(DOLMEN_BUILD), build/dolmen if you do not say.
# DOLMEN_MEMORY=1 brings memcpy, memmove, memset and memcmp for a kernel that has none.

DOLMEN_HOME := $(dir $(lastword $(MAKEFILE_LIST)))..
DOLMEN_BUILD ?= build/dolmen
DOLMEN_C := $(file <$(DOLMEN_HOME)/mm/sources) $(if $(DOLMEN_MEMORY),lib/memory.c)
DOLMEN_O := $(DOLMEN_C:%.c=$(DOLMEN_BUILD)/%.o)

$(DOLMEN_O): $(DOLMEN_BUILD)/%.o: $(DOLMEN_HOME)/%.c
	@mkdir -p $(@D)
	@echo '  CC      $(<F)'
	@$(CC) -std=gnu11 -O2 -ffreestanding -mgeneral-regs-only -fno-strict-aliasing -fno-stack-protector \
		-I$(DOLMEN_HOME) -I$(DOLMEN_HOME)/include $(DOLMEN_CFLAGS) -MMD -MP -c $< -o $@

-include $(DOLMEN_O:.o=.d)
