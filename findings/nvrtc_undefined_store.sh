#!/bin/sh
# NVRTC 13.5.37: a store of a shift beyond the width or of a division by zero is left out where both
# operands are known, so that the memory keeps what it had: no 0, no error. With operands of run time 1u << 33 is a shl, which gives 0 on each
# card, and 5 / 0 a div. (int)3e9f is converted on the card, where it is 2147483647. A test with constants tries another program.
# Expected before it was run: 0 for the shift, as the card's, and -1 for the division.
. "$(dirname "$0")/common.sh"
packages nvidia-cuda-nvrtc==13.5.37
cat >"$work/run.py" <<'PY'
import ctypes, nvidia, re
nvrtc = ctypes.CDLL(list(nvidia.__path__)[0] + "/cu13/lib/libnvrtc.so.13")
def code(what, expression):
    program, n = ctypes.c_void_p(), ctypes.c_size_t()
    text = "__global__ void k(int *out, int a, int b) { int one = 1, five = 5, zero = 0, s = 33; float big = 3e9f; out[0] = " + expression + "; }"
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"k.cu", 0, None, None)
    arch = (ctypes.c_char_p * 1)(b"-arch=sm_90")
    assert nvrtc.nvrtcCompileProgram(program, 1, arch) == 0
    nvrtc.nvrtcGetPTXSize(program, ctypes.byref(n))
    ptx = ctypes.create_string_buffer(n.value)
    nvrtc.nvrtcGetPTX(program, ptx)
    print(what + ":", *re.findall(r"\t((?:shl|shr|div|rem|cvt\.rzi|st\.global)[.a-z0-9]*)", ptx.value.decode()))
for what in "one << s", "-8 >> s", "five / zero", "five % zero", "(-2147483647 - 1) / -one", "(int)big", "a << b", "a / b":
    code(what, what)
PY
same "what is left in PTX" "$("$python" "$work/run.py")" "one << s:
-8 >> s:
five / zero:
five % zero:
(-2147483647 - 1) / -one:
(int)big: cvt.rzi.s32.f32 st.global.u32
a << b: shl.b32 st.global.u32
a / b: div.s32 st.global.u32"
