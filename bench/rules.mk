# The bench as a Linux program. Included by the Makefile.

BENCH_C := $(filter-out bench/guest.c,$(wildcard bench/*.c)) $(wildcard bench/hosted/*.c)
$(eval $(call program,bench,gcc,-O2 $(HOSTED),$(BENCH_C),$B/host/libdolmen.a))

bench: $B/dolmen.elf ## count guest instructions per call, beside their goals; ROWS="WORD ..." chooses; writes build/bench.jsonl
	@bench/run guest $(ROWS)

bench-all: ## the same for each build and mode, side by side, in build/bench-all.jsonl; some minutes
	@env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL bench/run all $(ROWS)

bench-hosted: $B/host/bench ## the same workloads in a Linux program under callgrind
	@bench/run hosted $(ROWS)

bench-peers: $B/host/bench ## kmalloc beside the malloc of glibc, mimalloc and jemalloc, under callgrind
	@bench/run peers

test: $B/host/bench

.PHONY: bench bench-all bench-hosted bench-peers
