# SPDX-License-Identifier: MIT
# Runs one sample program: it must exit with 0, say "NAME: passed", and print what an H100's run printed
# where the file PRINTED has that. cmake -DPROGRAM=.. -DNAME=.. -DPRINTED=.. -P run_sample.cmake
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE status)
if(NOT status EQUAL 0 OR NOT output MATCHES "\n${NAME}: passed\n$")
  message(FATAL_ERROR "${NAME} ended with ${status}:\n${output}${errors}")
endif()
if(EXISTS ${PRINTED})
  file(READ ${PRINTED} printed)
  if(NOT output STREQUAL printed)
    message(FATAL_ERROR "${NAME} printed\n${output}\nand on the GPU (${PRINTED})\n${printed}")
  endif()
endif()
