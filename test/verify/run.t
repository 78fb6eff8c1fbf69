#!/bin/bash
# What test/verify/run promises, held against tables of rows that pass, fail, hang or do nothing, as TAP.
set -u
cd "${BASH_SOURCE[0]%/*}/../.." || exit 1

work=build/verify/self-test
rm -rf "$work" build/verify/{five,stopped,long}.rows
mkdir -p "$work"
count=0 bad=0

# expect <what> <command ...>
expect() {
    local what=$1
    shift
    ((count++))
    if "$@" >/dev/null; then
        echo "ok $count - $what"
    else
        ((bad++))
        sed 's/^/# | /' "$work/out" >&2
        echo "not ok $count - $what"
    fi
}

# run <arguments of test/verify/run>: its output and status
run() {
    test/verify/run "$@" >"$work/out" 2>&1
    status=$?
}
says() { grep -qE -- "$1" "$work/out"; }

# Is the process still there whose number a row left in the file?
is_gone() { ! kill -0 "$(<"$1")" 2>/dev/null; }
wait_for() { for _ in {1..100}; do "$@" && return; sleep 0.1; done; return 1; }

cat >"$work/five.rows" <<END
# name  | command                                                            | what is asked
good    | echo 1 things; sleep 6; echo 7 of 9 things; echo 3 things          | 3 things
bad     | echo 9 things; echo the last line; exit 3                          | 1 things
hangs   | timeout 777 sleep 777 & echo \$! >$work/hangs.pid; wait             | 1 things & silent 2 s
talks   | for i in 1 2 3 4 5; do echo \$i things; sleep 1; done              | 5 things & silent 2 s
nothing | echo 0 of 10 things done                                           | 1 things
both    | echo summary one things=3; echo summary two things=2; echo 9 things | 5 things
END
run "$work/five.rows"
expect "a row that fails makes the status 1" test $status = 1
expect "the last line is the sum" test "$(tail -n 1 "$work/out")" = "3 passed, 3 failed"
expect "a row that did what was asked has passed" says '^good +3 things +[67]  passed$'
expect "a row that ends with a status has failed" says '^bad +9 things +0  FAILED: status 3$'
expect "what a failed row printed last is shown" says '^\| the last line$'
expect "how to run a failed row again is shown" says '^again: echo 9 things; echo the last line; exit 3$'
expect "a row that hangs has failed, by name" says '^hangs +0 things +[23]  FAILED: silent for 2 s$'
expect "and what it started is ended" wait_for is_gone "$work/hangs.pid"
expect "one that takes as long and says something has passed" says '^talks +5 things +5  passed$'
expect "a row that did nothing has failed" says '^nothing +0 things +0  FAILED: 1 things were asked$'
expect "progress is shown, with the last line of what runs" says '^ +5 s, [0-9] to come; good 5 s: 1 things'
expect "lines of summary are summed" says '^both +5 things +0  passed$'
run "$work/five.rows" good
expect "one that is named runs alone, and its status is 0" test "$status $(tail -n 1 "$work/out")" = "0 1 passed, 0 failed"
run "$work/five.rows" absent
expect "a name that no row has is said" says 'has no row absent$'
echo "careless | true | silent 5 s" >"$work/careless.rows"
run "$work/careless.rows"
expect "a row that asks for nothing is no row" says 'careless does not say how much must be done$'

echo "waits | timeout 777 sleep 777 & echo \$! >$work/waits.pid; wait | 1 things" >"$work/stopped.rows"
test/verify/run "$work/stopped.rows" >"$work/out" 2>&1 &
driver=$!
wait_for test -s "$work/waits.pid"
kill -INT $driver
wait $driver
expect "Ctrl-C ends what it started" wait_for is_gone "$work/waits.pid"
expect "and says what was not finished" says '^0 passed, 0 failed, 1 not finished$'

cat >"$work/long.rows" <<END
quick | echo 5 things of seed {chunk}                          | 5 things & 3 times
slow  | [ -e $work/go ] && echo {chunk} things && exit; sleep 777 | 1 things
END
test/verify/run --report "$work/long.md" "$work/long.rows" >"$work/out" 2>&1 &
driver=$!
wait_for says '^quick chunk 3 of 3: passed'
kill -INT $driver
wait $driver
expect "a report says what was reached" grep -q '^| quick | 15 things | 15 | 1-3 of 3 | passed |' "$work/long.md"
expect "and what was not" grep -q '^| slow | 0 things | 1 | none of 1 | not finished |' "$work/long.md"
touch "$work/go"
run --report "$work/long.md" "$work/long.rows"
expect "the next run goes on with the chunks that are left" says '^going on with revision .*: 3 chunks are done$'
expect "and does no chunk twice" test "$(grep -c 'passed, .* in ' "$work/out")" = 1
expect "the report has what both runs did" grep -q '^| slow | 1 things | 1 | 1 of 1 | passed |' "$work/long.md"
run --report "$work/long.md" "$work/long.rows" quick
expect "one that is named leaves the others in the report" grep -q '^| slow | 1 things' "$work/long.md"
sed -i 1s/.*/another/ build/verify/long.rows/results
run --report "$work/long.md" "$work/long.rows"
expect "another revision starts again, and says so" says 'holds results of revision another; .* starting again$'
expect "and does all chunks" test "$(grep -c 'passed, .* in ' "$work/out")" = 4

echo "1..$count"
exit $((bad > 0))
