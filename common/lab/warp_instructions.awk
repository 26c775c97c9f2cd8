# SPDX-License-Identifier: MIT
# From a run of a lab's solution on the simulator (run.txt) what each step executes of the case that stands for it in the table:
# "STEP INSTRUCTIONS", warp instructions of a call for each warp's worth of work (32 operations or words that must move, as
# kl_case_work counts them); not of cases with hardly any. `ladder tables` keeps labs/LAB/warp_instructions.txt, of which the
# ceilings of common/lab/instruction_ceiling.h are made. Relies on ladder_json.c, which gives each case, step and result one line.
function value(key) {
    if (!match($0, "\"" key "\": ")) return ""
    rest = substr($0, RSTART + RLENGTH)
    sub(/^"/, "", rest)
    sub(/[",}\]].*/, "", rest)
    return rest
}
BEGIN { print "# Made by `ladder tables` from measured/simulator.json: step, warp instructions for a warp's worth of work." }
/^    \{"case": .*"work_bytes": / { work[value("case") " " value("size")] = value("work_ops") + value("work_bytes") / 4 }
/^    \{"step": / { step = value("step"); us = value("time_us"); executed = 0 }
/"smsp__inst_executed.sum": / { executed = value("smsp__inst_executed.sum") }
/^        \{"case": .*"time_us": / {
    units = work[value("case") " " value("size")] / 32
    if (executed > 0 && units >= 32 && value("time_us") == us) {
        printf "%d %.3g\n", step, executed / units
        executed = 0
    }
}
