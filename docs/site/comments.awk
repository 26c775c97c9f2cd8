# Doxygen's view of a header: the kit's comments are plain ones, and what each belongs to follows from where it stands.
#   - the first comment of a file, behind the licence, is about the file;
#   - a comment on lines of its own belongs to all declarations up to the next empty line or comment;
#   - a comment behind code belongs to that line, to all names that it declares; it goes on below in the same column.
# Each line stays one line, so that Doxygen's messages name the right one.
function doc(text) {
    sub(/^[ \t]*\/\/ ?/, "", text)
    gsub(/\\/, "\\\\", text)
    gsub(/@/, "\\@", text)
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    gsub(/#/, "\\#", text)
    gsub(/%/, "%%", text)
    gsub(/%%/, "\\%", text)
    gsub(/\*\//, "* /", text)
    sub(/ \.\.$/, " ...", text) # a point alone ends a list
    gsub(/ \.\. /, " to ", text) # a point and a blank end the brief description
    return text
}
# Where the comment of a line begins; 0: it has none.
function comment_at(line,   i, c, quoted) {
    quoted = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (quoted != "") { if (c == "\\") i++; else if (c == quoted) quoted = "" }
        else if (c == "\"" || c == "'") quoted = c
        else if (c == "/" && substr(line, i + 1, 1) == "/") return i
    }
    return 0
}
function flush(   i) { # a comment that belongs to nothing
    for (i = 1; i <= held; i++) print hold[i]
    held = 0
}
function release(   i) { # a comment of its own lines, before a declaration
    shared = ""
    for (i = 1; i <= held; i++) {
        if (!behind) print "/// " doc(hold[i])
        shared = shared (i > 1 ? " " : "") doc(hold[i])
    }
    if (behind) { # below lines "///<", which Doxygen would join with it
        print "/** " shared " */"
        for (i = 2; i <= held; i++) print ""
    }
    held = 0
}
# True when a line declares several names: a comma outside of all brackets, and the declaration ends here.
function declares_several(code,   i, c, depth) {
    if (code !~ /^ .*;[ \t]*$/) return 0
    for (i = 1; i <= length(code); i++) {
        c = substr(code, i, 1)
        if (c ~ /[([{]/) depth++
        else if (c ~ /[])}]/) depth--
        else if (c == "," && depth == 0) return 1
    }
    return 0
}
# "int a, *b[2];" as "int a; int *b[2];", the text in front of each: Doxygen gives it to the first name alone.
function apart(code, text,   base, names, n, i) {
    sub(/;[ \t]*$/, "", code)
    n = split(code, names, ",")
    base = names[1]
    sub(/[*]*[A-Za-z_0-9]+(\[[^\]]*\])*[ \t]*$/, "", base)
    names[1] = substr(names[1], length(base) + 1)
    for (i = 1; i <= n; i++) printf "/** %s */ %s%s; ", text, base, names[i]
}
function flush_several() {
    if (several == "") return
    apart(several, several_doc)
    printf "\n%s", several_lines
    several = ""
}
# A macro that the file takes back is no part of what it offers: it is what a list's rows are expanded with.
BEGIN {
    while (ARGV[1] != "" && (getline line < ARGV[1]) > 0)
        if (line ~ /^#undef /) passing[substr(line, 8)] = 1
}
dropping || (/^#define / && passing[substr($2, 1, match($2 "(", /\(/) - 1)]) { dropping = /\\$/; print ""; next }
/^[ \t]*\/\// && several != "" && index($0, "//") == trailing { several_doc = several_doc " " doc($0); several_lines = several_lines "\n"; next }
{ flush_several() }
/^[ \t]*\/\// {
    if (index($0, "//") == trailing) { print "///< " doc($0); next }
    if (!held) behind = trailing > 0
    trailing = 0
    hold[++held] = $0
    next
}
{
    trailing = 0
    if (!began && held) { # the file's own
        began = 1
        print "/// @thisfile " doc(hold[1])
        for (i = 2; i <= held; i++) print "/// " doc(hold[i])
        held = 0
        print $0
        next
    }
    began = 1
}
/^[ \t]*$/ { flush(); shared = ""; statement = 0; print; next }
{
    at = comment_at($0)
    code = at ? substr($0, 1, at - 1) : $0
    if (!at && (held || shared != "") && !statement && declares_several(code)) {
        for (i = 1; i <= held; i++) { print ""; text = text (i > 1 ? " " : "") doc(hold[i]) }
        if (held) shared = text
        text = ""
        held = 0
        apart(code, shared)
        print ""
        next
    }
    if (held) release()
    else if (shared != "" && !statement && code ~ /^[ \t]*[A-Za-z_#]/ && code !~ /^#(if|el|endif|inc)/)
        printf "/** %s */ ", shared
    if (code ~ /^[ \t]*#/) statement = 0
    else statement = code !~ /[;{}][ \t]*$/
    if (code ~ /{[ \t]*$/ || code ~ /^[ \t]*}/) shared = ""
    if (!at) { print; next }
    if (code ~ /{[ \t]*$/) printf "/** %s */ %s\n", doc(substr($0, at)), code
    else if (declares_several(code)) {
        trailing = at
        several = code
        several_doc = doc(substr($0, at))
        several_lines = ""
    }
    else { print code "///< " doc(substr($0, at)); trailing = at }
}
END { flush_several(); flush() }
