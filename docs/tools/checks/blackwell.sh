#!/bin/sh
# The counts of docs/blackwell_gemm.md, as they are profiled: blackwell.sh LADDER PROGRAM PAGE. Another table in the page: the difference, and 1.
set -eu
ladder=$1 program=$2 page=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
profile() { # COLUMN ARGS..
    to=$work/$1
    shift
    "$ladder" profile --json - "$@" >"$to.json" 2>"$to.err" || { cat "$to.err" >&2 && exit 1; }
    # Of the launch, not of its lines: the first value of each key behind "launches".
    awk -F'[:,]' '
        /"launches"/ { launch = 1 }
        !launch { next }
        match($0, /"[^"]*"/) { key = substr($0, RSTART + 1, RLENGTH - 2); of = key }
        /^ *[0-9]+,?$/ { gsub(/[ ,]/, ""); sides[of] = (sides[of] ? sides[of] : 1) * $0; next }
        !(key in value) { value[key] = $2 + 0 }
        function per(a, b) { return value[b] ? value[a] / value[b] : 0 }
        END {
            store = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"
            print sides["grid"]; print sides["block"]; print value["registers"]
            print value["smsp__inst_executed.sum"]; print value["smsp__inst_executed_pipe_tensor.sum"]
            print value["l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum"]
            print value[store]; print per("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", store)
            print value["sim__shared_st_requests.sum"]
            print per("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "sim__shared_st_requests.sum")
        }' "$to.json" >"$to"
}
for step in 8 10; do profile s$step tensor_gemm $step --solution --device h100 --size 512; done
for kernel in 1 2 3; do profile k$kernel --device b200 -- "$program" $kernel 512 512 512 2; done
printf '%s\n' blocks 'threads per block' 'registers per thread' 'warp instructions' \
    'products, once for each warp that issues one' 'sectors of bulk copies' 'global store requests' \
    'sectors per global store' 'shared stores' 'shared wavefronts per shared store' |
    paste -d '|' - "$work/s8" "$work/k1" "$work/s10" "$work/k2" "$work/k3" |
    awk -F'|' '
        function shown(n) { return n >= 1000 ? shown(int(n / 1000)) sprintf(",%03d", n % 1000) : n ? n : "" }
        { line = "| " $1 " |"; for (i = 2; i <= NF; i++) line = line " " (shown($i) == "" ? "" : shown($i) " ") "|"; print line }' >"$work/table"
sed -n '/^| | step 8 (`h100`)/,/^$/{/^| [a-z]/p}' "$page" | diff - "$work/table"
