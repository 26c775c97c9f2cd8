#!/bin/sh
# CUDA's runtime from PyPI, 13.0.96 and 13.5.37: libcudart.so.13 exports cudaProfilerStart and cudaProfilerStop, and no header declares them, neither
# of the runtime's wheel nor of those of the compiler (nvcc, crt, nvvm) and of cccl. cuda_profiler_api.h is in a wheel of its own, which none of
# these asks for: a program that builds with an installed toolkit does not with these wheels.
# Expected before it was run: the headers of the runtime's wheel declare what its library exports.
. "$(dirname "$0")/common.sh"
look() { # packages: whether the library has the functions, and which headers name them
    rm -rf "$work/venv"
    packages "$@" >&2
    tools=$("$python" -c 'import nvidia; print(list(nvidia.__path__)[0])')/cu13
    "$python" - "$tools" <<'P'
import ctypes, pathlib, sys
tools = pathlib.Path(sys.argv[1])
library = ctypes.CDLL(str(tools / "lib" / "libcudart.so.13"))
names = "cudaProfilerStart", "cudaProfilerStop"
print("exported" if all(hasattr(library, name) for name in names) else "not exported", end=", declared in: ")
print(*sorted(p.name for p in (tools / "include").rglob("*.h") if "cudaProfilerStart(void)" in p.read_text(errors="replace")))
P
}
same "13.0" "$(look nvidia-cuda-nvcc==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85)" "exported, declared in: "
same "13.5" "$(look nvidia-cuda-nvcc==13.5.37 nvidia-cuda-runtime==13.5.37)" "exported, declared in: "
same "13.5 with nvidia-cuda-profiler-api" "$(look nvidia-cuda-runtime==13.5.37 nvidia-cuda-profiler-api==13.5.25)" \
    "exported, declared in: cuda_profiler_api.h"
