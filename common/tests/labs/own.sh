#!/bin/sh
# own.sh NVCC OWN.CU WORK LADDER README.MD KIT: a lab's problem of its reader's own. The reference solution is right, `ladder check --`
# finds nothing in it, and it reaches what the page asks for: the bounds of the paragraph that begins with **Target.**, such as "at
# most 40,000" or "at least 4", in order. The solution's lines "// counts:" have one count for each: "KEY" or "KEY/KEY" or
# "KEY/NUMBER", where KEY is a counter of `ladder profile --json`, summed over the launches, or else a number of its launches, the
# largest (time_us, grid:0). "// devices: 2": on so many.
set -eu
nvcc=$1 source=$2 work=$3 ladder=$4 page=$5 kit=$6
mkdir -p "$work"
"$nvcc" -cudart shared -lineinfo "$source" -o "$work/own"
devices=$(sed -n 's,^// devices: ,,p' "$source")
"$ladder" check --devices "${devices:-1}" -- "$work/own" >"$work/check" || true
grep -q '^no findings in [0-9,]* launch' "$work/check" || { cat "$work/check"; exit 1; }
"$ladder" profile --devices "${devices:-1}" --json "$work/own.json" -- "$work/own" >/dev/null
awk -f "$kit/common/tests/json.awk" "$work/own.json" >"$work/paths"
sed -n '/^\*\*Target\.\*\*/,/^$/p' "$page" | tr '\n' ' ' | grep -oE '[Aa]t (most|least) +[0-9][0-9,.]*' >"$work/bounds"
sed -n 's,^// counts: ,,p' "$source" | tr ' ' '\n' >"$work/counts"
awk -v counters="$kit/common/simulator/device/counters.def" -v page="$page" '
    function value_of(key) {
        if (key ~ /^[0-9]+$/) return key
        gsub(/:/, ".", key)
        if (key in value) return value[key]
        while ((getline line <counters) > 0) if (index(line, "\"" key "\"")) return 0 # counters that are 0 are left out
        fail("the profile has no " key)
    }
    function fail(what) { print what; failed = 1; exit 1 }
    FILENAME ~ /paths$/ {
        split($0, row, "\t")
        if (!sub(/^launches\.[0-9]+\./, "", row[1])) next
        if (sub(/^counters\./, "", row[1])) value[row[1]] += row[2]
        else if (row[2] + 0 > value[row[1]]) value[row[1]] = row[2] + 0
    }
    FILENAME ~ /counts$/ { count[++counts] = $1 }
    FILENAME ~ /bounds$/ {
        sub(/[.,]$/, "", $3) # the end of a sentence
        gsub(/,/, "", $3)
        word[++bounds] = $2
        limit[bounds] = $3
    }
    END {
        if (failed) exit 1
        if (bounds != counts || !bounds) fail(page ": " bounds + 0 " bounds after **Target.**, but the test has " counts + 0 " counts")
        for (i = 1; i <= bounds; i++) {
            split(count[i] "/1", key, "/")
            left = value_of(key[1])
            per = value_of(key[2])
            print count[i] ": " left " / " per ", at " word[i] " " limit[i]
            if (!per || (word[i] == "most" ? left > limit[i] * per : left < limit[i] * per))
                fail("the solution does not reach what the page asks for: at " word[i] " " limit[i])
        }
    }' "$work/paths" "$work/counts" "$work/bounds"
