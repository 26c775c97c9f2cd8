# SPDX-License-Identifier: MIT
# kl_add_lab_tests(FOLDER): the tests of one lab.
#
#   lab/NAME_steps              lab.json, step files, solutions, page and hints speak of the same steps
#   lab/NAME_solution, _sizes   the solution is right, on the quick cases with its times and on all of them
#   lab/NAME_skeleton           so is each given step of the skeleton, whatever a student makes of the others
#   lab/NAME_figure_<figure>    the figures of its page are what their generator makes (lab.json)
#   lab/NAME_page               what its page shows of a command's output is what the command prints
#
# and those of labs/FOLDER/tests/tests.cmake, when there is one. That file sees name, folder, lab_dir and solution_dir; its
# functions are kl_lab_unit_test, kl_lab_kernels_test, kl_lab_notes, kl_lab_own and kl_lab_builds. How the lab is graded is
# tested in autograder/tests.

# kl_lab_unit_test(NAME SOURCES...): a Check program of the lab's, linked with its problem: lab/<lab>_NAME.
macro(kl_lab_unit_test test)
  kl_check_test(lab/${name}_${test} lab_${name}_${test} ${ARGN})
  target_link_libraries(lab_${name}_${test} PRIVATE ${name}_problem)
endmacro()

# kl_lab_kernels_test(STEP LIBRARIES...): lab/<lab>_kernels, tests/kernels_test.c. No unit test: it runs the solution's steps on
# the simulator, which lie in the folder of step STEP.
function(kl_lab_kernels_test step)
  set(program lab_${name}_kernels)
  add_executable(${program} ${lab_dir}/tests/kernels_test.c)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/common/tests/host ${lab_dir})
  target_include_directories(${program} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  target_link_libraries(${program} PRIVATE ladder_c_options kl_host ladder_package_CHECK ${ARGN} CUDA::cudart
                        ${CMAKE_DL_LIBS})
  target_compile_definitions(${program} PRIVATE KL_TEST_STEPS="$<TARGET_FILE_DIR:${name}_solution_step_${step}>")
  kl_find_runtime(${program})
  add_dependencies(${program} ${name}_solution sim_runtime)
  add_test(NAME lab/${name}_kernels COMMAND ${program})
  set_tests_properties(lab/${name}_kernels PROPERTIES
    ENVIRONMENT "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:sim_runtime>")
endfunction()

# kl_lab_notes(PROGRAM): solutions/FOLDER/PROGRAM.cu lets the steps' own kernels note which thread has what; what it
# prints is in labs/measured/simulator.csv. With the full tests, for such a program has all steps in it and takes up to a minute to build.
function(kl_lab_notes program)
  set(source ${solution_dir}/${program}.cu)
  if(NOT TARGET sim_runtime OR NOT LADDER_HAVE_JANSSON OR NOT EXISTS ${source})
    return()
  endif()
  add_executable(${name}_${program} EXCLUDE_FROM_ALL ${source})
  set_target_properties(${name}_${program} PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
  target_include_directories(${name}_${program} PRIVATE ${lab_dir})
  if(kl_architecture) # PTX alone, without ptxas: the simulator runs it and nobody times it
    set_target_properties(${name}_${program} PROPERTIES CUDA_ARCHITECTURES ${kl_architecture}-virtual)
  endif()
  kl_find_runtime(${name}_${program})
  add_dependencies(${name}_${program} sim_runtime)
  add_dependencies(${name}_all ${name}_${program})
  add_test(NAME lab/${name}_${program}_noted COMMAND sh -c
    "'$<TARGET_FILE:${name}_${program}>' >${program}.json && '$<TARGET_FILE:ladder-docs>' measured same ${program}.json \
'${PROJECT_SOURCE_DIR}/labs/measured/simulator.csv:${folder}/${program}'" WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  set_tests_properties(lab/${name}_${program}_noted PROPERTIES
    ENVIRONMENT "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:sim_runtime>" LABELS full)
endfunction()

# kl_lab_own(COUNT...): solutions/FOLDER/own.cu solves the page's "A problem of your own", and reaches its target in these
# counts (common/tests/labs/own.cmake). With the full tests, for it compiles; the first lab's stands for all in the others.
function(kl_lab_own)
  if(NOT TARGET sim_runtime OR NOT EXISTS ${solution_dir}/own.cu)
    return()
  endif()
  list(JOIN ARGN " " counts)
  add_test(NAME lab/${name}_own
           COMMAND ${CMAKE_COMMAND} -DNVCC=${CMAKE_CUDA_COMPILER} -DSOURCE=${solution_dir}/own.cu
                   -DWORK=${CMAKE_CURRENT_BINARY_DIR}/${name}_own -DLADDER=$<TARGET_FILE:ladder> -DPAGE=${lab_dir}/README.md
                   -DCOUNTS=${counts} -P ${PROJECT_SOURCE_DIR}/common/tests/labs/own.cmake)
  if(NOT name STREQUAL "first_kernel")
    set_property(TEST lab/${name}_own PROPERTY LABELS full)
  endif()
endfunction()

# Steps of the skeleton that a test of the default tier runs, though they are still to be written.
function(kl_lab_builds name)
  foreach(number IN LISTS ARGN)
    set_property(TARGET ${name}_skeleton_step_${number} PROPERTY EXCLUDE_FROM_ALL OFF)
  endforeach()
endfunction()

# What the verdict on the skeleton must say: that each given step is right.
function(kl_given_steps folder out)
  include(${PROJECT_BINARY_DIR}/labs/${folder}/description.cmake)
  set(lines ${lab_given})
  list(TRANSFORM lines REPLACE "^([0-9]+)_(.*)\\.cu$" "\\1  \\2 +right")
  list(JOIN lines ".*" lines)
  set(${out} "${lines}" PARENT_SCOPE)
endfunction()

function(kl_add_lab_tests folder)
  string(REGEX REPLACE "^[0-9]+_" "" name ${folder})
  set(lab_dir ${PROJECT_SOURCE_DIR}/labs/${folder})
  set(solution_dir ${PROJECT_SOURCE_DIR}/solutions/${folder})
  add_test(NAME lab/${name}_steps
           COMMAND ${CMAKE_COMMAND} -DLAB=${lab_dir} -DSOLUTION=${solution_dir}
                   -DDESCRIPTION=${PROJECT_BINARY_DIR}/labs/${folder}/description.cmake -P ${PROJECT_SOURCE_DIR}/common/tests/labs/steps.cmake)
  set_tests_properties(lab/${name}_steps PROPERTIES LABELS unit)
  add_test(NAME lab/${name}_template COMMAND sh ${PROJECT_SOURCE_DIR}/common/tests/labs/template.sh ${PROJECT_SOURCE_DIR} ${folder})
  set_tests_properties(lab/${name}_template PROPERTIES LABELS unit)

  if(TARGET sim_runtime AND TARGET ${name}_solution)
    set(run COMMAND ${name} --device sim --timeout 86400) # a step may be silent for as long as the machine needs
    add_test(NAME lab/${name}_solution ${run} --solution --quick)
    add_test(NAME lab/${name}_sizes ${run} --solution --check-only)
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
    add_test(NAME lab/${name}_page
             COMMAND ${CMAKE_COMMAND} -DLADDER=$<TARGET_FILE:ladder> -DHANDOUT=${lab_dir}/README.md
                     -P ${PROJECT_SOURCE_DIR}/autograder/tests/commands/handout_output.cmake)
  endif()
  include(${lab_dir}/tests/tests.cmake OPTIONAL)
endfunction()
