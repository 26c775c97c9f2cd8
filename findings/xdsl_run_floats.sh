#!/bin/sh
# xDSL 0.74.0, whose xdsl-run executes MLIR without a compiler: integers wrap at their width, but sums and products of f32, f16 and
# bf16 are those of doubles and are never rounded. 2^24 + 1 of f32 is 16777217, 65504 + 65504 of f16 is 131008 and not
# infinity, 256 + 1 of bf16 is 257. Literals are rounded to their type, so that it looks like arithmetic of that type.
# Expected before it was run: results rounded to the type, as integers are: 16777216, infinity and 256.
. "$(dirname "$0")/common.sh"
packages xdsl==0.74.0
cat >"$work/sums.mlir" <<'MLIR'
builtin.module {
  func.func @main() {
    %max = arith.constant 2147483647 : i32
    %one = arith.constant 1 : i32
    %wrapped = arith.addi %max, %one : i32
    %a = arith.constant 16777216.0 : f32
    %b = arith.constant 1.0 : f32
    %single = arith.addf %a, %b : f32
    %c = arith.constant 65504.0 : f16
    %half = arith.addf %c, %c : f16
    %d = arith.constant 256.0 : bf16
    %e = arith.constant 1.0 : bf16
    %brain = arith.addf %d, %e : bf16
    printf.print_format "i32 {} f32 {} f16 {} bf16 {}", %wrapped : i32, %single : f32, %half : f16, %brain : bf16
    func.return
  }
}
MLIR
same "sums" "$("$work/venv/bin/xdsl-run" "$work/sums.mlir")" "i32 -2147483648 f32 16777217.0 f16 131008.0 bf16 257.0"
