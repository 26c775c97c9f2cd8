#!/bin/sh
# Reads a GPU's own counters for every kernel of counter_kernels with Nsight Compute, in one process, and writes them as
# one CSV; the checksums of a run without the profiler go to a file beside it. Needs a GPU, ncu and permission to read
# counters. Names of kernels after the output limit the run to them.
#   collect_counters.sh COUNTER_KERNELS OUTPUT.csv [KERNEL..]
# A heading, launch,kernel,grid,block and the counters, and a row for each launch.
set -eu
[ $# -ge 2 ] || {
    echo "usage: $0 COUNTER_KERNELS OUTPUT.csv [KERNEL..]" >&2
    exit 2
}
program=$1
output=$2
shift 2

here=$(cd "$(dirname "$0")" && pwd)
. "$here/collect_metrics.sh"
metrics=$metrics,launch__shared_mem_per_block_dynamic,launch__waves_per_multiprocessor

# These are taken where this version of ncu knows them for this GPU.
known=$(ncu --query-metrics 2>/dev/null || true)
for base in smsp__inst_executed_op_shared_atom smsp__inst_executed_pipe_fp64 \
    l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit lts__t_sectors_op_read_lookup_hit \
    lts__t_sectors_srcunit_tex_op_read lts__t_sectors_srcunit_tex_op_write \
    lts__t_sectors_op_atom lts__t_sectors_op_red lts__t_sector_hit_rate; do
    if printf '%s\n' "$known" | grep -q "^$base "; then
        case $base in
        *_rate) metrics=$metrics,$base.pct ;;
        *) metrics=$metrics,$base.sum ;;
        esac
    fi
done

ncu_heading '' >"$output"
ncu --csv --clock-control none --print-units base --kernel-name-base function --metrics "$metrics" \
    "$program" "$@" 2>&1 |
    ncu_rows "" "" >>"$output"
"$program" "$@" >"${output%.csv}.checksums"
