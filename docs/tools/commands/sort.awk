# Which row of tiers.txt each command of gather.awk belongs to. usage: awk -v tier=TIER -f sort.awk tiers.txt COMMANDS
# Without a tier: complains about a command that no row takes, a row that takes none, and a row that is none. With one: that
# tier's commands, each once, as PAGE:LINE, a tab, the exit status that is expected, a tab, the command.
function pattern_of(text) { # a command with '*' for anything, as a regular expression
    gsub(/[][\\.^$+?(){}|]/, "\\\\&", text)
    gsub(/\*/, ".*", text)
    return "^" text "$"
}
function complain(text) {
    print text
    faults++
}
BEGIN {
    FS = "\t"
    guide = "autograder/guide_is_played" # it executes blocks, and what stands in "play:" comments
}
FILENAME == ARGV[1] {
    if ($0 == "" || /^#/) next
    n = split($0, cell, / *\| */)
    split(cell[1], word, / +/)
    rows++
    at[rows] = FNR
    tier_of[rows] = word[1]
    status_of[rows] = 2 in word ? word[2] : 0
    page_of[rows] = ".*"
    delete word
    if (cell[2] ~ /^@/) {
        page_of[rows] = pattern_of(substr(cell[2], 2, index(cell[2], " ") - 2))
        sub(/^@[^ ]+ /, "", cell[2])
    }
    like[rows] = pattern_of(cell[2])
    why[rows] = cell[3]
    needs_why = tier_of[rows] ~ /^(not|test)$/
    if (tier == "" && (tier_of[rows] !~ /^(quick|full|not|test)$/ || n != 3 || (needs_why && cell[3] == "")))
        complain(FILENAME ":" FNR ": TIER [STATUS] | COMMAND | WHY")
    next
}
{
    page = $1
    sub(/:[0-9]+$/, "", page)
    if ($2 != "text") played[page, $3]
    if ($2 == "play") next
    found = 0
    for (i = 1; i <= rows && !found; i++)
        if (page ~ page_of[i] && $3 ~ like[i]) found = i
    if (why[found] == guide) guided[$1] = $3
    if (!found && tier == "") complain($1 ": no row of tiers.txt takes: " $3)
    taken[found]++
    commands++
    if (tier == "" || tier_of[found] != tier) next
    if (tier == "test") {
        if (!(why[found] in named)) print why[found]
        named[why[found]]
    } else if (!($3 in once)) {
        once[$3]
        printf "%s\t%s\t%s\n", $1, status_of[found], $3
    }
}
END {
    if (tier != "") exit
    for (i = 1; i <= rows; i++) {
        count[tier_of[i]] += taken[i]
        if (!taken[i]) complain(ARGV[1] ":" at[i] ": no page shows a command that this row takes")
    }
    for (place in guided) {
        page = place
        sub(/:[0-9]+$/, "", page)
        if (!((page, guided[place]) in played)) complain(place ": the guide's test does not execute: " guided[place])
    }
    printf "commands: %d, of which quick %d, full %d, by other tests %d, not %d\n", commands, count["quick"], count["full"],
        count["test"], count["not"]
    exit faults > 0 || commands == 0
}
