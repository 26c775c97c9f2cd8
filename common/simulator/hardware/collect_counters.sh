#!/bin/sh
# SPDX-License-Identifier: MIT
# Reads a GPU's own counters for every kernel of counter_kernels with Nsight Compute, in one process, and writes them as
# one CSV; the checksums of a run without the profiler go to a file beside it. Needs a GPU, ncu and permission to read
# counters. Names of kernels after the output limit the run to them.
#   collect_counters.sh COUNTER_KERNELS OUTPUT.csv [KERNEL..]
# Rows: launch,kernel,grid,block,counter,value
set -eu
[ $# -ge 2 ] || {
    echo "usage: $0 COUNTER_KERNELS OUTPUT.csv [KERNEL..]" >&2
    exit 2
}
program=$1
output=$2
shift 2

metrics=smsp__inst_executed.sum,smsp__thread_inst_executed.sum,smsp__thread_inst_executed_pred_on.sum
metrics=$metrics,smsp__sass_branch_targets.sum,smsp__sass_branch_targets_threads_divergent.sum
for op in ld st atom red; do
    metrics=$metrics,l1tex__t_requests_pipe_lsu_mem_global_op_$op.sum
    metrics=$metrics,l1tex__t_sectors_pipe_lsu_mem_global_op_$op.sum
done
for op in ld st; do
    metrics=$metrics,l1tex__t_requests_pipe_lsu_mem_local_op_$op.sum
    metrics=$metrics,l1tex__t_sectors_pipe_lsu_mem_local_op_$op.sum
    metrics=$metrics,smsp__inst_executed_op_shared_$op.sum
    metrics=$metrics,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_$op.sum
done
for op in ld st atom; do
    metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_$op.sum
done
metrics=$metrics,dram__bytes_read.sum,dram__bytes_write.sum
metrics=$metrics,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum,l1tex__t_sector_hit_rate.pct
metrics=$metrics,launch__registers_per_thread,launch__shared_mem_per_block_static
metrics=$metrics,launch__shared_mem_per_block_dynamic,launch__waves_per_multiprocessor
metrics=$metrics,launch__occupancy_limit_blocks,launch__occupancy_limit_registers
metrics=$metrics,launch__occupancy_limit_shared_mem,launch__occupancy_limit_warps
metrics=$metrics,sm__maximum_warps_per_active_cycle_pct,gpu__time_duration.sum,sm__cycles_elapsed.max
for pipe in fma alu xu lsu cbu uniform; do
    metrics=$metrics,smsp__inst_executed_pipe_$pipe.sum
done

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

echo 'launch,kernel,grid,block,counter,value' >"$output"
ncu --csv --clock-control none --print-units base --kernel-name-base function --metrics "$metrics" \
    "$program" "$@" 2>&1 |
    awk '
    # A row of fields in quotes: "0","1234",..,"(8, 1, 1)",..; no field holds a quote.
    function fields(row, f) {
        gsub(/^"|"[ \r]*$/, "", row)
        return split(row, f, "\",\"")
    }
    function dimensions(text) {
        gsub(/[(), ]+/, " ", text)
        gsub(/^ | $/, "", text)
        return text
    }
    /^"ID"/ { n = fields($0, head); for (i = 1; i <= n; i++) at[head[i]] = i; next }
    /^"[0-9]+"/ && ("Metric Name" in at) {
        fields($0, f)
        value = f[at["Metric Value"]]
        gsub(/,/, "", value)
        print f[at["ID"]] "," f[at["Kernel Name"]] "," dimensions(f[at["Grid Size"]]) "," \
              dimensions(f[at["Block Size"]]) "," f[at["Metric Name"]] "," value
        rows++
        next
    }
    /^==ERROR==|FAILED|counter_kernels:/ { print > "/dev/stderr" }
    END { if (!rows) { print "collect_counters: no counters" > "/dev/stderr"; exit 1 } }
    ' >>"$output"
"$program" "$@" >"${output%.csv}.checksums"
