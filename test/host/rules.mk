# Programs for Linux that test and measure. Included by the Makefile, which has the library and its contracts.

SANITIZE := -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined
MACHINES_C := $(wildcard test/host/machines*.c)
FIRMWARE_C := $(wildcard test/host/firmware*.c)

$(eval $(call hosted,-clang,clang,-O2 $(HOSTED)))
$(eval $(call hosted,-asan,clang,$(SANITIZE) $(HOSTED)))
$(eval $(call hosted,-tsan,clang,-O1 -fsanitize=thread $(HOSTED)))
# What a small kernel leaves to port_default.h: areas by CPU, windows under a lock.
$(eval $(call hosted,-defaults,clang,-O1 -fsanitize=thread -DHOSTED_DEFAULTS $(HOSTED)))
# Tables as small as a small kernel would have them.
$(eval $(call hosted,-small,gcc,-O2 -DDOLMEN_MAX_CPUS=4 -DDOLMEN_MAX_NODES=4 -DDOLMEN_MAX_RANGES=32 $(HOSTED)))
$(eval $(call program,machines,clang,$(SANITIZE) $(HOSTED),$(MACHINES_C),$B/host/libdolmen-asan.a))
$(eval $(call program,misuse,clang,$(SANITIZE) $(HOSTED),test/host/misuse.c,$B/host/libdolmen-asan.a))
$(eval $(call program,firmware,clang,$(SANITIZE) $(HOSTED),$(FIRMWARE_C),$B/host/libdolmen-asan.a -ljansson))
# As another program would: the public headers alone.
$(eval $(call program,library,gcc,-O2 $(filter-out -I.,$(HOSTED)),test/host/library.c,$B/host/libdolmen.a))

# matrix <compiler>, <level>: what a compiler makes of the code differs most by this
MATRIX :=
define matrix
MATRIX += $B/host/contracts-$1$2
$(call hosted,-$1$2,$1,$2 $(HOSTED))
endef
$(foreach compiler,gcc clang,$(foreach level,-O1 -O2 -O3,$(eval $(call matrix,$(compiler),$(level)))))

contracts-matrix: $(MATRIX) ## the contracts as gcc and clang build them at -O1, -O2 and -O3
	@test/host/matrix $^

# Branches of mm/ taken. Neither optimised nor inlined, so that each branch of the source is there once.
COVERED := -O0 -Dalways_inline=noinline --coverage -fprofile-update=atomic $(HOSTED)
$(eval $(call hosted,-coverage,gcc,$(COVERED)))
$(eval $(call program,machines-coverage,gcc,$(COVERED),$(MACHINES_C),$B/host/libdolmen-coverage.a))
$(eval $(call program,firmware-coverage,gcc,$(COVERED),$(FIRMWARE_C),$B/host/libdolmen-coverage.a -ljansson))

coverage: $(addprefix $B/host/,contracts-coverage machines-coverage firmware-coverage) ## branches of mm/ that contracts and start-ups take: 95 % or it fails
	@test/host/coverage

test: $(addprefix $B/host/,contracts contracts-clang contracts-asan contracts-tsan contracts-defaults contracts-small machines misuse firmware library)

.PHONY: contracts-matrix coverage
