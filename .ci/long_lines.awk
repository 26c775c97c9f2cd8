# Lines of more than 100 columns, which clang-format lets stand in comments, texts and tables:
# awk -v exceptions=long_lines.txt -f long_lines.awk FILE.. prints them and fails.
BEGIN {
    while ((got = (getline line < exceptions)) > 0) {
        if (line ~ /^#/ || line ~ /^ *$/) continue
        count++
        split(line, word, " ")
        path[count] = word[1]
        text[count] = word[2]
    }
    if (got < 0) {
        print exceptions ": cannot be read"
        exit failed = 1
    }
}
length($0) > 100 {
    for (i = 1; i <= count; i++) {
        if (FILENAME ~ path[i] && $0 ~ text[i]) next
    }
    printf "%s:%d: %d columns, at most 100\n", FILENAME, FNR, length($0)
    failed = 1
}
END { exit failed }
