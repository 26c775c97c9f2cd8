# SPDX-License-Identifier: MIT
# Compiles SOURCE in each of the WAYS (separated by |) for ARCH, runs it, compares its output with GOLDEN.
# Variables: NVCC, SOURCE, GOLDEN, ARCH, WAYS, OUT (a folder for the programs).
file(MAKE_DIRECTORY ${OUT})
file(READ ${GOLDEN} golden)
string(REGEX REPLACE "#[^\n]*\n" "" golden "${golden}")
string(REPLACE "|" ";" ways "${WAYS}")
set(wrong "")
set(count 0)
foreach(way IN LISTS ways)
  math(EXPR count "${count} + 1")
  separate_arguments(options UNIX_COMMAND "${way}")
  execute_process(COMMAND ${NVCC} -std=c++17 -w -cudart shared -arch=sm_${ARCH} ${options} ${SOURCE}
                          -o ${OUT}/program
                  RESULT_VARIABLE failed OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(failed)
    string(APPEND wrong "\nsm_${ARCH} ${way}: does not compile\n${text}")
    continue()
  endif()
  execute_process(COMMAND ${OUT}/program RESULT_VARIABLE failed OUTPUT_VARIABLE text ERROR_VARIABLE errors)
  if(failed OR NOT text STREQUAL golden)
    string(APPEND wrong "\nsm_${ARCH} ${way}: status ${failed}\n${text}${errors}")
  endif()
endforeach()
if(wrong OR count EQUAL 0)
  message(FATAL_ERROR "of ${count} ways of compiling, wrong:${wrong}\nwanted\n${golden}")
endif()
message(STATUS "${count} ways of compiling for sm_${ARCH} give the same results")
