# SPDX-License-Identifier: MIT
# Test: a section of a transcript program (programs/transcript.h) answers as an H100 did.
#   cmake -DPROGRAM=.. -DSECTION=name -DGOLDEN=file.txt -P transcript.cmake
execute_process(COMMAND ${PROGRAM} ${SECTION} OUTPUT_VARIABLE got RESULT_VARIABLE status)
file(READ ${GOLDEN} golden)
string(FIND "${golden}" "-- ${SECTION}\n" start)
if(start EQUAL -1)
  message(FATAL_ERROR "${GOLDEN} has no section ${SECTION}")
endif()
string(SUBSTRING "${golden}" ${start} -1 want)
string(SUBSTRING "${want}" 3 -1 rest)
string(FIND "${rest}" "\n-- " end)
if(NOT end EQUAL -1)
  math(EXPR end "${end} + 4")
  string(SUBSTRING "${want}" 0 ${end} want)
endif()
if(NOT status EQUAL 0 OR NOT got STREQUAL want)
  message(FATAL_ERROR "status ${status}; got\n${got}\nwanted\n${want}")
endif()
