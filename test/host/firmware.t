#!/bin/bash
# Firmware tables and memory maps through the parsers, under sanitizers: the fixtures, and larger folders of the same layout:
# those that DOLMEN_FIRMWARE names, or else any called firmware, with an INVENTORY.tsv, beside this clone.
set -u
cd "${BASH_SOURCE[0]%/*}/../.." || exit 1

fresh=build/fixture
rm -rf "$fresh"
perl test/fixture/generate "$fresh" || exit 1
if diff -r "$fresh" test/fixture -x generate -x README.md >&2; then
    echo "ok 1 - the fixtures are what test/fixture/generate writes"
else
    echo "not ok 1 - the fixtures are what test/fixture/generate writes"
fi

shopt -s nullglob
corpora=(${DOLMEN_FIRMWARE-})
if [[ -z ${DOLMEN_FIRMWARE+set} ]]; then
    for inventory in ../firmware/INVENTORY.tsv ../*/firmware/INVENTORY.tsv; do
        corpora+=("${inventory%/*}")
    done
fi

# A program that ends early has no closing line, and one TAP line that says so.
build/host/firmware test/fixture "${corpora[@]}" | awk '
    /^ok /    { sub(/^ok +/, ""); print "ok " ++n + 1 " - " $0; next }
    /^FAIL /  { sub(/^FAIL +/, ""); print "not ok " ++n + 1 " - " $0; next }
    /^[0-9]+ passed, [0-9]+ failed$/ { closed = 1 }
    { print "# " $0 }
    END { print (closed ? "ok " : "not ok ") ++n + 1 " - the program came to its end"; print "1.." n + 1 }'
