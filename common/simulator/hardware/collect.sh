#!/bin/sh
# SPDX-License-Identifier: MIT
# Reads a GPU's own counters for steps of a lab with Nsight Compute and writes them as one CSV: the golden
# data that the simulator's counts are compared with. Needs a GPU, ncu and permission to read counters.
#   collect.sh LAB_PROGRAM OUTPUT.csv "STEPS" "SIZES" [extra program options]
# Rows: step,size,launch,kernel,grid,block,counter,value
set -eu
program=$1
output=$2
steps=$3
sizes=$4
shift 4

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
metrics=$metrics,launch__occupancy_limit_blocks,launch__occupancy_limit_registers
metrics=$metrics,launch__occupancy_limit_shared_mem,launch__occupancy_limit_warps
metrics=$metrics,sm__maximum_warps_per_active_cycle_pct,gpu__time_duration.sum,sm__cycles_elapsed.max
for pipe in fma alu xu lsu cbu uniform; do
    metrics=$metrics,smsp__inst_executed_pipe_$pipe.sum
done

echo 'step,size,launch,kernel,grid,block,counter,value' >"$output"
for step in $steps; do
    for size in $sizes; do
        ncu --csv --clock-control none --print-units base --kernel-name-base function --metrics "$metrics" \
            "$program" "$@" --launch-once "$step" --size "$size" 2>&1 |
            awk -v step="$step" -v size="$size" '
            # A quoted CSV row to fields f[1..n]; quotes never nest in this output.
            function split_row(row, f,    n, i, c, quoted, field) {
                n = 0; field = ""; quoted = 0
                for (i = 1; i <= length(row); i++) {
                    c = substr(row, i, 1)
                    if (c == "\"") quoted = !quoted
                    else if (c == "," && !quoted) { f[++n] = field; field = "" }
                    else field = field c
                }
                f[++n] = field
                return n
            }
            /^"ID"/ { n = split_row($0, head); for (i = 1; i <= n; i++) at[head[i]] = i; next }
            /^"[0-9]+"/ && ("Metric Name" in at) {
                split_row($0, f)
                value = f[at["Metric Value"]]; gsub(/,/, "", value)
                grid = f[at["Grid Size"]]; gsub(/[(), ]+/, " ", grid); gsub(/^ | $/, "", grid)
                block = f[at["Block Size"]]; gsub(/[(), ]+/, " ", block); gsub(/^ | $/, "", block)
                print step "," size "," f[at["ID"]] "," f[at["Kernel Name"]] "," grid "," block "," \
                      f[at["Metric Name"]] "," value
                rows++
            }
            END { if (!rows) print "collect: no counters for step " step " at size " size > "/dev/stderr" }
            ' >>"$output"
    done
done
