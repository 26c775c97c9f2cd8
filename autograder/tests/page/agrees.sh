#!/bin/sh
# agrees.sh WHAT LADDER WORK SOURCE: a profile's page, the terminal and the JSON of the same run say the same.
# test: autograder/page_is_the_json lines @ladder@ @WORK@ @SOURCE@
# test: autograder/page_maps_are_the_counters maps @ladder@ @WORK@ @SOURCE@
# test: autograder/page_timeline_is_the_terminals timeline @ladder@ @WORK@ @SOURCE@
set -eu
what=$1 ladder=$2 kit=$4
mkdir -p "$3"
cd "$3"
fail() {
    echo "$*"
    exit 1
}
# profile NAME LAB STEP ..: NAME.html, NAME.json, NAME.paths of it (json.awk), and NAME, what the terminal says on one line.
profile() {
    name=$1
    shift
    "$ladder" profile "$@" --solution --html "$name.html" --json "$name.json" >"$name.text"
    tr -s ' \n' ' ' <"$name.text" >"$name"
    awk -f "$kit/common/tests/json.awk" "$name.json" >"$name.paths"
}
value() { sed -n "s/^launches\.0\.$2	//p" "$1.paths"; }
case $what in
lines) # launch by launch and line by line, every counter
    profile page reduction 1 --size 10000 --check
    launches=$(grep -c '^launches\.[0-9]*\.kernel	' page.paths)
    for launch in $(seq "$launches"); do
        grep -q "id=\"launch-$launch\"" page.html || fail "launch $launch is not on the page"
    done
    awk -F '[.\t]' '$3 == "lines" && $5 == "line" { row++; number = $6 }
                    $3 == "lines" && $5 == "counters" { print row, number, $NF }' page.paths | sort >want
    grep -o '<tr data-c="[^"]*"><td class="line">[0-9]*' page.html | awk '{
        number = $0
        sub(/.*>/, "", number)
        for (; match($0, /:[0-9]+/); $0 = substr($0, RSTART + RLENGTH)) print NR, number, substr($0, RSTART + 1, RLENGTH - 1)
    }' | sort >got
    cmp want got || fail "the page's counters are not the JSON's"
    [ "$(cut -d ' ' -f 1 want | uniq | wc -l)" -gt 5 ] || fail "too few lines"
    grep -q 'Findings of the checker' page.html || fail "no findings of the checker"
    ;;
maps) # recorded accesses of a line add up to its counters; nothing records them that was not asked to
    profile maps transpose 2 --size 128
    "$ladder" profile transpose 2 --solution --size 128 --json plain.json >/dev/null
    awk -f "$kit/common/tests/json.awk" plain.json >plain.paths
    ! grep '^launches\.0\.maps' plain.paths || fail "accesses were recorded though nobody asked for them"
    for run in maps plain; do grep '^launches\.0\.counters' $run.paths >$run.counters; done
    cmp maps.counters plain.counters || fail "recording changes counters"
    sed -n 's/^launches\.0\.//p' maps.paths | awk -F '\t' '
        { split($1, part, ".") }
        $1 ~ /^maps\.accesses\.[0-9]+\.line$/ { line = $2 }
        $1 ~ /^maps\.accesses\.[0-9]+\.counter$/ { key = line " " $2 }
        $1 ~ /^maps\.accesses\.[0-9]+\.(wavefronts|sectors)$/ { if (!(key in sum)) sums++; sum[key] += $2 }
        $1 ~ /^lines\.[0-9]+\.line$/ { line = $2 }
        $1 ~ /^lines\..*(sectors_pipe_lsu_mem_global|wavefronts_mem_shared)/ {
            sub(/^lines\.[0-9]+\.counters\./, "", $1)
            found++
            if (sum[line " " $1] != $2) { print "line " line ", " $1 ": " $2 ", of its accesses: " sum[line " " $1]; exit bad = 1 }
        }
        END { if (bad || found != sums || found < 4) { print sums " sums of accesses, " found " counters of lines"; exit 1 } }'
    # The worst: a column of a tile of 32 x 32, with its picture of 32 wavefronts.
    [ "$(value maps maps.accesses.0.access), $(value maps maps.accesses.0.worst.wavefronts)" = 'shared load, 32' ] || fail "another worst access"
    grep -q 'id="map-1-1"><summary>.*<b>shared load</b>.*>32.0 wavefronts, least 1.0<' maps.html || fail "the page does not begin with it"
    grep -q 'class="on m">32<' maps.html && ! grep -q 'class="on m">33<' maps.html || fail "the picture has not 32 wavefronts"
    ;;
timeline) # shares of a warp's time, which are those of the JSON's own spans, too
    profile page reduction 1 --size 2000 --timeline --cycles 1500
    grep -q 'timeline of one SM' page || fail "no timeline on the terminal"
    [ "$(grep -o '<section class="timeline">' page.html | wc -l)" -eq "$(grep -c '^launches\.[0-9]*\.kernel	' page.paths)" ] ||
        fail "not a timeline for each launch on the page"
    # Phases with their shares by the spans: phase, cycles, phase, cycles, ..
    sed -n 's/^launches\.0\.timeline\.//p' page.paths | awk -F '[.\t]' '
        $1 == "shown" && $2 == "cycles" { shown = $3 }
        $1 == "phases" { name[$2] = $3 }
        $1 == "warps" && $3 == 0 { warps++; left = shown }
        $1 == "warps" && $3 % 2 == 0 { phase = $4 }
        $1 == "warps" && $3 % 2 == 1 { sum[phase] += $4 < left ? $4 : left; left -= $4 < left ? $4 : left }
        END {
            if (!warps || shown > 1500) { print shown " cycles are shown of " warps " warps"; exit 1 }
            for (phase in name) if (sum[phase]) printf "%s %.4f\n", name[phase], 100 * sum[phase] / shown / warps
        }' >phases
    [ "$(wc -l <phases)" -ge 4 ] || fail "only $(cat phases)"
    while read -r phase share; do
        shown=$(sed -n "s|.*<tr data-phase=\"$phase\".*>\([^<]*\)</button></th><td class=\"num\">\([0-9.]* %\)</td>.*|\1 \2|p" page.html | head -n 1)
        grep -qF "${shown:-$phase, which is not on the page}" page || fail "the terminal does not say: $shown ($phase)"
        echo "$shown $share" | awk '{ d = $(NF - 2) - $NF; exit d > 0.11 || d < -0.11 }' || fail "$phase: $shown, by the JSON's spans $share %"
    done <phases
    # A launch that reads 67 MB: its warps wait for memory a fifth of their time or more, in all three.
    profile large reduction 3 --timeline
    memory=$(sed -n 's/^launches\.0\.timeline\.phases\.\([0-9]*\)	long_scoreboard$/\1/p' large.paths)
    [ "$(value large counters.dram__bytes_read.sum)" -ge 67000000 ] || fail "too few bytes are read"
    for share in "$(value large "timeline.shown.phase_pct.$memory")" \
        "$(sed -n 's|.*<tr data-phase="long_scoreboard".*</button></th><td class="num">\([0-9]*\)\..*|\1|p' large.html | head -n 1)" \
        "$(sed -n 's/.*waiting for memory \([0-9]*\)\.[0-9] %.*/\1/p' large)"; do
        [ "${share%.*}" -ge 20 ] || fail "warps wait for memory ${share:-0} % of their time"
    done
    ! "$ladder" profile reduction 1 --solution --size 2000 --html page.html | grep 'timeline of one SM' ||
        fail "the terminal shows a timeline that nobody asked for"
    ;;
esac
