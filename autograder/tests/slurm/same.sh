# same_results LOCAL OTHER: whether two folders of results are equal byte for byte, but for the seconds that grading took
# and what belongs to one run alone (class/: its key, its signed rows, its jobs). Prints what differs.
same_results() {
    status=0
    (cd "$1" && find . -type f ! -path './class/*' | LC_ALL=C sort) >"$2.names.1"
    (cd "$2" && find . -type f ! -path './class/*' | LC_ALL=C sort) >"$2.names.2"
    diff "$2.names.1" "$2.names.2" || status=1
    [ -s "$2.names.1" ] || status=1
    while read -r file; do
        for side in "$1" "$2"; do
            sed 's/\("[a-z_]*seconds"\): [0-9.e+-]*/\1/; s/^\(sandbox: .*,\) [0-9.]* s$/\1/
                s/\( Kit [^ ]*\) [0-9.]* s\./\1/' "$side/$file" >"$2.of.${side##*/}"
        done
        cmp "$2.of.${1##*/}" "$2.of.${2##*/}" || { echo "$file differs"; status=1; }
    done <"$2.names.1"
    return $status
}
