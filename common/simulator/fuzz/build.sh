#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the libFuzzer targets with clang, AddressSanitizer and UBSan: fuzz/build.sh OUTPUT_FOLDER
# Then, say: OUTPUT_FOLDER/fuzz_ptx -max_total_time=60 CORPUS_FOLDER common/simulator/tests/ptx
set -eu
out=${1:?usage: fuzz/build.sh OUTPUT_FOLDER}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/.."
flags="-std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -I."
libraries=""
for codec in zstd lz4; do
    if echo "#include <$codec.h>" | clang -E - >/dev/null 2>&1; then
        upper=$(echo $codec | tr a-z A-Z)
        flags="$flags -DSIM_HAVE_$upper"
        libraries="$libraries -l$codec"
    fi
done
common="status.c arena.c"
clang $flags fuzz/fuzz_ptx.c $common ptx_lex.c ptx_ast.c ptx_parse*.c ptx_dump.c -o "$out/fuzz_ptx"
decoder="decode_*.c cfg.c lines.c program.c program_print.c"
clang $flags fuzz/fuzz_decode.c $common ptx_lex.c ptx_ast.c ptx_parse*.c $decoder -lm -o "$out/fuzz_decode"
clang $flags fuzz/fuzz_fatbin.c $common fatbin.c fatbin_payload.c $libraries -o "$out/fuzz_fatbin"
clang $flags fuzz/fuzz_cubin.c $common cubin.c cubin_info.c cubin_lines.c -o "$out/fuzz_cubin"
host=../host
sparse=../sparse
clang $flags -I$host -I$sparse $sparse/fuzz_mtx.c $sparse/sparse.c $sparse/sparse_padded.c $sparse/matrix_market.c $sparse/byte_source.c \
    $sparse/line_reader.c $sparse/number_text.c $sparse/mtx_block.c $sparse/mtx_input.c $sparse/mtx_pool.c $host/error.c -lm -lpthread -o "$out/fuzz_mtx"
