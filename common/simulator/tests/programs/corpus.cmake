# SPDX-License-Identifier: MIT
# Compiles SOURCE to PTX in several ways and asks sim-dump for functions that cannot run: there must be none.
# Variables: NVCC, SIM_DUMP, SOURCE, OUT (a folder).
file(MAKE_DIRECTORY ${OUT})
set(wrong "")
foreach(way "-O3 -arch=compute_75" "-O3 -arch=compute_80" "-O3 -arch=compute_90" "-G -arch=compute_75"
            "-G -arch=compute_90" "-O3 -use_fast_math -rdc=true -lineinfo -arch=compute_90")
  separate_arguments(options UNIX_COMMAND "${way}")
  execute_process(COMMAND ${NVCC} -ptx -std=c++17 -w ${options} ${SOURCE} -o ${OUT}/corpus.ptx
                  RESULT_VARIABLE failed OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT failed)
    execute_process(COMMAND ${SIM_DUMP} refused ${OUT}/corpus.ptx RESULT_VARIABLE failed
                    OUTPUT_VARIABLE text ERROR_VARIABLE errors)
    string(APPEND text "${errors}")
    if(failed OR NOT text STREQUAL "")
      string(APPEND wrong "\n${way}:\n${text}")
    endif()
  else()
    string(APPEND wrong "\n${way}: does not compile\n${text}")
  endif()
endforeach()
if(wrong)
  message(FATAL_ERROR "${SOURCE}:${wrong}")
endif()
