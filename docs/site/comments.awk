# SPDX-License-Identifier: MIT
# Doxygen's view of a header: the kit's comments are plain ones, and what each belongs to follows from where it stands.
#   - the first comment of a file, behind the licence, is about the file;
#   - a comment on lines of its own belongs to all declarations up to the next empty line or comment;
#   - a comment behind code belongs to that line, with the lines that go on below it.
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
        print "/// " doc(hold[i])
        shared = shared (i > 1 ? " " : "") doc(hold[i])
    }
    held = 0
}
/^[ \t]*\/\/ SPDX/ { print ""; next }
/^[ \t]*\/\// {
    if (trailing) { print "///< " doc($0); next }
    hold[++held] = $0
    next
}
{
    trailing = 0
    if (!began && held) { # the file's own
        began = 1
        print "/// @file"  " \n/// " doc(hold[1])
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
    if (held) release()
    else if (shared != "" && !statement && code ~ /^[ \t]*[A-Za-z_#]/ && code !~ /^#(if|el|endif|inc)/)
        printf "/** %s */ ", shared
    if (code ~ /^[ \t]*#/) statement = 0
    else statement = code !~ /[;{}][ \t]*$/
    if (code ~ /{[ \t]*$/ || code ~ /^[ \t]*}/) shared = ""
    if (!at) { print; next }
    if (code ~ /{[ \t]*$/) printf "/** %s */ %s\n", doc(substr($0, at)), code
    else { print code "///< " doc(substr($0, at)); trailing = 1 }
}
END { flush() }
