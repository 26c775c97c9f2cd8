# SPDX-License-Identifier: MIT
# What a handout shows of a command's output is what the command prints. A handout says
#     <!-- ladder:output FIRST | COMMAND -->
#     ```
#     ..
#     ```
#     <!-- /ladder:output -->
# COMMAND: of ladder, its arguments. FIRST: how the first line of the part that is shown begins; it ends at an empty line
# or where the output ends.
# Called with -DLADDER=program -DHANDOUT=README.md, and -DUPDATE=ON to write what is printed into the handout.
file(READ "${HANDOUT}" text)
string(REGEX MATCHALL "<!-- ladder:output [^\n]* -->" marks "${text}")
if(NOT marks)
  message(FATAL_ERROR "${HANDOUT}: no \"<!-- ladder:output\" in it")
endif()
foreach(mark IN LISTS marks)
  string(REGEX MATCH "ladder:output (.*) \\| (.*) -->" matched "${mark}")
  set(first "${CMAKE_MATCH_1}")
  string(REPLACE " " ";" arguments "${CMAKE_MATCH_2}")
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env --unset=COLUMNS "${LADDER}" ${arguments}
                  OUTPUT_VARIABLE printed RESULT_VARIABLE code)
  string(FIND "${printed}" "${first}" begin)
  # A check that finds what it is shown for ends with 1.
  if(NOT (code EQUAL 0 OR (code EQUAL 1 AND arguments MATCHES "^check;")) OR begin LESS 0)
    message(FATAL_ERROR "${CMAKE_MATCH_2}: exit status ${code}; \"${first}\" was not printed")
  endif()
  string(SUBSTRING "${printed}" ${begin} -1 printed)
  string(FIND "${printed}\n" "\n\n" end)
  math(EXPR end "${end} + 1")
  string(SUBSTRING "${printed}" 0 ${end} printed)
  set(due "${mark}\n```\n${printed}```\n<!-- /ladder:output -->")
  string(FIND "${text}" "${mark}" at)
  string(SUBSTRING "${text}" ${at} -1 shown)
  string(FIND "${shown}" "<!-- /ladder:output -->" end)
  math(EXPR end "${end} + 23")
  string(SUBSTRING "${shown}" 0 ${end} shown)
  if(shown STREQUAL due)
    continue()
  elseif(UPDATE)
    string(REPLACE "${shown}" "${due}" text "${text}")
  else()
    message(FATAL_ERROR "${HANDOUT}: \"${mark}\" is not what the command prints now:\n${printed}\n"
      "Write it there with: cmake -DLADDER=build/autograder/ladder -DHANDOUT=${HANDOUT} "
      "-DUPDATE=ON -P autograder/tests/commands/handout_output.cmake")
  endif()
endforeach()
if(UPDATE)
  file(WRITE "${HANDOUT}" "${text}")
endif()
