# SPDX-License-Identifier: MIT
# From a run of a lab's solution on the simulator (run.txt) labs/LAB/warp_instructions.txt: lines "STEP FAMILY INSTRUCTIONS", the
# most warp instructions of a call for each warp's worth of work (32 operations or words that must move, as kl_case_work counts
# them). The ceilings of common/lab/instruction_ceiling.h are made of it. Relies on ladder_json.c, which gives each its line.
#   LADDER_NO_CEILINGS=1 ./ladder run LAB --solution --device sim --json run.json
#   awk -f common/lab/warp_instructions.awk run.json >labs/LAB/warp_instructions.txt
# The tests of the solutions fail when the file is out of date: a solution may execute ten times what it says.
BEGIN { print "# Made by common/lab/warp_instructions.awk: step, family, warp instructions for a warp's worth of work." }
/^    \{"step": / { match($0, /[0-9]+/); step = substr($0, RSTART, RLENGTH) }
/"executed": \{"/ {
    sub(/.*"executed": \{/, "")
    sub(/\}.*/, "")
    count = split($0, pairs, ", ")
    for (i = 1; i <= count; i++) {
        split(pairs[i], pair, "\": ")
        printf "%d %s %.3g\n", step, substr(pair[1], 2), pair[2]
    }
}
