#!/bin/sh
# sh toolkits.sh DROP_INS [NVCC..]: the programs of this folder that any toolkit may compile and that are right by themselves, as
# their headings say, compiled by each NVCC, run on the drop-in runtimes that lie in DROP_INS. Prints for each toolkit how many
# are right and which it cannot compile; fails when one goes wrong. 77 when there is no toolkit to try. $LADDER_ARCHITECTURES: what to
# compile for (sm_90). Without NVCC: those of $LADDER_TOOLKITS, separated by ':', else those that lie where packages put them.
# test: simulator/program/full/toolkits @RUNTIME@
drop_ins=$1
shift
if [ $# -eq 0 ]; then
    IFS=:
    # shellcheck disable=SC2046,SC2086 # split at colons
    set -- ${LADDER_TOOLKITS:-/usr/bin/nvcc:$(ls -d /usr/local/cuda-1[12].*/bin/nvcc 2>/dev/null | paste -sd: -)}
    unset IFS
fi
programs=$(grep -LE '^// (architectures|with|build|test: none)' "${0%/*}"/*/*.cu | grep -vE '/(errors|linked)/')
heading() { sed -n "s|^// $2: ||p" "$1"; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
tried=0 wrong=0
for nvcc; do
    "$nvcc" --version >"$scratch/version" 2>/dev/null || continue
    version=$(sed -n 's/.*release [0-9.]*, V\([0-9.]*\).*/\1/p' "$scratch/version")
    major=${version%%.*} minor=${version#*.}
    number=$((major * 100 + ${minor%%.*}))
    for architecture in ${LADDER_ARCHITECTURES:-sm_90}; do
        tried=$((tried + 1)) right=0 newer='' failed=''
        for source in $programs; do
            program=$(basename "$source" .cu) flags=$(heading "$source" options) since=$(heading "$source" since)
            since=${since:-11.8}
            if [ "$number" -lt $((${since%.*} * 100 + ${since#*.})) ]; then
                newer="$newer $program"
                continue
            fi
            # shellcheck disable=SC2086 # flags are words
            if "$nvcc" -std=c++17 -w -arch="$architecture" -cudart shared -Xcompiler -pthread $flags \
                -o "$scratch/program" "$source" >"$scratch/said" 2>&1 &&
                LD_LIBRARY_PATH=$drop_ins LADDER_SIM_MEMORY=4000000000 "$scratch/program" >"$scratch/said" 2>&1; then
                right=$((right + 1))
            else
                failed="$failed $program" wrong=1
                sed "s/^/$program: /" "$scratch/said" | head -n 5
            fi
        done
        echo "toolkit $version, $architecture: $right programs right, wrong:${failed:- none}; need a newer toolkit:${newer:- none}"
    done
done
[ "$tried" -gt 0 ] || { echo "skipped: no toolkit to try (LADDER_TOOLKITS names their nvcc)"; exit 77; }
exit $wrong
