#!/bin/sh
# build.sh KIT OUT BUILD: the documentation site into the folder OUT, which must not hold anything else.
# KIT: the kit's folder, or a handout, whose site has what is there; BUILD: where its programs are built, for help texts and
# examples of JSON. A handout's site has recordings (recordings.txt), but for those of solutions. Doxygen's messages go to
# OUT/../doxygen.log. Needs doxygen, doxygen-awesome-css and cmark-gfm.
set -eu
kit=$(CDPATH='' cd -- "$1" && pwd -P)
build=$(CDPATH='' cd -- "$3" && pwd -P)
ladder=$build/autograder/ladder
whole=yes # a handout has no slides, no programs that write pages, and not all pages of pages.txt
students=
[ -d "$kit/.ci" ] || { whole='' && students=yes; }
rm -rf "$2"
mkdir -p "$2/pictures" "$2/files"
out=$(CDPATH='' cd -- "$2" && pwd -P)
work=$(dirname "$out")/site-pages
rm -rf "$work"
mkdir -p "$work/text" "$work/pages"
here=$kit/docs/site
recordings=$here/recordings.txt
awesome=/usr/share/doxygen-awesome-css
cd "$kit"

# --- the figures of the decks, which walkthroughs show too
[ -z "$whole" ] || sh slides/figures.sh slides/figures.txt "$build/docs/tools/ladder-docs" "$build/slides"

# --- which pages there are: GROUP|TITLE|ID|FILE
title_of() { sed -n 's/^# *//p' "$1" | head -n 1 | tr -d '`|'; }
{
    grep -v '^#' "$here/pages.txt" | sed 's/ *| */|/g' | while IFS= read -r row; do
        [ -z "$whole" ] && [ ! -f "${row##*|}" ] || echo "$row"
    done
    for page in labs/[0-9][0-9]_*/README.md; do
        lab=${page#labs/}
        echo "Labs|$(title_of "$page")|lab_${lab%/README.md}|$page"
    done
    for page in solutions/*/walkthrough.md; do
        [ -f "$page" ] || continue
        lab=${page#solutions/}
        echo "Walkthroughs|$(title_of "$page")|walkthrough_${lab%/walkthrough.md}|$page"
    done
    for page in docs/*.md; do
        id=${page#docs/}
        case $id in home.md) continue ;; results.md) echo "Labs|All results|results|$page" && continue ;; esac
        grep -q "| $page\$" "$here/pages.txt" || echo "Reference|$(title_of "$page")|${id%.md}|$page"
    done
    {
        for folder in autograder common solutions slides; do
            [ ! -d $folder ] || find $folder -name README.md
        done
        find labs -path '*/measured/*.md' -o -name hints.md
    } | LC_ALL=C sort |
        while read -r page; do
            grep -q "| $page\$" "$here/pages.txt" && continue
            id=$(echo "${page%.md}" | sed 's/README$//; s,/$,,; s,/,_,g')
            case $page in
            labs/*/hints.md) echo "Hints|$(title_of "$page"): ${page%/hints.md}|$id|$page" ;;
            *) echo "Modules|$(title_of "$page")|module_$id|$page" ;;
            esac
        done
} >"$work/list"

# --- pages that are made here
commands=$(LADDER_KIT=$kit "$ladder" help | sed -n 's/^  \([a-z-]*\)  *[a-z].*/\1/p')
{
    echo '# Commands'
    echo
    echo 'Every command of `./ladder`, as `./ladder COMMAND --help` explains it.'
    for command in $commands; do
        printf '\n## ladder %s\n\n```\n' "$command"
        COLUMNS=80 "$ladder" "$command" --help 2>/dev/null || ./ladder "$command" --help # the launcher's own
        echo '```'
    done
} >"$work/text/commands.md"
echo "Reference|Commands|commands|$work/text/commands.md" >>"$work/list"
if [ -n "$whole" ]; then
    {
        echo '# JSON schemas'
        echo
        echo 'Every document names its schema in its first key; the number after the slash changes when a key is renamed or removed, not'
        echo 'when one is added. A key names the way to a value, `[]` standing for each element of an array; `NAME` stands for keys that are'
        echo 'data, such as names of counters. Numbers that are not finite are `null`. Tests compare the documents with what this page says of each key.'
        "$build/ladder-lab" --schema >"$work/lab.txt"
        sed -n 's/^## \(ladder\.\)/\1/p' docs/schemas.txt | while IFS='|' read -r schema what example; do
            example=${example# }
            printf '\n## %s\n\n%s.\n\n' "${schema% }" "$(echo "$what" | sed 's/^ //; s/ $//; s/^./\U&/')"
            case $example in
            'ladder '*)
                # shellcheck disable=SC2086 # several arguments
                "$ladder" ${example#ladder } --json "$work/example.json" >"$work/example.log" 2>&1 || true
                sed -i "s,$kit/,,g" "$work/example.json"
                [ -s "$work/example.json" ] || { cat "$work/example.log" >&2; exit 1; }
                example=$work/example.json
                ;;
            *.csv:*)
                "$build/docs/tools/ladder-docs" measured show "$example" >"$work/example.json" || exit 1
                example=$work/example.json
                ;;
            esac
            [ -z "$example" ] || grep -q "\"schema\": *\"${schema% }\"" "$example" || {
                echo "build.sh: $example is no ${schema% }" >&2
                exit 1
            }
            case $schema in
            ladder.run/*) described=common/lab/run.txt ;; # beside its only writer and reader
            ladder.lab/*) described=$work/lab.txt ;;      # as its reader has it
            *) described=docs/schemas.txt:${schema% } ;;
            esac
            # shellcheck disable=SC2086 # none, or one file
            "$build/docs/tools/ladder-docs" schema --described "$described" $example
            rm -f "$work/example.json"
        done
    } >"$work/text/schemas.md"
    echo "Reference|JSON schemas|schemas|$work/text/schemas.md" >>"$work/list"
fi

# --- Markdown to Doxygen's pages
{
    cut -d '|' -f 3,4 "$work/list" | sed 's/\(.*\)|\(.*\)/\2 \1/'
    echo 'docs/home.md index'
    [ -z "$whole" ] || echo 'slides slides/index'
    # Folders without a page of their own, that pages point at.
    echo 'labs results'
    echo 'common architecture'
} >"$work/paths"
: >"$work/assets"
for_whole_kit() { # a page without what it has for a handout alone
    awk '/^<!-- handout$/ { skip = 1 } !skip { gsub(/<!-- handout [^>]*-->|<!--= [^>]*-->/, ""); print } /^-->$/ { skip = 0 }' "$1"
}
stage() { # file id
    page=$1
    case $1 in # long lists, and the tables of other cards, that only the site has
    docs/*.md | labs/*/README.md)
        if [ -n "$whole" ] && grep -qE '^<!-- site:|^The site has the tables of ' "$1"; then
            page=$work/text/$2.md
            "$build/docs/tools/ladder-docs" tables --site . "$1" >"$page"
        fi
        ;;
    esac
    case $1 in # its numbers and its code come by marks
    solutions/*/walkthrough.md)
        if [ -n "$whole" ]; then
            "$build/docs/tools/ladder-docs" numbers . slides/facts.txt "$1" >"$work/text/$2.md"
        else # `ladder docs --students` has done that
            cp "$1" "$work/text/$2.md"
        fi
        awk '/^\*\*Answer\.\*\* / { print "<details><summary>Answer</summary>\n"; sub(/^[^ ]* /, ""); folded = 1 }
            folded && /^$/ { print "\n</details>"; folded = 0 }
            { print } END { if (folded) print "\n</details>" }' "$work/text/$2.md" | cmark-gfm --unsafe -e table
        ;;
    labs/*/README.md) # a handout has no walkthrough, so the lab's page itself cannot point at it
        lab=${1#labs/}
        solved=solutions/${lab%/README.md}/walkthrough.md
        {
            for_whole_kit "$page"
            [ ! -f "$solved" ] || printf '\n## Walkthrough\n\n[Every step with its solution](../../%s): why, how much, and questions with answers.\n' "$solved"
        } | cmark-gfm --unsafe -e table
        ;;
    labs/*/hints.md) # a list is a heading for each hint, under which it is unfolded
        awk '!code && sub(/^[0-9]+[.] */, "") { print "\n### Hint " ++n "\n" $0; next }
            /^## / { n = 0 } { sub(/^   /, "") } /^```/ { code = !code } { print }' "$1" | cmark-gfm --unsafe -e table
        ;;
    *) for_whole_kit "$page" | cmark-gfm --unsafe -e table ;;
    esac | awk -v page="$2" -v path="$1" -v pages="$work/paths" -v assets="$work/assets" \
        -v drawn="$build/" -v recorded="$recordings" -v students="$students" -v contents=1 -f "$here/page.awk" >"$work/pages/$2.md"
}
while IFS='|' read -r group title id file; do
    [ "$group" ] && [ "$title" ] && stage "$file" "$id"
done <"$work/list"
stage docs/home.md index

# --- files that pages point at
colours='body{background:#fff;color:#222}a{color:#0b57a0}@media(prefers-color-scheme:dark){body{background:#15181c;color:#ddd}a{color:#8ab4f8}}'
escaped() { sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' "$1"; }
sort -u "$work/assets" | while read -r file; do
    flat=$(echo "$file" | tr / _)
    case $file in
    slides/figures/*) cp "$build/$file" "$out/pictures/$flat" ;;
    *.svg | *.png) cp "$file" "$out/pictures/$flat" ;;
    *)
        if [ -d "$file" ]; then
            find "$file" -maxdepth 1 -type f | LC_ALL=C sort >"$work/listing"
            body=$work/listing
        elif [ -f "$file" ]; then
            body=$file
            case $file in *.zst)
                body=$work/listing
                zstd -dcq "$file" >"$body" || echo "zstd -dc $file" >"$body" # says how to read it where there is no zstd
                ;;
            esac
        else
            echo "build.sh: no such file: $file" >&2
            exit 1
        fi
        {
            printf '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>%s</title>\n' "$file"
            printf '<meta name="viewport" content="width=device-width"><style>:root{color-scheme:light dark}\n'
            printf '%s\n' "$colours"
            printf 'body{margin:1.5rem;font-family:sans-serif}h1{font-size:1.4rem;overflow-wrap:break-word}pre{overflow:auto;font-size:.9rem}'
            printf '@media print,(max-width:900px){body{margin:1rem}pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:.8rem}}</style>\n'
            printf '<script src="../find.js"></script></head>\n'
            printf '<body><main><h1>%s</h1><p><a href="../index.html">Kernel Ladder</a></p>\n<pre tabindex="0">' "$(echo "$file" | sed 's,[/_.],&<wbr>,g')"
            escaped "$body"
            printf '</pre></main></body></html>\n'
        } >"$out/files/$flat.html"
        ;;
    esac
done

# --- figures that a reader changes
sh "$here/live/build.sh" "$kit" "$out/live.js"

# --- until docs/site/search/build.sh makes it: Doxygen's own search finds names
echo '// ./ladder docs without --pages puts the search of all pages here.' >"$out/find.js"

# --- until recordings.sh and slides/build.sh make them
mkdir -p "$out/slides/recordings"
sed 's/ .*//' "$recordings" | while read -r name; do
    [ -z "$students" ] || grep -qs "recordings/$name\\." "$work/pages"/*.md || continue
    echo '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Step by step</title></head><body><main><h1>Step by step</h1><p>./ladder docs without --pages makes this page, if the step compiles.</p></main></body></html>' >"$out/slides/recordings/$name.html"
done
[ -z "$whole" ] || echo '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Slides</title></head><body><main><h1>Slides</h1><p>./ladder docs makes them.</p></main></body></html>' >"$out/slides/index.html"

# --- the menu
attribute() { printf '%s' "$1" | sed 's/&/\&amp;/g; s/"/\&quot;/g; s/</\&lt;/g'; }
menu() { # group
    grep "^$1|" "$work/list" | sort -s -t '|' -k 1,1 | while IFS='|' read -r group title id file; do
        [ "$group" ] && [ "$file" ] && printf '<tab type="user" url="@ref %s" title="%s"/>\n' "$id" "$(attribute "$title")"
    done
}
{
    # The first page is behind the kit's name; what a reader of the course needs last comes last.
    echo '<doxygenlayout version="1.0"><navindex><tab type="mainpage" visible="no"/>'
    for group in Start Labs Walkthroughs Slides Tools Teaching Reference Inside; do
        [ $group != Slides ] || {
            [ -z "$whole" ] || echo '<tab type="user" url="slides/index.html" title="Slides"/>'
            continue
        }
        first=$(grep "^$group|" "$work/list" | head -n 1 | cut -d '|' -f 3)
        [ -n "$first" ] || continue
        [ -n "$whole" ] || [ $group != Inside ] || continue # how the kit is made is not a student's menu
        printf '<tab type="usergroup" url="@ref %s" title="%s">\n' "$first" "$(echo $group | sed 's/Inside/Behind the kit/')"
        menu "$group"
        [ $group != Inside ] || {
            printf '<tab type="usergroup" url="@ref architecture" title="Modules">\n%s</tab>\n' "$(menu Modules)"
            echo '<tab type="usergroup" url="files.html" title="C interfaces">'
            echo '<tab type="filelist" visible="yes" title="Headers"/><tab type="classlist" visible="yes" title="Structures"/>'
            echo '<tab type="globals" visible="yes" title="Functions and macros"/></tab>'
        }
        echo '</tab>'
    done
    echo '</navindex></doxygenlayout>'
} >"$work/layout.xml"

# --- Doxygen's own head of a page, with the scripts of doxygen-awesome and the language of the text
(cd "$work" && doxygen -w html header.html footer.html doxygen.css /dev/null >/dev/null 2>&1)
sed -e 's,<html xmlns="http://www.w3.org/1999/xhtml">,<html xmlns="http://www.w3.org/1999/xhtml" lang="en">,' \
    -e 's,\(id="projectname">\)\([^<]*\),\1<a href="'"\$relpath^"'index.html">\2</a>,' \
    -e "/<\/head>/{
r $here/head.html
N
}" "$work/header.html" | awk '
    /<\/head>/ { held = 1; next }
    held && /<body>/ { print "</head>\n" $0; held = 0; next }
    { print }' >"$work/head.html"
find common autograder labs $([ ! -d solutions ] || echo solutions) docs \( -name '*.[ch]' -o -name '*.cu' -o -name '*.def' -o -name '*.cmake' \) -print |
    awk -f "$here/internal.awk" | LC_ALL=C sort >"$work/internal"
{
    cat docs/Doxyfile
    echo "EXCLUDE = $(tr '\n' ' ' <"$work/internal")"
    echo "INPUT = $([ -z "$whole" ] || echo common autograder) $work/pages"
    sh "$here/excluded.sh" "$kit"
    echo "OUTPUT_DIRECTORY = $out"
    echo "USE_MDFILE_AS_MAINPAGE = $work/pages/index.md"
    echo "LAYOUT_FILE = $work/layout.xml"
    echo "HTML_HEADER = $work/head.html"
    echo "HTML_EXTRA_STYLESHEET = $awesome/doxygen-awesome.css $awesome/doxygen-awesome-sidebar-only.css $awesome/doxygen-awesome-sidebar-only-darkmode-toggle.css $here/site.css"
    echo "HTML_EXTRA_FILES = $awesome/doxygen-awesome-darkmode-toggle.js $here/site.js"
} >"$work/Doxyfile"
doxygen "$work/Doxyfile" >"$out/../doxygen.log" 2>&1 || {
    tail -n 20 "$out/../doxygen.log" >&2
    exit 1
}
# --- what figures that a reader changes show without scripts
if command -v node >/dev/null; then node "$here/live/still.mjs" "$out/live.js" "$out"/lab_*.html; fi
# Doxygen and doxygen-awesome put the menu beside the text from 768 px on, which leaves 510 px for figures of 760: 1024 px (site.css).
sed -i 's/\(min-width: *\)768px/\11024px/g; s/\(max-width: *\)767px/\11023px/g' "$out"/doxygen*.css "$out/tabs.css"
sed -i 's/desktop_vp=768/desktop_vp=1024/; s/outerWidth()<768/outerWidth()<1024/' "$out/resize.js" "$out/menu.js"
# Doxygen's menu makes the search field without a name for those who cannot see it.
sed -i 's/id="MSearchField"/& aria-label="Search"/' "$out/menu.js"

# --- behind the text of a chapter: where it stands among the others, and those before and after it
for group in Start Labs Walkthroughs; do
    grep "^$group|" "$work/list" | awk -F '|' '
        function to(i, which, before, after) {
            return i in id ? "<a rel=\"" which "\" href=\"" id[i] ".html\">" before title[i] after "</a>" : "<span></span>"
        }
        { id[NR] = $3; title[NR] = $2; gsub(/&/, "\\&amp;", title[NR]); gsub(/</, "\\&lt;", title[NR]) }
        END {
            for (i = 1; i <= NR; i++)
                printf "%s|<nav class=\"kl-next\" aria-label=\"Chapters\">%s<span>%d of %d</span>%s</nav>\n", id[i], \
                    to(i - 1, "prev", "\342\206\220\302\240", ""), i, NR, to(i + 1, "next", "", "\302\240\342\206\222")
        }'
done | sed 's/&/\\&/g' | while IFS='|' read -r id nav; do
    sed -i "s|^</div></div><!-- contents -->|$nav\n&|" "$out/$id.html"
done
