#!/bin/sh
# wgsl_reflect 1.6.0 (npm), whose WgslExec executes WGSL shaders on the CPU, as WebGPU Inspector's debugger does: u32 and i32 are
# JavaScript's numbers. `>>` of a u32 copies the sign, so that 0xffffffff >> 1 stays 0xffffffff; a product of two u32 is rounded to
# the 53 bits of a double before it wraps, so that hashes and random numbers of a shader come out differently; u32(-1.0) is the
# largest u32, where WGSL clamps to 0; round(2.5) is 3, where WGSL rounds to even. Sums wrap as they should.
# Expected before it was run: 32-bit integers as in WGSL, 2147483647, 2537071545, 0 and 2.
. "$(dirname "$0")/common.sh"
(cd "$work" && npm install --silent --no-fund --no-audit wgsl_reflect@1.6.0 >/dev/null)
cat >"$work/run.mjs" <<'JS'
import { WgslExec, WgslParser } from "./node_modules/wgsl_reflect/wgsl_reflect.module.js";
const shader = `
@group(0) @binding(0) var<storage, read_write> u: array<u32>;
@group(0) @binding(1) var<storage, read_write> f: array<f32>;
@compute @workgroup_size(1)
fn main() {
    u[1] = u[0] + 1u;
    u[2] = u[0] >> 1u;
    u[4] = u[3] * u[3];
    u[5] = u32(f[0]);
    f[2] = round(f[1]);
}`;
const u = new Uint32Array([0xffffffff, 7, 7, 123456789, 7, 7]), f = new Float32Array([-1, 2.5, 7]);
new WgslExec(new WgslParser().parse(shader)).dispatchWorkgroups("main", 1, { 0: { 0: u, 1: f } });
console.log(`0xffffffff + 1: ${u[1]}, >> 1: ${u[2]}`);
console.log(`123456789 squared: ${u[4]}`);
console.log(`u32(-1.0): ${u[5]}, round(2.5): ${f[2]}`);
JS
same "WGSL on the CPU" "$(node "$work/run.mjs")" "0xffffffff + 1: 0, >> 1: 4294967295
123456789 squared: 2537071544
u32(-1.0): 4294967295, round(2.5): 3"
