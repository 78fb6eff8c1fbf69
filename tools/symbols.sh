#!/bin/sh
# Turns `nm -n` output of an image into nasm source: a table of its functions by offset from
# image_start, sorted, which a fault report searches. Numbers only, so the table needs no
# relocation. Empty input gives an empty table.
awk '
BEGIN {
    print "section .symbols progbits alloc noexec nowrite align=8"
    print "global symbol_table, symbol_count, symbol_names"
}
$3 == "image_start" { base = hex($1) }
$2 ~ /^[tT]$/ { address[n] = hex($1); name[n++] = $3 }
END {
    printf "symbol_count: dd %d\n", n
    print "symbol_table:"
    for (i = 0; i < n; i++) {
        printf "dd %d, %d\n", address[i] - base, at
        at += length(name[i]) + 1
    }
    print "symbol_names:"
    for (i = 0; i < n; i++)
        printf "db \"%s\", 0\n", name[i]
    print "db 0"
}
function hex(text,    i, value) {
    for (i = 1; i <= length(text); i++)
        value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
    return value
}
'
