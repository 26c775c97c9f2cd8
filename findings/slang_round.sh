#!/bin/sh
# Slang 2026.12 (slangpy 0.43.1), shaders compiled for the CPU device: round(0.5) and round(2.5) are 1 and 3, where HLSL, whose
# language it is, rounds halves to even (0 and 2, Direct3D's round_ne). lerp(1e20, 1, 1) is 0 and not 1, since it is
# x + s (y - x), and clamp of NaN between 0.25 and 1 is 0.25. So a shader that is tested on the CPU quantises differently there.
# Expected before it was run: 0 and 2, as on Direct3D, and 1.
. "$(dirname "$0")/common.sh"
packages slangpy==0.43.1 numpy==2.4.6
cat >"$work/round.slang" <<'SLANG'
[shader("compute")] [numthreads(1, 1, 1)]
void go(RWStructuredBuffer<float> x, RWStructuredBuffer<float> y)
{
    for (int i = 0; i < 4; i++) y[i] = round(x[i]);
    y[4] = lerp(x[4], 1.0f, 1.0f);
    y[5] = clamp(x[5], 0.25f, 1.0f);
}
SLANG
cat >"$work/run.py" <<'PY'
import os, numpy as np, slangpy as spy
device = spy.create_device(type=spy.DeviceType.cpu, include_paths=[os.path.dirname(__file__)])
kernel = device.create_compute_kernel(device.load_program("round.slang", ["go"]))
usage = spy.BufferUsage.shader_resource | spy.BufferUsage.unordered_access
x = np.array([0.5, 1.5, 2.5, -0.5, 1e20, np.nan], np.float32)
x, y = (device.create_buffer(size=24, struct_size=4, usage=usage, data=a) for a in (x, x * 0))
kernel.dispatch(thread_count=[1, 1, 1], x=x, y=y)
print("result:", *y.to_numpy().view(np.float32))
PY
same "round of 0.5, 1.5, 2.5, -0.5; lerp(1e20, 1, 1); clamp(NaN)" "$("$python" "$work/run.py" 2>/dev/null | grep result)" "result: 1.0 2.0 3.0 -1.0 0.0 0.25"
