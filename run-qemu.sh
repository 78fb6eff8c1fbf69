#!/bin/bash
# Boots a Dolmen image in QEMU. Without commands the serial console is this terminal; with them the guest runs them and
# powers off, and the exit status is 0 only if the guest said that all succeeded, by its status and by its closing line.
set -u

here=${BASH_SOURCE[0]%/*}
[[ $here == "${BASH_SOURCE[0]}" ]] && here=.
build=${DOLMEN_BUILD:-$here/build}
qemu=${DOLMEN_QEMU:-qemu-system-x86_64}
ovmf=${DOLMEN_OVMF:-/usr/share/OVMF/OVMF_CODE_4M.fd}

usage="usage: run-qemu.sh [--uefi|--pvh] [--nodes N] [--icount] [--gdb] [--timeout SECONDS]
                   [any QEMU option ...] [-- COMMAND; COMMAND ...]"

help="$usage

  --uefi        boot build/dolmen.efi with OVMF (the default); with -drive, whatever that drive boots
  --pvh         boot build/dolmen.elf directly
  --nodes N     split CPUs and memory evenly over N nodes, with distances 10 and 20
  --icount      one instruction a tick of the TSC, exactly repeatable; implies --pvh
  --gdb         wait for gdb on port 1234 before the first instruction
  --timeout S   end with status 124 after S seconds (default: 120 with commands, none on a terminal)

QEMU's -smp, -m, -cpu, -numa, -M and so on are handed on as they stand; the defaults are -smp 4 -m 1G.
Commands end with a power-off, unless the last one is \"console\". Without any, type \"help\" on the console.
Status: 0 all commands succeeded, 35 some failed, 37 the kernel faulted, 124 time ran out, 2 wrong usage,
1 anything else. DOLMEN_QEMU names another QEMU, DOLMEN_BUILD another build directory, DOLMEN_ACCEL the
accelerator (default: kvm where it works with that -cpu, else tcg)."

wrong_usage() {
    printf 'run-qemu.sh: %s\n%s\n' "$1" "$usage" >&2
    exit 2
}

fail() {
    printf 'run-qemu.sh: %s\n' "$1" >&2
    exit 1
}

# number <option> <text> <highest>
number() {
    [[ $2 =~ ^[1-9][0-9]{0,5}$ ]] && (($2 <= $3)) || wrong_usage "$1 wants a number from 1 to $3, not \"$2\""
}

image=uefi nodes=0 icount=0 gdb=0 timeout= commands=
smp=4 memory=1G cpu=max given=' ' options=()

while (($#)); do
    case $1 in
    --uefi) image=uefi ;;
    --pvh) image=pvh ;;
    --icount) icount=1 ;;
    --gdb) gdb=1 ;;
    --nodes | --timeout)
        (($# > 1)) || wrong_usage "$1 wants a number"
        if [[ $1 == --nodes ]]; then
            number "$1" "$2" 64
            nodes=$2
        else
            number "$1" "$2" 100000
            timeout=$2
        fi
        shift
        ;;
    -h | -help | --help)
        echo "$help"
        exit 0
        ;;
    --)
        shift
        commands=$*
        break
        ;;
    --*) wrong_usage "unknown option $1" ;;
    -?*)
        given+="$1 "
        options+=("$1")
        # An option's value, if it has one, is the next word.
        if (($# > 1)) && [[ $2 != -* ]]; then
            case $1 in
            -smp) smp=$2 ;;
            -m) memory=$2 ;;
            -cpu) cpu=$2 ;;
            esac
            options+=("$2")
            shift
        elif [[ $1 == -smp || $1 == -m ]]; then
            wrong_usage "$1 wants a value"
        fi
        ;;
    *) wrong_usage "\"$1\" is no option; commands stand after --" ;;
    esac
    shift
done
((icount)) && image=pvh

# has <QEMU option>
has() {
    [[ $given == *" $1 "* ]]
}

# field <name> <QEMU value>: the value of name= in a list, or nothing.
field() {
    [[ ,$2, =~ ,$1=([^,]*), ]] && echo "${BASH_REMATCH[1]}"
}

# cpus_of <-smp value>: maxcpus, cpus, or the product of the topology.
cpus_of() {
    local value=$1 cpus part
    [[ $value =~ ^[0-9]+(,|$) ]] && value=cpus=$value
    cpus=$(field maxcpus "$value") || cpus=$(field cpus "$value") || {
        cpus=1
        for part in sockets dies cores threads; do
            part=$(field $part "$value") && ((cpus *= part))
        done
    }
    [[ $cpus =~ ^[1-9][0-9]*$ ]] || wrong_usage "-smp $1 names no number of CPUs"
    echo "$cpus"
}

# mib_of <-m value>
mib_of() {
    local value=${1%%,*}
    [[ $1 == *size=* ]] && value=$(field size "$1")
    [[ $value =~ ^([1-9][0-9]*)([MmGgTt]?)$ ]] || wrong_usage "-m $1 is not understood (64M, 8G)"
    case ${BASH_REMATCH[2]} in
    G | g) echo $((BASH_REMATCH[1] * 1024)) ;;
    T | t) echo $((BASH_REMATCH[1] * 1024 * 1024)) ;;
    *) echo "${BASH_REMATCH[1]}" ;;
    esac
}

# Memory that is not reserved on the host, so that a guest may be larger than the host: what it does not touch costs nothing.
memory_options() {
    local cpus mib node other first end size span distances=()
    cpus=$(cpus_of "$smp") && mib=$(mib_of "$memory") || exit
    if ((nodes == 0)); then
        has -numa || has -object || has -mem-path ||
            options+=(-object "memory-backend-ram,id=ram,size=${mib}M,reserve=off" -machine memory-backend=ram)
        return
    fi
    has -numa && wrong_usage "--nodes and -numa exclude each other"
    ((mib >= nodes)) || wrong_usage "-m $memory is less than 1 MiB for each of $nodes nodes"
    for ((node = 0; node < nodes; node++)); do
        first=$((cpus * node / nodes)) end=$((cpus * (node + 1) / nodes)) size=$((mib / nodes))
        ((node == nodes - 1)) && size=$((mib - size * node))
        options+=(-object "memory-backend-ram,id=ram$node,size=${size}M,reserve=off")
        span=
        ((first < end)) && span=,cpus=$first-$((end - 1))
        options+=(-numa "node,nodeid=$node,memdev=ram$node$span")
        for ((other = 0; other < nodes; other++)); do
            ((other == node)) || distances+=(-numa "dist,src=$node,dst=$other,val=20")
        done
    done
    options+=("${distances[@]}")
}
memory_options

type -P "$qemu" >/dev/null || fail "$qemu is missing: run make, which installs what is needed"

# accelerator: kvm where a CPU like that starts with it. Some hosts have a KVM that refuses what QEMU asks of it.
accelerator() {
    local probe=(-accel kvm -cpu "$cpu" -machine q35 -nodefaults -display none -S -monitor stdio)
    if [[ ! -r /dev/kvm || ! -w /dev/kvm ]]; then
        echo tcg
    elif ("$qemu" "${probe[@]}" <<<quit || exit 1) &>/dev/null; then
        echo kvm
    else
        echo "run-qemu.sh: this host's KVM does not start -cpu $cpu: QEMU emulates" >&2
        echo tcg
    fi
}

machine=(-machine q35 -nodefaults -net none -vga none -display none)
has -smp || machine+=(-smp "$smp")
has -m || machine+=(-m "$memory")
has -cpu || machine+=(-cpu "$cpu")
machine+=(-device isa-debug-exit,iobase=0xf4,iosize=4)
if ((icount)); then
    machine+=(-accel tcg -icount shift=0,sleep=off)
elif ! has -accel; then
    machine+=(-accel "${DOLMEN_ACCEL:-$(accelerator)}")
fi

kernel=$build/dolmen.elf
if [[ $image == uefi ]]; then
    kernel=$build/dolmen.efi
    [[ -r $ovmf ]] || fail "$ovmf is missing: run make, which installs what is needed"
    machine+=(-drive "if=pflash,format=raw,readonly=on,file=$ovmf")
fi
if has -drive; then
    [[ -z $commands ]] || machine+=(-fw_cfg "name=opt/dolmen/cmdline,string=${commands//,/,,}")
else
    if ! has -kernel; then
        [[ -r $kernel ]] || fail "$kernel is missing: run make"
        machine+=(-kernel "$kernel")
    fi
    [[ -z $commands ]] || machine+=(-append "$commands")
fi

if ((gdb)); then
    machine+=(-gdb tcp::1234 -S)
    echo "QEMU waits for gdb:  gdb -ex 'target remote :1234' -ex 'hbreak kmain' -ex continue $build/dolmen.elf"
    [[ $image == uefi ]] && echo "The UEFI image prints its base: add-symbol-file $build/dolmen.efi.elf -o BASE"
fi

interactive=0
[[ -z $commands || $commands =~ (^|;)[[:space:]]*console[[:space:]]*$ ]] && interactive=1

if ((interactive)); then
    [[ -t 0 || -n $timeout ]] || timeout=120
    terminal=$([[ -t 0 ]] && stty -g)
    [[ -t 0 ]] && echo "Ctrl-A X ends QEMU, Ctrl-A C is its monitor; \"help\" lists the commands."
    timeout ${timeout:+-k 5} --foreground "${timeout:-0}" \
        "$qemu" "${machine[@]}" -chardev stdio,mux=on,signal=off,id=console -serial chardev:console \
        -mon chardev=console "${options[@]}"
    status=$?
    [[ -n $terminal ]] && stty "$terminal"
    case $status in
    0 | 33) exit 0 ;; # see tools/watch
    124) echo "run-qemu.sh: ended after $timeout s" >&2 ;;
    1) echo "$usage" >&2 ;;
    esac
    exit $status
fi

# From here on this is the watcher, which ends QEMU when it is itself ended.
exec "$here/tools/watch" "${timeout:-120}" \
    "$qemu" "${machine[@]}" -no-reboot -monitor none -chardev stdio,signal=off,id=console \
    -serial chardev:console "${options[@]}"
