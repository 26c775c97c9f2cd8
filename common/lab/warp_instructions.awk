# SPDX-License-Identifier: MIT
# From a run of a lab's solution on the simulator (run.txt) its rows in labs/warp_instructions.csv: LAB,STEP,FAMILY,INSTRUCTIONS, the
# most warp instructions of a call for each warp's worth of work (32 operations or words that must move, as kl_case_work counts
# them). The ceilings of common/lab/instruction_ceiling.h are made of it. Relies on ladder_json.c, which gives each its line.
#   LADDER_NO_CEILINGS=1 ./ladder run LAB --solution --device sim --json run.json
#   awk -v lab=02_reduction -f common/lab/warp_instructions.awk labs/warp_instructions.csv run.json >new.csv
# prints the file with the lab's rows made anew. The tests of the solutions fail when they are out of date: a solution may execute
# ten times what they say.
FILENAME ~ /\.csv$/ {
    split($0, cell, ",")
    if (cell[1] == lab) next
    other[++others] = $0
    next
}
/^    \{"step": / { match($0, /[0-9]+/); step = substr($0, RSTART, RLENGTH) }
/"executed": \{"/ {
    sub(/.*"executed": \{/, "")
    sub(/\}.*/, "")
    count = split($0, pairs, ", ")
    for (i = 1; i <= count; i++) {
        split(pairs[i], pair, "\": ")
        row[++rows] = sprintf("%s,%d,%s,%.3g", lab, step, substr(pair[1], 2), pair[2])
    }
}
END {
    for (i = 1; i <= others; i++) {
        if (!put && other[i] !~ /^#/ && other[i] > lab) for (put = 1; put <= rows; put++) print row[put]
        print other[i]
    }
    if (!put) for (put = 1; put <= rows; put++) print row[put]
}
