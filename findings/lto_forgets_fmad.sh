#!/bin/sh
# NVRTC 13.5.37 with -dlto, nvJitLink 13.5.37: what was said of floats when a kernel was compiled is forgotten when it is linked. Compiled with
# -fmad=false, a * b + c is an FFMA, and compiled with -ftz=true it keeps numbers below the smallest normal one; only -fma=0 and -ftz=1 at the
# link count, for all kernels of the program. A kernel that needs its own product (a compensated sum) changes once it is linked so.
# Expected before it was run: each kernel keeps how it was compiled, as the code of -fmad=false has a product and a sum.
. "$(dirname "$0")/common.sh"
packages nvidia-cuda-nvrtc==13.5.37 nvidia-nvjitlink==13.5.37 nvidia-cuda-nvdisasm==13.5.37
cat >"$work/link.py" <<'PY'
import ctypes, nvidia, os, pathlib, re, subprocess
root = list(nvidia.__path__)[0] + "/cu13/"
os.chmod(root + "bin/nvdisasm", 0o755)
nvrtc, linker = (ctypes.CDLL(f"{root}lib/lib{name}.so.13") for name in ("nvrtc", "nvJitLink"))
def options(*given):
    return len(given), (ctypes.c_char_p * len(given))(*(o.encode() for o in given))
def take(size, get, handle):
    n = ctypes.c_size_t()
    size(handle, ctypes.byref(n))
    data = ctypes.create_string_buffer(n.value)
    assert get(handle, data) == 0
    return data.raw
for compiled, linked in ("-fmad=false", "-O3"), ("-fmad=false", "-fma=0"), ("-ftz=true", "-O3"), ("-ftz=true", "-ftz=1"):
    program, link = ctypes.c_void_p(), ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), b"__global__ void k(float *f) { f[0] = f[1] * f[2] + f[3]; }", b"k", 0, None, None)
    nvrtc.nvrtcCompileProgram(program, *options("-arch=sm_90", "-dlto", compiled))
    code = take(nvrtc.nvrtcGetLTOIRSize, nvrtc.nvrtcGetLTOIR, program)
    linker.nvJitLinkCreate(ctypes.byref(link), *options("-arch=sm_90", "-lto", linked))
    linker.nvJitLinkAddData(link, 3, code, len(code), b"k")
    linker.nvJitLinkComplete(link)
    pathlib.Path(__file__ + ".cubin").write_bytes(take(linker.nvJitLinkGetLinkedCubinSize, linker.nvJitLinkGetLinkedCubin, link))
    text = subprocess.run([root + "bin/nvdisasm", __file__ + ".cubin"], capture_output=True, text=True).stdout
    print(compiled, "linked", linked + ":", *re.findall(r" ((?:FFMA|FMUL|FADD)[.A-Z]*)", text))
PY
same "a * b + c" "$("$python" "$work/link.py")" "-fmad=false linked -O3: FFMA
-fmad=false linked -fma=0: FMUL FADD
-ftz=true linked -O3: FFMA
-ftz=true linked -ftz=1: FFMA.FTZ"
