# SPDX-License-Identifier: MIT
# `ladder new-lab` in a copy of the kit: the lab is built, run, graded and tested without a change to any other file.
# Builds the copy from nothing.   cmake -DSOURCE=kit -DWORK=folder -P new_lab_full.cmake
# test: autograder/new_lab_full -DSOURCE=@SOURCE@ -DWORK=@WORK@
# labels: full
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
foreach(part CMakeLists.txt README.md .clang-format autograder common docs labs ladder slides solutions)
  file(COPY ${SOURCE}/${part} DESTINATION ${WORK})
endforeach()

# Runs a command in the copy; it must end with 0 and say what follows SAYS.
function(run)
  cmake_parse_arguments(PARSE_ARGV 0 run "" "" "COMMAND;SAYS")
  execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=LADDER_BUILD_DIR ${run_COMMAND} WORKING_DIRECTORY ${WORK}
                  RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT code EQUAL 0 OR NOT output MATCHES "${run_SAYS}")
    message(FATAL_ERROR "${run_COMMAND}: ${code}, expected \"${run_SAYS}\"\n${output}${errors}")
  endif()
endfunction()

run(COMMAND ./ladder new-lab 42_stencil SAYS "Lab 42_stencil: 17 files")
run(COMMAND ./ladder list SAYS "42_stencil .*1  neighbours")
run(COMMAND ./ladder run stencil --solution --quick --device sim SAYS "0  runs +correct.*1  neighbours +correct.*1  sectors per global load request +28.6 +3.67 +4")
run(COMMAND ./ladder skeleton stencil --check SAYS "0 made, 0 removed, 2 up to date, 0 edited")
run(COMMAND ./ladder questions stencil --check)
run(COMMAND sh slides/live.sh build/autograder/ladder slides/42_stencil.md SAYS "live: 2 commands, 2 lines, 0 not printed")
run(COMMAND ./ladder grade stencil --solution --device sim SAYS "1  neighbours +correct +12 / 12")
run(COMMAND ${CMAKE_COMMAND} --build build --parallel 2 --target stencil_all lab_stencil_problem ladder_grade_test
            ladder_matrix_test ladder_dilution_test ladder-docs check_wrong_42_stencil_1_no_op check_wrong_42_stencil_1_off_by_one)
# Given points only for the skeleton, wrong kernels caught, the lazy one without its criterion; the build of every wrong
# kernel of the kit (-FA) is not needed.
run(COMMAND ${CMAKE_CTEST_COMMAND} --test-dir build -R "lab/stencil_|_42_stencil$|^checks/.*42_stencil" -FA checked_wrong
            --output-on-failure SAYS "100% tests passed,?( 0 tests failed)? out of [12][0-9]")
# A copy beside a step is left out; a student's step that got another name is told, not an error of CMake's.
file(COPY_FILE ${WORK}/solutions/42_stencil/steps/1_neighbours.cu ${WORK}/solutions/42_stencil/steps/1_renamed.cu)
run(COMMAND ./ladder run stencil --solution --quick --device sim SAYS "0  runs +correct.*1  neighbours +correct")
file(RENAME ${WORK}/labs/42_stencil/steps/1_neighbours.cu ${WORK}/labs/42_stencil/steps/1_renamed.cu)
execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=LADDER_BUILD_DIR ./ladder run stencil 1 --device sim WORKING_DIRECTORY ${WORK}
                RESULT_VARIABLE code ERROR_VARIABLE errors)
if(code EQUAL 0 OR NOT errors MATCHES "\"1_renamed.cu\"[ \n]+beside[ \n]+it[ \n]+has[ \n]+another[ \n]+name")
  message(FATAL_ERROR "a step that got another name: ${code} ${errors}")
endif()
