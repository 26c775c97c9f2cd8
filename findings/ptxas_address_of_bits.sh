#!/bin/sh
# ptxas 13.0.88 and 13.5.37: a variable that holds an address may be .u64, but not .b64 ("Initial value type mismatch"), and single bytes of an
# address may be .u8, but not .b8, although .b64 and .b8 take every number, and mov.b64 takes the address.
# Expected before it was run: .b64 and .b8 are taken, as untyped bits are everywhere else.
. "$(dirname "$0")/common.sh"
taken() { # declarations: prints those that ptxas takes
    printf '.version 9.0\n.target sm_90\n.address_size 64\n.global .b32 x;\n%s\n.entry k() { ret; }\n' "$1" >"$work/a.ptx"
    "$ptxas" -arch=sm_90 -o "$work/a.cubin" "$work/a.ptx" >/dev/null 2>&1 && printf '%s ' "$1"
}
for version in 13.0.88 13.5.37; do
    rm -rf "$work/venv"
    packages "nvidia-cuda-nvcc==$version"
    ptxas=$("$python" -c 'import nvidia; print(list(nvidia.__path__)[0])')/cu13/bin/ptxas
    chmod +x "$ptxas"
    seen=
    for declaration in '.global .u64 p = x;' '.global .b64 p = x;' '.global .b64 p = 7;' '.global .u8 q[2] = {0xFF(x), 0};' \
        '.global .b8 q[2] = {0xFF(x), 0};' '.global .b8 q[2] = {7, 0};'; do
        seen="$seen$(taken "$declaration")" || true
    done
    same "ptxas $version takes" "$seen" ".global .u64 p = x; .global .b64 p = 7; .global .u8 q[2] = {0xFF(x), 0}; .global .b8 q[2] = {7, 0}; "
done
