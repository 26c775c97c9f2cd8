# Prints each number, text and word of a JSON document behind its path and a tab, as launches.0.counters.NAME. No value
# goes over the end of a line.
{
    for (line = $0; match(line, /"([^"\\]|\\.)*"|[][{},:]|[^][{},: \t"]+/); line = substr(line, RSTART + RLENGTH)) {
        token = substr(line, RSTART, RLENGTH)
        if (token == "{" || token == "[") {
            name[++depth] = token == "{" ? "" : 0
            object[depth] = token == "{"
        } else if (token == "}" || token == "]") {
            depth--
        } else if (token == ",") {
            name[depth] = object[depth] ? "" : name[depth] + 1
        } else if (token != ":") {
            gsub(/^"|"$/, "", token)
            if (object[depth] && name[depth] == "") {
                name[depth] = token
                continue
            }
            path = name[1]
            for (i = 2; i <= depth; i++) path = path "." name[i]
            print path "\t" token
        }
    }
}
