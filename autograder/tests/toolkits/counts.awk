# awk -v lab=LAB -v toolkit=VERSION -f counts.awk HERE THERE: two runs of a lab (ladder.run/2). A row of docs/toolkit_counts.txt: the
# steps that ran in both, and for each counter that THERE counts more than 2 % otherwise than HERE in how many steps, and the least
# and the greatest ratio there ("new" counters, of which HERE has none, count as steps alone).
/^ *\{"step": / {
    match($0, /"step": -?[0-9]+/)
    step = substr($0, RSTART + 8, RLENGTH - 8)
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
        value[FNR == NR, step, counter] = pair[2]
        if (!(counter in known)) { known[counter] = 1; counters[++most] = counter }
    }
}
END {
    for (s = 1; s <= steps; s++) {
        step = order[s]
        if (!((1, step) in ran) || !((0, step) in ran)) continue # left out
        compared++
        for (c = 1; c <= most; c++) {
            counter = counters[c]
            here = value[1, step, counter] + 0
            there = value[0, step, counter] + 0
            high = here > there ? here : there
            low = here < there ? here : there
            if (high <= 1.02 * low) continue
            differ[counter]++
            if (here == 0) continue
            ratio = there / here
            if (!(counter in least) || ratio < least[counter]) least[counter] = ratio
            if (!(counter in greatest) || ratio > greatest[counter]) greatest[counter] = ratio
        }
    }
    line = ""
    for (c = 1; c <= most; c++) {
        counter = counters[c]
        if (!differ[counter]) continue
        span = (counter in least) ? sprintf("%.2f %.2f", least[counter], greatest[counter]) : "new new"
        line = line sprintf("%s%s %d %s", line == "" ? "" : ", ", counter, differ[counter], span)
    }
    printf "%s | %s | %d | %s\n", toolkit, lab, compared, line == "" ? "-" : line
}
