# One page for Doxygen, from the HTML that cmark-gfm made of a Markdown page: headings become Doxygen's (so that they stand in
# the search and in the table of contents), everything between them stays HTML. Links to pages of the kit lead to the site's,
# links to other files to a page that shows the file, pictures to copies; all that must be there is listed in `assets`. A chart is
# described by its own title, too, which has its highest and lowest value.
# Figures of the decks lie below the folder `drawn`; recorded: recordings.txt, or "" where there are no recordings; students: not
# those of solutions, but of labs whose walkthrough is there.
# usage: awk -v page=ID -v path=labs/02_reduction/README.md -v pages=PAGES -v assets=FILE -v drawn=BUILD/ -f page.awk
# PAGES has lines "PATH ID".
function anchor(heading) { # as docs/tools/checks/pages.c has it, which is what GitHub does
    gsub(/<[^>]*>/, "", heading)
    gsub(/&[a-z]+;/, "", heading)
    heading = tolower(heading)
    gsub(/[^a-z0-9 _-]/, "", heading)
    gsub(/ /, "-", heading)
    return heading
}
function label(of, name) { # a Doxygen label has no dash
    gsub(/-/, "_", name)
    return of "_" name
}
function normal(target,   folder) {
    folder = path
    if (!sub(/\/[^\/]*$/, "", folder)) folder = ""
    target = folder == "" ? target : folder "/" target
    while (sub(/\/\.\//, "/", target) || sub(/^\.\//, "", target)) continue
    while (match(target, /(^|\/)[^\/]+\/\.\.(\/|$)/)) {
        target = substr(target, 1, RSTART - 1 + (substr(target, RSTART, 1) == "/")) substr(target, RSTART + RLENGTH)
    }
    sub(/\/$/, "", target)
    return target
}
function flat(name) {
    gsub(/\//, "_", name)
    return name
}
function link(target,   cut, name, file) {
    if (target ~ /^[a-z]+:/) return target
    cut = index(target, "#")
    name = cut ? substr(target, cut + 1) : ""
    target = cut ? substr(target, 1, cut - 1) : target
    file = target == "" ? path : normal(target)
    if (file in of_path)
        return of_path[file] ".html" (name == "" ? "" : "#" label(of_path[file], name))
    if ((file "/README.md") in of_path) return of_path[file "/README.md"] ".html"
    print file >> assets
    return file ~ /\.(svg|png)$/ ? "pictures/" flat(file) : "files/" flat(file) ".html"
}
function with_links(line,   done, from, bytes, target) {
    done = ""
    while (match(line, /(href|src)="[^"]*"/)) {
        from = RSTART + index(substr(line, RSTART), "\"")
        bytes = RSTART + RLENGTH - 1 - from
        target = substr(line, from, bytes)
        done = done substr(line, 1, from - 1) link(target) "\""
        line = substr(line, from + bytes + 1)
    }
    return done line
}
function values_of(file,    line, title) { # of a chart, escaped as in the file; "" of other pictures
    while ((getline line <file) > 0 && title == "")
        if (match(line, /<title>[^<]*/)) title = substr(line, RSTART + 7, RLENGTH - 7)
    close(file)
    return title ~ /: highest |; fastest: / ? title : ""
}
function with_values(line,    done, source, said, end) {
    done = ""
    while (match(line, /<img src="[^":]*\.svg" alt="[^"]*/)) {
        end = RSTART + RLENGTH
        source = substr(line, RSTART + 10)
        sub(/".*/, "", source)
        source = normal(source)
        said = values_of(source ~ /^slides\/figures\// ? drawn source : source)
        done = done substr(line, 1, end - 1) (said == "" ? "" : ". " said)
        line = substr(line, end)
    }
    return done line
}
function unescaped(text) {
    gsub(/<[^>]*>/, "", text)
    gsub(/&quot;/, "\"", text)
    gsub(/&lt;/, "\\\\<", text)
    gsub(/&gt;/, "\\\\>", text)
    gsub(/&amp;/, "\\&", text)
    gsub(/[@#_*]/, "\\\\&", text)
    return text
}
# Outside of code an arrow is one, and stays in the line of what is before it, and an exponent stands above the line; an option is not
# divided behind its hyphens, nor is a date; long names may be divided at their parts: in a table those of code, in the text those in
# capitals at a stroke. What stands in tags remains.
function set_text(line,    done, bytes, in_element, in_cell, tag) {
    done = ""
    in_cell = line ~ /^<td/
    sub(/^<td>20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]<\/td>/, "<td class=\"kl-option\">" substr(line, 5, 10) "</td>", line)
    sub(/^<td>[0-9]*<\/td>/, "<td class=\"kl-number\">" substr(line, 5, index(line, "</td>") - 5) "</td>", line)
    while (match(line, /<[^>]*>/)) {
        bytes = RLENGTH
        tag = substr(line, RSTART, bytes)
        done = done (in_element ? set_code(substr(line, 1, RSTART - 1), in_cell) : set_words(substr(line, 1, RSTART - 1))) tag
        # set_code and set_words match, too
        line = substr(line, index(line, tag) + bytes)
        in_element = tag == "<code>"
    }
    return done (in_element ? line : set_words(line))
}
function set_words(text,    done, power) {
    gsub(/ (-&gt;|\342\206\222) /, "\\&nbsp;\342\206\222 ", text)
    while (match(text, /[A-Z_]\/[A-Z]/)) text = substr(text, 1, RSTART + 1) "<wbr/>" substr(text, RSTART + 2)
    done = ""
    while (match(text, /[0-9A-Za-z]\^(-?[0-9]+|T)/)) {
        power = substr(text, RSTART + 2, RLENGTH - 2)
        done = done substr(text, 1, RSTART) "<sup>" power "</sup>"
        text = substr(text, RSTART + RLENGTH)
    }
    return done text
}
function set_code(text, in_cell) {
    if (in_cell && text !~ /^\.\/ladder /) gsub(/[a-z0-9A-Z]_+|[a-z0-9)\]][.\/]|::/, "&<wbr/>", text)
    gsub(/--[a-z][a-z-]*/, "<span class=\"kl-option\">&</span>", text)
    return text
}
function open_html() { if (!html) print "\\htmlonly"; html = 1 }
function close_html() { if (html) print "\\endhtmlonly"; html = 0 }
BEGIN {
    while ((getline line < pages) > 0) { split(line, word, " "); of_path[word[1]] = word[2] }
    close(pages)
    while (recorded && (getline line < recorded) > 0) { # NAME debug|profile ARGUMENTS
        split(line, word, " ")
        kind[word[1]] = word[2]
        if (line ~ / --solution/) solved[word[1]]
    }
}
# Code wraps where it is too wide: each line is an element that knows how far it is indented.
function put_line(line,    indent) {
    match(line, /^ */)
    indent = RLENGTH
    printf "<span class=\"kl-line\"%s>%s\n</span>", indent ? " style=\"--indent:" indent "ch\"" : "", line
}
# Commands and text wrap, too; what stands in columns does not: three spaces inside of a line, but for a remark behind a command.
function is_command(line) {
    return line ~ /^(\(ladder\) |\$ )?(\.\/|build\/|nvcc |git |cmake |sudo |docker |podman |cd |\(cd |wsl |ncu |python3 |\$EDITOR )/
}
function put_code(    i, columns) {
    for (i = 1; i <= code_lines; i++)
        if (!is_command(code[i]) && code[i] ~ /[^ ]   +[^ ]/ && code[i] !~ /[^ ]   +(#|\/\/)/) columns = 1
    for (i = 1; i <= code_lines; i++) {
        if (columns && !in_c && !is_command(code[i])) print code[i]
        else put_line(code[i])
    }
    code_lines = 0
}
/^<pre><code/ {
    open_html()
    in_code = 1
    in_c = /^<pre><code class="language-c/
    match($0, /^<pre><code[^>]*>/)
    printf "<pre class=\"fragment\" tabindex=\"0\">%s", substr($0, 6, RLENGTH - 5)
    $0 = substr($0, RLENGTH + 1)
}
in_code && /^<\/code><\/pre>/ {
    put_code()
    in_code = 0
}
in_code {
    gsub(/\*\//, "*\\&#47;")
    code[++code_lines] = $0
    next
}
# A hint is unfolded when it is wanted; a table of them all says nothing.
function close_hint() {
    if (!in_hint) return
    open_html()
    print "</details>"
    in_hint = 0
}
path ~ /\/hints\.md$/ && /^<h3>/ {
    close_hint()
    open_html()
    sub(/^<h3>/, "<details class=\"kl-hint\"><summary>")
    sub(/<\/h3>$/, "</summary>")
    print
    in_hint = 1
    next
}
/^<h[1-6]>/ {
    close_hint()
    close_html()
    level = substr($0, 3, 1) + 0
    text = $0
    sub(/^<h[1-6]>/, "", text)
    sub(/<\/h[1-6]>$/, "", text)
    name = label(page, anchor(text))
    if (name in used) name = name "_" (++used[name])
    else used[name] = 0
    if (!titled) {
        titled = 1
        printf "# %s%s\n\n", unescaped(text), page == "index" ? "" : " {#" page "}" # Doxygen labels its main page itself
        if (contents && page != "index") print "\\tableofcontents{HTML:2}\n"
    } else {
        # No level is left out: Doxygen, and who reads by headings, count on it.
        if (level > depth + 1) level = depth + 1
        if (level < 2) level = 2
        for (i = 0; i < level; i++) printf "#"
        printf " %s {#%s}\n\n", unescaped(text), name
    }
    depth = level
    next
}
function released(    lab, line) {
    lab = path
    sub(/^[^\/]*\//, "", lab)
    sub(/\/.*/, "", lab)
    return (getline line <("solutions/" lab "/walkthrough.md")) > 0
}
# "<!-- recording NAME#t=TIME: what is seen -->": a page of recordings.txt, inline. One that shows a solution is folded, but for
# pages that do so themselves, and so is a profile. Its picture for print comes later (slides/build.sh).
/^<!-- recording [^ ]*: .* -->$/ && recorded {
    open_html()
    name = $3
    sub(/:$/, "", name)
    source = name
    sub(/#.*/, "", name)
    if (students && (name in solved) && !released()) next
    if (!sub(/#/, ".html#", source)) source = source ".html"
    said = $0
    sub(/^<!-- recording [^ ]*: /, "", said)
    sub(/ -->$/, "", said)
    folded = ((name in solved) || kind[name] == "profile") && path ~ /^labs\//
    go = kind[name] == "profile" ? "the whole profile" : "step through it, forwards and backwards"
    if (folded) printf "<details class=\"kl-embed\"><summary>%s: %s%s</summary>\n", said, go, \
        (name in solved) ? " (with the solution)" : ""
    else printf "<p>%s:</p>\n", said
    printf "<iframe class=\"kl-recording\" loading=\"lazy\" title=\"%s\" src=\"slides/recordings/%s\"></iframe>\n", said, source
    printf "<p><a href=\"slides/recordings/%s\">In a window of its own</a></p>\n", source
    if (folded) print "</details>"
    printf "<div class=\"kl-still\" data-recording=\"%s\" data-said=\"%s\"></div>\n", source, said
    next
}
# "<!-- live RULE: TITLE | PARAMETERS | EXPRESSION | EXPRESSION -->": a figure that the reader changes (live/live.js).
/^<!-- live [a-z]+: .* -->$/ {
    open_html()
    rule = $3
    sub(/:$/, "", rule)
    said = $0
    sub(/^<!-- live [a-z]+: /, "", said)
    sub(/ -->$/, "", said)
    gsub(/&/, "\\&amp;", said)
    gsub(/"/, "\\&quot;", said)
    split(said, field, / \| /)
    expressions = said
    sub(/^[^|]*\|[^|]*\| /, "", expressions)
    gsub(/ \| /, "|", expressions)
    printf "<div class=\"kl-live\" hidden=\"hidden\" data-rule=\"%s\" data-title=\"%s\" data-parameters=\"%s\" data-expressions=\"%s\"></div>\n", \
        rule, field[1], field[2], expressions
    next
}
# "<!-- cards: NAME -->" before a table: its rows as a list of cards, without the heads of its columns.
/^<!-- cards: [a-z]* -->$/ { cards = $3; next }
/^<!--.*-->$/ && !fenced { next }
cards && /^<table>/ {
    open_html()
    printf "<ul class=\"kl-cards kl-%s\">\n", cards
    in_cards = 1
    cards = ""
    next
}
in_cards && /^<thead>/ { heads = 1 }
in_cards && /^<\/thead>/ { heads = 0; next }
heads || (in_cards && /^<\/?tbody>/) { next }
in_cards {
    sub(/^<tr>/, "<li>")
    sub(/^<\/tr>/, "</li>")
    sub(/^<td>/, "<div>")
    sub(/<\/td>$/, "</div>")
    if (sub(/^<\/table>/, "</ul>")) in_cards = 0
}
{
    open_html()
    gsub(/<table>/, "<div class=\"kl-wide\" tabindex=\"0\" role=\"group\" aria-label=\"table\"><table class=\"markdownTable\">")
    gsub(/<\/table>/, "</table></div>")
    gsub(/\*\//, "*\\&#47;") # Doxygen takes it for the end of a comment
    gsub(/<th><\/th>/, "<td class=\"kl-corner\"></td>")
    gsub(/<th align="right"><\/th>/, "<td class=\"kl-corner\"></td>")
    print with_links(with_values(set_text($0)))
}
END {
    close_hint()
    close_html()
}
