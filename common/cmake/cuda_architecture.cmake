# Pins the GPU architecture: the card's own when there is one, otherwise 90 (what the simulator models). The environment's
# CUDAARCHS or -DCMAKE_CUDA_ARCHITECTURES names another one, as 52. Machine code and PTX of that one are built.
# nvcc outside PATH is found where the toolkit's installer puts it.
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(LADDER_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
  if(LADDER_NVCC)
    set(CMAKE_CUDA_COMPILER ${LADDER_NVCC} CACHE FILEPATH "nvcc")
  endif()
endif()

# The latest architecture for which this toolkit compiles and which a card of compute capability `card` (86: 8.6) runs: the
# driver of a later card compiles the PTX. For a card that is older than all of them 90, and a message.
function(ladder_architecture_for card out)
  set(compiler ${CMAKE_CUDA_COMPILER})
  if(NOT compiler)
    set(compiler $ENV{CUDACXX})
  endif()
  execute_process(COMMAND ${compiler} --list-gpu-arch OUTPUT_VARIABLE known ERROR_QUIET)
  string(REGEX MATCHALL "compute_[0-9]+" known "${known}")
  list(TRANSFORM known REPLACE "compute_" "")
  if(NOT known) # it does not tell
    set(known ${card})
  endif()
  list(SORT known COMPARE NATURAL)
  list(GET known 0 oldest)
  set(best 90)
  if(card LESS oldest)
    message(STATUS "GPU: of an architecture (sm_${card}) before all that this toolkit compiles for (from sm_${oldest} on): labs "
                   "run on the simulator. An older toolkit compiles for it.")
  else()
    foreach(architecture IN LISTS known)
      if(architecture LESS_EQUAL card)
        set(best ${architecture})
      endif()
    endforeach()
  endif()
  set(${out} ${best} PARENT_SCOPE)
endfunction()

if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(ladder_architecture 90)
  find_program(LADDER_NVIDIA_SMI nvidia-smi)
  if(DEFINED ENV{CUDAARCHS})
    set(ladder_architecture $ENV{CUDAARCHS})
  elseif(LADDER_NVIDIA_SMI)
    execute_process(COMMAND ${LADDER_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
                    OUTPUT_VARIABLE ladder_caps ERROR_QUIET RESULT_VARIABLE ladder_smi_result
                    TIMEOUT 600)
    if(ladder_smi_result EQUAL 0 AND ladder_caps MATCHES "^([0-9]+)\\.([0-9]+)")
      ladder_architecture_for("${CMAKE_MATCH_1}${CMAKE_MATCH_2}" ladder_architecture)
    endif()
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${ladder_architecture} CACHE STRING "GPU architecture")
endif()

# For every run of nvcc, CMake's own trials and the grader's builds included; the machine code is the same.
# - libstdc++'s special functions (Bessel and the like), which <cmath> brings into each file since C++17 and no kernel can
#   call, count as included already. They and the headers under them are a quarter of the time of a build.
# - cooperative_groups.h does without libcu++, with whose headers a file takes 6 s instead of 1.2 s. What it offers for
#   cuda::atomic is missing then (reduce_update_async and the like): a file that calls it undefines the macro first.
# - glibc's functions of _Float32, _Float64x and the like, which no nvcc source can name, count as included already: a
#   thirtieth of the time.
set(LADDER_NVCC_QUICK -D_GLIBCXX_BITS_SPECFUN_H -D_CG_LIMIT_INCLUDED_DEPENDENCIES -D_BITS_FLOATN_H -D_BITS_FLOATN_COMMON_H)
list(JOIN LADDER_NVCC_QUICK " " CMAKE_CUDA_FLAGS_INIT)
