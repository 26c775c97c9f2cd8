# kl_add_lab_tests(FOLDER): the tests of one lab.
#
#   lab/NAME_steps              lab.json, step files, solutions, page and hints speak of the same steps
#   lab/NAME_solution, _sizes   the solution is right, on the quick cases with its times and on all of them
#   lab/NAME_readable           and on the inputs with which a failing case is shown
#   lab/NAME_skeleton           so is each given step of the skeleton, whatever a student makes of the others
#   lab/NAME_figure_<figure>    the figures of its page are what their generator makes (lab.json)
#   lab/NAME_page               what its page shows of a command's output is what the command prints
#
#   lab/NAME_own                the solution of the page's "A problem of your own" reaches its target (common/tests/labs/own.sh)
#   lab/NAME_PROGRAM_noted      what other programs of solutions/FOLDER note of the steps is in labs/measured/simulator.csv
#
# and those in labs/FOLDER/tests by kit_tests: lab/NAME_problem of problem_test.c, linked with the lab's problem. How the lab is
# graded is tested in autograder/tests.

# kl_lab_notes(PROGRAM): solutions/FOLDER/PROGRAM.cu lets the steps' own kernels note which thread has what. With the full tests, for
# such a program has all steps in it and takes up to a minute to build.
function(kl_lab_notes program)
  set(target ${name}_${program})
  add_executable(${target} EXCLUDE_FROM_ALL ${solution_dir}/${program}.cu)
  set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
  target_include_directories(${target} PRIVATE ${lab_dir})
  if(kl_architecture) # PTX alone, without ptxas: the simulator runs it and nobody times it
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES ${kl_architecture}-virtual)
  endif()
  kl_find_runtime(${target})
  add_dependencies(${target} sim_runtime)
  add_dependencies(${name}_all ${target})
  add_test(NAME lab/${target}_noted COMMAND sh -c
    "'$<TARGET_FILE:${target}>' >${program}.json && '$<TARGET_FILE:ladder-docs>' measured same ${program}.json \
'${PROJECT_SOURCE_DIR}/labs/measured/simulator.csv:${folder}/${program}'" WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  set_tests_properties(lab/${target}_noted PROPERTIES
    ENVIRONMENT "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:sim_runtime>" LABELS full)
endfunction()

# With the full tests, for it compiles; the first lab's stands for all in the others.
function(kl_lab_own)
  add_test(NAME lab/${name}_own
           COMMAND sh ${PROJECT_SOURCE_DIR}/common/tests/labs/own.sh ${CMAKE_CUDA_COMPILER} ${solution_dir}/own.cu
                   ${CMAKE_CURRENT_BINARY_DIR}/${name}_own $<TARGET_FILE:ladder> ${lab_dir}/README.md ${PROJECT_SOURCE_DIR})
  if(NOT name STREQUAL "first_kernel")
    set_property(TEST lab/${name}_own PROPERTY LABELS full)
  endif()
endfunction()

# What the verdict on the skeleton must say: that each given step is correct.
function(kl_given_steps folder out)
  include(${PROJECT_BINARY_DIR}/labs/${folder}/description.cmake)
  set(lines ${lab_given})
  list(TRANSFORM lines REPLACE "^([0-9]+)_(.*)\\.cu$" "\\1  \\2 +correct")
  list(JOIN lines ".*" lines)
  set(${out} "${lines}" PARENT_SCOPE)
endfunction()

function(kl_add_lab_tests folder)
  string(REGEX REPLACE "^[0-9]+_" "" name ${folder})
  set(lab_dir ${PROJECT_SOURCE_DIR}/labs/${folder})
  set(solution_dir ${PROJECT_SOURCE_DIR}/solutions/${folder})
  add_test(NAME lab/${name}_steps
           COMMAND sh ${PROJECT_SOURCE_DIR}/common/tests/labs/steps.sh ${lab_dir} ${solution_dir}
                   ${PROJECT_BINARY_DIR}/labs/${folder}/description.cmake)
  set_tests_properties(lab/${name}_steps PROPERTIES LABELS unit)
  add_test(NAME lab/${name}_template COMMAND sh ${PROJECT_SOURCE_DIR}/common/tests/labs/template.sh ${PROJECT_SOURCE_DIR} ${folder})
  set_tests_properties(lab/${name}_template PROPERTIES LABELS unit)

  if(TARGET sim_runtime AND TARGET ${name}_solution)
    set(run COMMAND ${name} --device sim --timeout 86400) # a step may be silent for as long as the machine needs
    add_test(NAME lab/${name}_solution ${run} --solution --quick)
    add_test(NAME lab/${name}_sizes ${run} --solution --check-only)
    add_test(NAME lab/${name}_readable ${run} --solution --quick --check-only --readable)
    add_test(NAME lab/${name}_skeleton ${run} --quick --check-only)
    kl_given_steps(${folder} given)
    set_tests_properties(lab/${name}_skeleton PROPERTIES PASS_REGULAR_EXPRESSION "${given}")
    set_property(TEST lab/${name}_sizes PROPERTY LABELS full) # the quick cases are those of lab/NAME_solution
  endif()

  if(LADDER_HAVE_JANSSON)
    include(${PROJECT_BINARY_DIR}/labs/${folder}/description.cmake)
    foreach(figure IN LISTS lab_figures)
      string(REGEX MATCH "^([^ ]+)\\.svg (.*)$" figure "${figure}")
      set(picture ${CMAKE_MATCH_1})
      set(arguments "${CMAKE_MATCH_2}")
      set(before "")
      if(arguments MATCHES "^--profile (.*)$") # as the launcher's draw_figure
        set(arguments "'${CMAKE_CURRENT_BINARY_DIR}/${name}_${picture}.json'")
        set(before "'$<TARGET_FILE:ladder>' profile ${CMAKE_MATCH_1} --timeline --json ${arguments} >/dev/null && ")
      endif()
      add_test(NAME lab/${name}_figure_${picture} COMMAND sh -c
        "${before}'$<TARGET_FILE:ladder-docs>' figure ${arguments} | cmp - ${picture}.svg" WORKING_DIRECTORY ${lab_dir})
      set_property(TEST lab/${name}_figure_${picture} PROPERTY LABELS full) # `ladder tables --check` looks, too
    endforeach()
  endif()

  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${lab_dir}/README.md)
  file(STRINGS ${lab_dir}/README.md shown REGEX "<!-- ladder:output " LIMIT_COUNT 1)
  if(shown)
    add_test(NAME lab/${name}_page COMMAND sh ${PROJECT_SOURCE_DIR}/autograder/tests/commands/shown_output.sh $<TARGET_FILE:ladder>
                                   ${lab_dir}/README.md)
  endif()
  file(GLOB programs CONFIGURE_DEPENDS RELATIVE ${solution_dir} ${solution_dir}/*.cu)
  foreach(program IN LISTS programs)
    if(program STREQUAL "own.cu")
      kl_lab_own()
    elseif(LADDER_HAVE_JANSSON AND NOT program MATCHES "^(tune|backward)\\.cu$")
      string(REPLACE ".cu" "" program ${program})
      kl_lab_notes(${program})
    endif()
  endforeach()
  kit_tests(lab/${name}_@ ${lab_dir}/tests LINK ${name}_problem m ladder_hot_options INCLUDE ${lab_dir})
endfunction()
