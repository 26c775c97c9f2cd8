#!/bin/sh
# sh new_cards.sh NVCC KIT WORK: every step of every lab's solution is compiled for the cards of 2025, sm_100 and sm_120: once as for such
# a card, and once from the PTX of compute capability 9.0, as its driver does. Steps fail that are for 9.0 alone ("exact" in lab.json), and no
# other. The row that it prints stands in docs/new_cards.md, where the compiler is one of those of that page.
# test: autograder/new_cards @NVCC@ @SOURCE@ @WORK@
# labels: full
set -eu
nvcc=$1 kit=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
version=$("$nvcc" --version | sed -n 's/.*, V\([0-9.]*\).*/\1/p')
"$nvcc" --list-gpu-code | grep -q '^sm_120$' || {
    echo "CUDA $version does not compile for sm_120"
    exit 77
}
quick="-D_GLIBCXX_BITS_SPECFUN_H -D_CG_LIMIT_INCLUDED_DEPENDENCIES -D_BITS_FLOATN_H -D_BITS_FLOATN_COMMON_H"
cd "$kit"
done=0 all=0 failed='' wanted=''
for source in labs/*/steps/*.cu; do
    lab=${source#labs/} file=${source##*/}
    lab=${lab%%/*}
    [ ! -f "solutions/${source#labs/}" ] || source=solutions/${source#labs/}
    all=$((all + 1))
    ! grep "\"file\": \"$file\"" "labs/$lab/lab.json" | grep -q '"exact": true' || wanted="$wanted ${lab#*_}/${file%%_*}"
    # shellcheck disable=SC2086
    if "$nvcc" -std=c++17 -O3 $quick -Icommon/host -Icommon/base -Icommon/gpu -Icommon/topics/sparse -I"labs/$lab" -fatbin \
        -gencode arch=compute_90,code=sm_100 -gencode arch=compute_90,code=sm_120 -gencode arch=compute_100,code=sm_100 \
        -gencode arch=compute_120,code=sm_120 "$source" -o "$work/step.fatbin" >"$work/said" 2>&1; then
        done=$((done + 1))
    else
        failed="$failed ${lab#*_}/${file%%_*}"
    fi
done
row="| $version | $done of $all | ${failed# } |"
echo "$row"
[ "$failed" = "$wanted" ] || {
    echo "for 9.0 alone are:$wanted"
    exit 1
}
! grep -q "^| $version |" docs/new_cards.md || grep -qxF "$row" docs/new_cards.md || {
    echo "docs/new_cards.md has another row"
    exit 1
}
