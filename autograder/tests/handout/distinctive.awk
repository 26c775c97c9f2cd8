# Lines of solutions that occur where they should not. Three lists of files are read, with mode=.. before each:
#   mode=known   what is handed out on purpose (pages, hints, given steps): its lines are no secret
#   mode=secret  solutions: lines of 30 characters or more, but for comments
#   mode=search  what is looked through
# Blanks at both ends do not count. Prints "FILE:LINE is of SOLUTION: TEXT"; at the end, how many lines were looked for.
{
    text = $0
    gsub(/^[ \t]+|[ \t\\]+$/, "", text)
}
length(text) < 30 || text ~ /^\/\// { next }
mode == "known" { known[text] = 1; next }
mode == "secret" {
    if (!(text in known) && !(text in secret)) {
        secret[text] = FILENAME
        count++
    }
    next
}
text in secret { print FILENAME ":" FNR " is of " secret[text] ": " text }
END { print count + 0 " lines" }
