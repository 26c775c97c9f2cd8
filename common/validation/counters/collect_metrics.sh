# Sourced by collect.sh and collect_counters.sh, which set $here: the counters that both ask Nsight Compute for, and how
# its CSV becomes rows. shellcheck shell=sh
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

# The heading of rows: ncu_heading PREFIX, such as "step,size," or empty.
ncu_heading() { echo "$1launch,kernel,grid,block,$metrics"; }

# ncu's CSV on standard input to a row for each launch, "PREFIXlaunch,kernel,grid,block" and the values of $metrics, empty
# where there is none; what went wrong to standard error.
#   ncu_rows PREFIX WHAT      PREFIX with its comma, or empty; WHAT: for the message that there was nothing
ncu_rows() {
    awk -v prefix="$1" -v what="$2" -v metrics="$metrics" '
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
    function put_row(    i, n, name, row) {
        if (launch == "") return
        n = split(metrics, name, ",")
        row = prefix launch
        for (i = 1; i <= n; i++) row = row "," value[name[i]]
        print row
        split("", value)
        rows++
    }
    /^"ID"/ { n = fields($0, head); for (i = 1; i <= n; i++) at[head[i]] = i; next }
    /^"[0-9]+"/ && ("Metric Name" in at) {
        fields($0, f)
        if (f[at["ID"]] "" != id "") put_row()
        id = f[at["ID"]]
        launch = id "," f[at["Kernel Name"]] "," dimensions(f[at["Grid Size"]]) "," dimensions(f[at["Block Size"]])
        gsub(/,/, "", f[at["Metric Value"]])
        value[f[at["Metric Name"]]] = f[at["Metric Value"]]
        next
    }
    /^==ERROR==|FAILED|counter_kernels:/ { print > "/dev/stderr" }
    END { put_row(); if (!rows) { print "no counters" what > "/dev/stderr"; exit 1 } }
    '
}
