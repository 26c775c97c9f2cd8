# SPDX-License-Identifier: MIT
# awk -v lab=NAME -f counts.awk HERE THERE: two runs of a lab (ladder.run/2). Prints, step by step, each counter that THERE
# counts more than 2 % otherwise than HERE does, as "counter 1.05" (times as many).
/^ *\{"step": / {
    match($0, /"step": -?[0-9]+/)
    step = substr($0, RSTART + 8, RLENGTH - 8)
    match($0, /"name": "[a-z0-9_]+"/)
    name[step] = substr($0, RSTART + 9, RLENGTH - 10)
    if (FNR == NR) order[++steps] = step
}
match($0, /"counters": \{[^}]*\}/) {
    list = substr($0, RSTART + 13, RLENGTH - 14)
    count = split(list, part, ", ")
    if (count > 0) ran[FNR == NR, step] = 1
    for (i = 1; i <= count; i++) {
        split(part[i], pair, ": ")
        counter = pair[1]
        gsub(/"/, "", counter)
        seen[step, counter] = 1
        value[FNR == NR, step, counter] = pair[2]
        if (!(counter in known)) { known[counter] = 1; counters[++most] = counter }
    }
}
END {
    for (s = 1; s <= steps; s++) {
        step = order[s]
        if (!((1, step) in ran) || !((0, step) in ran)) continue # left out
        line = ""
        for (c = 1; c <= most; c++) {
            if (!((step, counters[c]) in seen)) continue
            here = value[1, step, counters[c]] + 0
            there = value[0, step, counters[c]] + 0
            high = here > there ? here : there
            low = here < there ? here : there
            if (high <= 1.02 * low) continue
            line = line sprintf("%s %s", line == "" ? "" : ",", counters[c] " " (here > 0 ? sprintf("%.2f", there / here) : "new"))
        }
        if (line != "") printf "    %s %s %s:%s\n", lab, step, name[step], line
    }
}
