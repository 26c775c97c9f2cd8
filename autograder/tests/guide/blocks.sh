#!/bin/sh
# Does play.awk take the command blocks of a page, and no others, with what is expected of them? usage: blocks.sh WORK
# test: autograder/guide_blocks @WORK@
set -u
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$1"
mkdir -p "$1/out"
cd "$1" || exit 1
wrong=
is() { # file, its text
    [ "$(cat "out/$1" 2>&1)" = "$2" ] || wrong="$wrong $1 is not \"$2\";"
}
cat >page.md <<'TEXT'
~~~
```sh
first
second
```
<!-- play status: any -->
<!-- play: test 1 -->
<!-- play: test 2 -->
text, `./ladder list`
```json
{"none": 1}
```
1. In a list:

   ```sh
   third
   ```
   <!-- play status: 1 -->
<!-- /ladder:other -->
TEXT
awk -v out=out -f "$here/play.awk" page.md || wrong="$wrong the page is refused;"
is 01.sh 'first
second'
is 01.status any
is 01.check 'test 1
test 2'
is 02.sh '   third'
is 02.status 1
is 02.check ''
[ -e out/03.sh ] && wrong="$wrong a third block;"
for bad in '<!-- play status 1 -->' '<!-- play: x' '<!-- plays: x -->'; do
    { cat page.md; echo "$bad"; } >bad.md
    awk -v out=out -f "$here/play.awk" bad.md >/dev/null && wrong="$wrong taken: $bad;"
done
echo 'no block' >none.md
awk -v out=out -f "$here/play.awk" none.md && wrong="$wrong a page without blocks is taken;"
[ -z "$wrong" ] && echo 'blocks are found' && exit 0
echo "$wrong"
exit 1
