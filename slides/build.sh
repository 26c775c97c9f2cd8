#!/bin/sh
# build.sh KIT OUT BUILD: every deck as HTML, PDF and a PDF with notes into OUT/slides, with a page that lists them. Needs npm and Chromium, and the
# decks' figures in BUILD/slides (docs/site/build.sh); the packages of package.json are installed there.
set -eu
kit=$(CDPATH='' cd -- "$1" && pwd -P)
mkdir -p "$2/slides/figures" "$3/slides"
out=$(CDPATH='' cd -- "$2/slides" && pwd -P)
work=$(CDPATH='' cd -- "$3/slides" && pwd -P)
docs=$(CDPATH='' cd -- "$3" && pwd -P)/docs/tools/ladder-docs
# Other packages that those of package.json need: the newest of this day, so that all who build get the same.
published=2026-11-28
if ! cmp -s "$kit/slides/package.json" "$work/installed.json" || [ ! -x "$work/node_modules/.bin/marp" ]; then
    rm -rf "$work/node_modules" "$work/package-lock.json"
    cp "$kit/slides/package.json" "$work/"
    (cd "$work" && PUPPETEER_SKIP_DOWNLOAD=1 npm install --before="$published" --no-package-lock --no-audit --no-fund \
        --loglevel=error --ignore-scripts >npm.log 2>&1) || {
        tail -n 20 "$work/npm.log" >&2
        echo "slides/build.sh: npm could not install the packages of slides/package.json" >&2
        exit 1
    }
    cp "$kit/slides/package.json" "$work/installed.json"
fi
rm -f "$work"/*.md "$work"/*.html
asking='Everybody writes an answer or a prediction down before anybody speaks. Where the next slide has a command, run it then.'
for deck in "$kit"/slides/[0-9][0-9]_*.md; do
    name=$(basename "$deck" .md)
    "$docs" numbers "$kit" "$kit/slides/facts.txt" "$deck" >"$work/$name.numbers"
    "$docs" check titled "$kit/slides" "$work" "$work/$name.numbers" >"$work/$name.filled"
    # Pictures of the labs lie beside those of the decks on the site.
    sed -n 's/.*](\(figures\/[^)]*\)).*/\1 \1/p; s/.*](\.\.\/\([^)]*\.svg\)).*/..\/\1 \1/p' "$work/$name.filled" |
        while read -r from flat; do
            case $from in figures/*) from=$work/$from ;; *) from=$kit/slides/$from ;; esac
            flat=${flat#figures/}
            cp "$from" "$out/figures/$(echo "$flat" | tr / _)"
        done
    # What all decks have in common. Their language would be that of the locale; notes are shown as they are written. A heading begins a slide.
    sed -e '1a\' -e 'lang: en\' -e 'theme: ladder\' -e 'paginate: true\' -e 'headingDivider: 1' -e '0,/^# /{/^# /a\' -e '<!-- _class: lead -->\n<!-- _paginate: false -->' -e '}' -e '/^# Question /a\' -e "<!-- _class: ask -->\\n<!-- $asking -->" -e '/^# Answer /a\' -e '<!-- _class: answer -->' -e '/^<!--$/,/^-->$/s/`//g' -e ':again' -e 's/](\.\.\/\([^)]*\)\/\([^)/]*\.svg\))/](..\/\1_\2)/;tagain' -e 's/](\.\.\//](figures\//' \
        "$work/$name.filled" >"$work/$name.md"
done
marp="$work/node_modules/.bin/marp --no-stdin --allow-local-files --theme $kit/slides/theme/ladder.css"
(cd "$work" && $marp -I . -o "$out" >marp.log 2>&1 && $marp --template bare -I . -o "$work/bare" >>marp.log 2>&1) || {
    cat "$work/marp.log" >&2
    exit 1
}
cp -r "$out/figures" "$work/bare/"
cp "$kit/slides/browser.mjs" "$kit/slides/picture.mjs" "$work/"
{
    printf '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Kernel Ladder: slides</title>\n'
    printf '<meta name="viewport" content="width=device-width"><style>:root{color-scheme:light dark}\n'
    printf '%s\n' 'body{background:#fff;color:#222}a{color:#0b57a0}@media(prefers-color-scheme:dark){body{background:#0d1117;color:#ddd}a{color:#8ab4f8}}'
    printf 'body{margin:2rem auto;max-width:68rem;padding:0 1rem;font:1.05rem/1.5 sans-serif}'
    printf 'ul{list-style:none;margin:1.5rem 0;padding:0;display:grid;gap:.9rem;grid-template-columns:repeat(auto-fill,minmax(min(100%%,15rem),1fr))}'
    printf 'li{border:1px solid #8886;border-radius:8px;padding:.9rem 1rem;display:flex;flex-direction:column;gap:.4rem}li img{width:12em;max-width:100%%;height:3.2rem;object-fit:contain;object-position:left}'
    printf 'li>a{font-weight:600;flex:1}li p{margin:0;font-size:.9rem}</style>\n'
    printf '<script src="../find.js"></script></head>\n'
    printf '<body><main><h1>Slides</h1><p><a href="../index.html">Kernel Ladder</a>. In a deck, the key P shows the speaker notes, O all slides.</p><ul>\n'
    for deck in "$kit"/slides/[0-9][0-9]_*.md; do
        name=$(basename "$deck" .md)
        thumb=$kit/labs/$name/thumb.svg picture=
        [ ! -f "$thumb" ] || { cp "$thumb" "$out/figures/${name}_thumb.svg" && picture="<img src=\"figures/${name}_thumb.svg\" alt=\"\">"; }
        printf '<li>%s<a href="%s.html">%s</a><p>%s</p><p><a href="%s.pdf">PDF</a>, <a href="%s_notes.pdf">PDF with notes</a></p></li>\n' "$picture" "$name" \
            "$(sed -n "s/^title: //p" "$deck" | sed "s/^'\(.*\)'\$/\1/")" \
            "$(sed -n 's/.*[Aa]bout \([0-9]* minutes\).*/\1/p; s/^\(Two meetings of [0-9]* minutes\).*/\1/p' "$deck" | head -n 1)" "$name" "$name"
    done
    printf '</ul></main></body></html>\n'
} >"$out/index.html"
(cd "$work" && node browser.mjs print "$out" bare/*.html && node browser.mjs notes "$out" bare/*.html && node browser.mjs stills "$out/..")
