#!/bin/sh
# build.sh KIT SITE PAGES DECKS: the search of all pages into the folder SITE, in place of Doxygen's, which knows names only. PAGES:
# the pages as docs/site/build.sh staged them; DECKS: the folder of slides/build.sh, in which npm has installed MiniSearch.
set -eu
here=$1/docs/site/search
cp "$here/find.js" "$here/find.css" "$2/"
node "$here/index.mjs" "$2" "$3" "$4" >"$2/find-data.js"
{
    echo '/*! MiniSearch, https://github.com/lucaong/minisearch'
    cat "$4/node_modules/minisearch/LICENSE.txt"
    echo '*/'
    sed '/^\/\/# sourceMappingURL/d' "$4/node_modules/minisearch/dist/umd/index.js"
} >"$2/minisearch.js"
