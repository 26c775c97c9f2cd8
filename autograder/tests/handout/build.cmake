# SPDX-License-Identifier: MIT
# A handout builds by itself, and what students do works in it: list, hint, run, check and grade of the skeleton; then with
# the solution of one step that was released. Builds it from nothing.
#   cmake -DLADDER=ladder -DWORK=folder -P build.cmake
# test: autograder/handout_works -DLADDER=@ladder@ -DWORK=@BUILD@/autograder/tests/handout_works
# labels: full
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

# Runs a command in the handout; it must end with CODE (0) and say what follows SAYS.
function(run)
  cmake_parse_arguments(PARSE_ARGV 0 run "" "CODE" "COMMAND;SAYS")
  if(NOT DEFINED run_CODE)
    set(run_CODE 0)
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=LADDER_BUILD_DIR ${run_COMMAND} WORKING_DIRECTORY ${WORK}
                  RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT code EQUAL run_CODE OR NOT "${output}${errors}" MATCHES "${run_SAYS}")
    message(FATAL_ERROR "${run_COMMAND}: ${code}, expected \"${run_SAYS}\"\n${output}${errors}")
  endif()
endfunction()

run(COMMAND ${LADDER} handout ${WORK}/kit --git SAYS "files, one commit")
set(home ${WORK})
set(WORK ${WORK}/kit)
run(COMMAND ./ladder list reduction SAYS "0  one_block +4  given.*1  interleaved +12  not implemented")
run(COMMAND ./ladder hint reduction 1 SAYS "Hint")
run(COMMAND ./ladder grade --help SAYS "Scores your own files.*--quick.*--json FILE[^\n]*\n  --help")
run(COMMAND ./ladder doctor SAYS "ok +labs +([0-9]+) of [0-9]+ are not built yet")
run(COMMAND ./ladder run reduction --quick --device sim SAYS "0  one_block +correct")
run(COMMAND ./ladder check reduction 0 SAYS "clean|[Nn]othing|no finding")
run(COMMAND ./ladder grade reduction --device sim SAYS "0  one_block +correct \\(given\\) +4 / 4.*1  interleaved +not implemented")
run(CODE 1 COMMAND ./ladder grade reduction --solution --device sim SAYS "solutions[ \n]+come[ \n]+after[ \n]+the[ \n]+deadline")
run(CODE 1 COMMAND ./ladder handout ${home}/second SAYS "this kit is a handout")
run(COMMAND ${LADDER} handout ${WORK} --release reduction 1 SAYS "1_interleaved.cu.*committed: git push hands it out")
run(COMMAND ./ladder run reduction 1 --solution --quick --device sim SAYS "1  interleaved +correct")
