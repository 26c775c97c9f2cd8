# Cross-compiles the kit for aarch64 on x86-64: see unit_tests.sh, which makes LADDER_ARM64, a folder with
#   sysroot  the libraries of Debian's arm64 packages
#   cuda     the toolkit at hand as nvcc looks for one of aarch64: the same compiler and headers, libraries without code
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LADDER_ARM64)

set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CUDA_COMPILER ${LADDER_ARM64}/cuda/bin/nvcc)
set(CMAKE_CUDA_HOST_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
set(CUDAToolkit_ROOT ${LADDER_ARM64}/cuda)

set(CMAKE_FIND_ROOT_PATH ${LADDER_ARM64}/sysroot ${LADDER_ARM64}/cuda)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,-rpath-link,${LADDER_ARM64}/sysroot/usr/lib/aarch64-linux-gnu)
