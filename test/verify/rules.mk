# Verification that takes longer than tests do, by two tables of rows. Included by the Makefile.

verifiers: $B/model/run $B/host/model-defaults fuzzers $B/host/firmware $B/host/contracts-tsan

verify: verifiers ## millions of random programs and fuzz runs, known bugs, Spin, seeded real runs: 10 minutes on two cores
	@test/verify/run test/verify/short

verify-long: verifiers ## the same for hours, in chunks: stopped, it goes on next time; writes docs/verify-long.md
	@test/verify/run --report docs/verify-long.md test/verify/long

.PHONY: verifiers verify verify-long
