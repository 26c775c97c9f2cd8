#!/bin/sh
# Builds the libFuzzer targets with clang, AddressSanitizer and UBSan: fuzz/build.sh OUTPUT_FOLDER
# Then, say: OUTPUT_FOLDER/fuzz_ptx -max_total_time=60 CORPUS_FOLDER common/simulator/tests/golden
set -eu
out=${1:?usage: fuzz/build.sh OUTPUT_FOLDER}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/.."
cmake -DCOVERAGE=../validation/coverage.md -DOUTPUT="$out/evidence.def" -P program/evidence.cmake
flags="-std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -I. -I../base -I$out"
libraries="-lm"
modules="../base/*.c base/*.c device/*.c image/*.c ptx/*.c program/*.c decode/*.c decode/*/*.c memory/texture.c"
for target in ptx decode fatbin cubin; do
    clang $flags fuzz/fuzz_$target.c $modules $libraries -o "$out/fuzz_$target"
done
clang $flags fuzz/fuzz_variables.c debug/variables/[!w]*.c ../base/*.c base/*.c ptx/*.c $libraries -ldw -lelf -lstdc++ -o "$out/fuzz_variables"
base=../base
host=../host
sparse=../topics/sparse
files=../files
clang $flags -I$host -I$files -I$sparse $sparse/fuzz_mtx.c $sparse/sparse.c $sparse/matrix_market.c $files/byte_source.c \
    $sparse/line_reader.c $host/error.c $base/error_record.c -lm -o "$out/fuzz_mtx"
images=../topics/images
clang $flags -I$host -I$files -I$images $images/fuzz_images.c $images/images.c $images/idx.c $images/cifar.c $files/byte_source.c \
    $host/error.c $host/table.c $base/error_record.c -lm -o "$out/fuzz_images"
training=../topics/training
clang $flags -I$host -I$files -I$images -I$training $training/fuzz_checkpoint.c $training/checkpoint.c \
    $host/atomic_file.c $files/byte_source.c $host/error.c $base/error_record.c -o "$out/fuzz_checkpoint"
grader=../../autograder
description=$grader/grade/description
clang $flags -I$host -I$grader $grader/tests/rubric/fuzz_description.c $description/check.c $description/tables.c \
    $grader/utilities/sha256.c $grader/utilities/text.c $grader/utilities/defence_on.c $host/json_read.c $host/error.c \
    $base/error_record.c -o "$out/fuzz_description"
