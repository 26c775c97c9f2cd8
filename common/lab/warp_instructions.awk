# From a run of a lab's solution on the simulator (run.json) its rows in labs/warp_instructions.csv: LAB,FAMILY,INSTRUCTIONS,.., for
# each step the most warp instructions of a call for each warp's worth of work (32 operations or words that must move, as
# kl_case_work counts them); an empty cell where the step has no such cases. The ceilings of common/lab/instruction_ceiling.h are
# made of it. Relies on ladder_json.c, which gives each its line.
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
/^    \{"step": / {
    match($0, /[0-9]+/)
    step = substr($0, RSTART, RLENGTH) + 0
}
/"executed": \{"/ {
    sub(/.*"executed": \{/, "")
    sub(/\}.*/, "")
    count = split($0, pairs, ", ")
    for (i = 1; i <= count; i++) {
        split(pairs[i], pair, "\": ")
        name = substr(pair[1], 2)
        if (!(name in cells)) names[++families] = name
        for (; cells[name] < step; cells[name]++) row[name] = row[name] ","
        row[name] = row[name] sprintf(",%.3g", pair[2])
        cells[name]++
    }
}
function put_lab() {
    for (put = 1; put <= families; put++) print lab "," names[put] row[names[put]]
}
END {
    for (i = 1; i <= others; i++) {
        if (!put && other[i] !~ /^#/ && other[i] > lab) put_lab()
        print other[i]
    }
    if (!put) put_lab()
}
