#!/bin/sh
# build.sh KIT OUT: writes the script OUT, live.js with the simulator's rules as WebAssembly inside (a page that is opened as a
# file cannot fetch them). Where clang or lld cannot make WebAssembly it is the script alone, and pages keep their still figures.
set -eu
here=$1/docs/site/live
wasm=$2.wasm
rm -f "$wasm"
if command -v wasm-ld >/dev/null && clang --print-targets 2>/dev/null | grep -q wasm32; then
    clang --target=wasm32 -std=c11 -Os -nostdlib -ffreestanding -fno-builtin -isystem "$here/wasm" -I "$1/common/simulator" \
        -Wl,--no-entry,--strip-all -Wl,--export=live_set,--export=live_sectors,--export=live_wavefronts \
        -Wl,--export=live_conflict_free,--export=live_atomics,--export=live_round,--export=live_occupancy \
        -Wl,--export=live_limiter,--export=live_card -o "$wasm" \
        "$here/rules.c" "$1/common/simulator/memory/access.c" "$1/common/simulator/device/device.c"
else
    [ ! -t 2 ] || printf '\r\033[K' >&2 # over the launcher's line on what goes on
    echo 'live figures: left out (they need the packages clang and lld)' >&2
fi
{
    printf 'const kernelLadderRules = "'
    [ ! -s "$wasm" ] || base64 "$wasm" | tr -d '\n'
    printf '";\n'
    cat "$here/live.js"
} >"$2"
rm -f "$wasm"
