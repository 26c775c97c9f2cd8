# SPDX-License-Identifier: MIT
# What the tests of each lab cost, from CTest's log (Testing/Temporary/LastTest.log): awk -v labs="01_transpose .." -v
# limit=60 -f budget.awk LOG. A test's cost is the processor time that it tells in a line "processor seconds: N", else
# what CTest measured by the sandbox's clock. Fails when a lab costs more than the limit and names its dearest test. With
# -v busy=1.5, for machines that do other work meanwhile, up to so many times the limit is told but does not fail.
#
# A test belongs to a lab when its name has the lab's folder in it, or starts with lab/ or host/ and the short name.
BEGIN {
    if (busy < 1) busy = 1
    count = split(labs, folder, " ")
    for (i = 1; i <= count; i++) {
        short[i] = folder[i]
        sub(/^[0-9]+_/, "", short[i])
    }
}
function lab_of(test,   i) {
    for (i = 1; i <= count; i++) {
        if (index(test, folder[i]) > 0 || test ~ ("^(lab|host)/" short[i] "(_|$)")) return i
    }
    return 0
}
/^[0-9]+\/[0-9]+ Test: / {
    test = $3
    told = -1
}
/^processor seconds: [0-9.]+$/ { told = $3 }
/^Test time = / {
    tests++
    seconds = told >= 0 ? told : $4
    lab = lab_of(test)
    cost[lab] += seconds
    if (lab && seconds > most[lab]) {
        most[lab] = seconds
        dearest[lab] = test
    }
    told = -1
}
END {
    if (tests == 0) {
        print "no test in the log"
        exit 1
    }
    print "processor seconds of a lab's tests:"
    for (i = 1; i <= count; i++) printf "  %-24s %7.1f\n", folder[i], cost[i]
    for (i = 1; i <= count; i++) {
        if (cost[i] <= limit) continue
        if (cost[i] <= busy * limit) {
            printf "%s: more than %g processor seconds; on a quiet machine that fails.\n", folder[i], limit
            continue
        }
        printf "%s: more than %g processor seconds; the dearest test is %s with %.1f. Give it a smaller " \
               "sample, or the label full.\n", folder[i], limit, dearest[i], most[i]
        failed = 1
    }
    exit failed
}
