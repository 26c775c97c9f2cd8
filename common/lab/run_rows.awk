# Timed steps of runs of a lab (run.txt), a row each: lab,case,size,step,name,us,low_us,high_us. For scripts on machines that
# have no JSON library; it relies on ladder_json.c, which gives each step and each result one line.
function value(key) {
    if (!match($0, "\"" key "\": ")) return ""
    rest = substr($0, RSTART + RLENGTH)
    sub(/^"/, "", rest)
    sub(/[",}\]].*/, "", rest)
    return rest
}
/^  "lab": / { lab = value("lab") }
/^    \{"step": / { step = value("step"); name = value("name") }
/^        \{"case": .*"time_us": / {
    match($0, /"ci_us": \[[^\]]*/)
    split(substr($0, RSTART + 10, RLENGTH - 10), bound, ", ")
    printf "%s,%s,%s,%s,%s,%.3f,%.3f,%.3f\n", lab, value("case"), value("size"), step, name, value("time_us"), bound[1], bound[2]
}
