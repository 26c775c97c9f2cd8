#!/bin/sh
# Times of the labs' steps at the shapes of shapes.txt, as CSV: lab,case,size,step,name,us,low_us,high_us
#   time.sh LABS DEVICE FOLDER [CSV]     LABS: build/labs; DEVICE: gpu, or a card to simulate; FOLDER takes each run's output
# SHAPES, if set, is read instead of shapes.txt. Shapes that CSV has already are left out. On a GPU medians with their
# intervals, one run after the other; else JOBS (all cores) runs at once. stored.sh gives what labs/measured has.
set -eu
[ $# -eq 3 ] || [ $# -eq 4 ] || {
    echo "usage: $0 LABS DEVICE FOLDER [CSV]" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
labs=$1 device=$2 folder=$3 had=${4:-/dev/null}
mkdir -p "$folder"
if [ "$device" = gpu ]; then jobs=1; else jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}; fi
export here labs device folder
awk -F '[ ,]' 'FILENAME != "-" { had[$1, $2, $3] = 1; next }
    /^[a-z]/ { for (i = 3; i <= NF; i++) if (!(($1, $2, $i) in had)) print $1, $2, $i }' "$had" - <"${SHAPES:-$here/shapes.txt}" >"$folder/wanted.txt"
# A run that fails leaves its message, and the others go on.
# shellcheck disable=SC2016 # expanded by the inner shell
xargs -P "$jobs" -n 3 sh -c '
    to=$folder/$1-$2-$3
    if "$labs"/[0-9]*_"$1"/"$1" --solution --device "$device" --case "$2" --size "$3" --json "$to.json" >"$to.txt" 2>&1; then
        awk -f "$here/../../../lab/run_rows.awk" "$to.json" >"$to.csv"
    else
        echo "time.sh: $1 $2 $3 failed" >&2
        tail -n 3 "$to.txt" >&2
    fi' time <"$folder/wanted.txt"
echo "lab,case,size,step,name,us,low_us,high_us"
while read -r lab case size; do
    [ ! -f "$folder/$lab-$case-$size.csv" ] || cat "$folder/$lab-$case-$size.csv"
done <"$folder/wanted.txt"
