# The headers of common/ and autograder/ that are no interface, one a line: neither a file of another module includes them nor a
# header that is one. A module here is a folder of common/ or of autograder/, in the simulator one of its folders with all below;
# tests, fuzz targets and the like do not count. usage: find .. | awk -f internal.awk, in the kit's folder, with the paths of all sources and of
# what CMake writes sources with.
function folder(path) { return sub(/\/[^\/]*$/, "", path) ? path : "" }
function module(path,   part) {
    split(path, part, "/")
    if (part[1] == "autograder") return folder(path)
    if (part[1] != "common") return part[1]
    if (part[2] == "simulator" || part[2] == "topics") return part[4] != "" ? part[2] "/" part[3] : part[2]
    return part[2]
}
{ there[$0] = 1 }
END {
    roots = split(". autograder common/simulator common/base common/host common/gpu common/run common/lab common/files common/drawing common/topics/sparse " \
        "common/topics/images common/topics/training common/topics/pruning", root, " ")
    for (path in there) {
        if (path ~ /(^|\/)(tests|fuzz|bench|validation)\/|^common\/simulator\/tools\//) continue
        while ((getline line < path) > 0) {
            if (line !~ /^[ \t]*#[ \t]*include[ \t]*\\?"/) continue
            sub(/^[^"]*"/, "", line); sub(/\\?".*/, "", line)
            found = folder(path) "/" line
            for (i = 2; i <= roots && !(found in there); i++) found = root[i] "/" line
            if (!(found in there)) continue
            if (module(found) != module(path)) interface[found] = 1
            else if (path ~ /\.h$/) includes[path] = includes[path] " " found
        }
        close(path)
    }
    do {
        grown = 0
        for (path in includes) {
            if (!(path in interface)) continue
            n = split(includes[path], below, " ")
            for (i = 1; i <= n; i++) if (!(below[i] in interface)) grown = interface[below[i]] = 1
        }
    } while (grown)
    for (path in there) if (path ~ /^(common|autograder)\/.*\.h$/ && !(path in interface)) print path
}
