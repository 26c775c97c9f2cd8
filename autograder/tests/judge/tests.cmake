# SPDX-License-Identifier: MIT
# Verdicts: the statistics alone, then grading from end to end, on the simulator.
ladder_unit_test(judge interval)
target_sources(ladder_interval_test PRIVATE ${PROJECT_SOURCE_DIR}/docs/tools/tables/noisy_times.c)
target_include_directories(ladder_interval_test PRIVATE ${PROJECT_SOURCE_DIR}/docs/tools)

# The check of a graded step: what a finding says in the three reports, and a check that fails.
ladder_unit_test(judge check)
target_sources(ladder_check_test PRIVATE support/edit.c support/defence_switch.c)
ladder_test_grades(ladder_check_test reduction reduction_call)
set_tests_properties(autograder/check_test PROPERTIES LABELS grade)

# What a call does beside launching has its time.
ladder_unit_test(judge moves)
ladder_test_grades(ladder_moves_test reduction)
set_tests_properties(autograder/moves_test PROPERTIES LABELS grade)

foreach(test grade matrix targets)
  add_executable(ladder_${test}_test judge/${test}.c support/edit.c)
  target_link_libraries(ladder_${test}_test PRIVATE ladder_c_options ladder_grader)
  target_compile_definitions(ladder_${test}_test PRIVATE TEST_LADDER="$<TARGET_FILE:ladder>")
  ladder_test_grades(ladder_${test}_test ladder ${lab_programs})
endforeach()
target_sources(ladder_grade_test PRIVATE judge/grade_timed.c)
target_sources(ladder_matrix_test PRIVATE judge/trial.c)

# Counts that are lowered without doing better: two kernels by default, those of every criterion of every lab with the full
# tests.
add_executable(ladder_dilution_test judge/dilution.c judge/trial.c support/attack_beside.c
               support/attack_forms.c support/scan.c support/edit.c)
target_link_libraries(ladder_dilution_test PRIVATE ladder_c_options ladder_grader)
ladder_test_grades(ladder_dilution_test)
add_test(NAME autograder/dilution_01_transpose COMMAND ladder_dilution_test 01_transpose 1_reads_columns)
add_test(NAME autograder/dilution_02_reduction COMMAND ladder_dilution_test 02_reduction 6_narrow_loads)
set_tests_properties(autograder/dilution_01_transpose autograder/dilution_02_reduction PROPERTIES LABELS grade TIMEOUT 600)

# All of a part under the label full; a sample of it, where there is one, under the label sample for `ladder test` alone.
function(ladder_grade_test lab part)
  add_test(NAME autograder/full/grade_${part}_${lab} COMMAND ladder_grade_test ${lab} ${part} full)
  set_tests_properties(autograder/full/grade_${part}_${lab} PROPERTIES LABELS "grade;full" TIMEOUT 3600)
  if(part MATCHES "^(solution|skeleton|wrong|rotation)$") # lazy kernels: the matrix
    add_test(NAME autograder/grade_${part}_${lab} COMMAND ladder_grade_test ${lab} ${part})
    set_tests_properties(autograder/grade_${part}_${lab} PROPERTIES LABELS "grade;sample" TIMEOUT 600)
  endif()
endfunction()
foreach(lab IN LISTS labs)
  foreach(part solution skeleton rotation)
    ladder_grade_test(${lab} ${part})
  endforeach()
  # No step earns what is a later step's own.
  add_test(NAME autograder/matrix_${lab} COMMAND ladder_matrix_test ${lab})
  add_test(NAME autograder/full/matrix_${lab} COMMAND ladder_matrix_test ${lab} full)
  set_tests_properties(autograder/matrix_${lab} PROPERTIES LABELS "grade;sample" TIMEOUT 600)
  set_tests_properties(autograder/full/matrix_${lab} PROPERTIES LABELS "grade;full" TIMEOUT 3600)
  foreach(part wrong lazy) # where the lab has such kernels
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${part}/${lab}.edits)
      ladder_grade_test(${lab} ${part})
    endif()
  endforeach()
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/lazy/${lab}.edits)
    add_test(NAME autograder/full/dilution_${lab} COMMAND ladder_dilution_test ${lab})
    set_tests_properties(autograder/full/dilution_${lab} PROPERTIES LABELS "grade;full" TIMEOUT 3600)
  endif()
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${CMAKE_CURRENT_SOURCE_DIR}/wrong ${CMAKE_CURRENT_SOURCE_DIR}/lazy)
foreach(part faults class clock) # what they show does not depend on the lab
  ladder_grade_test(02_reduction ${part})
endforeach()

# A solution earns all points on another card than the default one, too; lab 03 also asks the runtime of that card.
add_test(NAME autograder/grade_on_h200
         COMMAND ladder grade occupancy --solution --quick --device h200 --output ${CMAKE_CURRENT_BINARY_DIR}/on_h200)
set_tests_properties(autograder/grade_on_h200 PROPERTIES LABELS full TIMEOUT 900
  PASS_REGULAR_EXPRESSION "score 100.0 %.*device: simulated NVIDIA H200")

# The time of a whole submission.
ladder_unit_test(judge budget)
ladder_test_grades(ladder_budget_test)

# What the grader is held to (targets.c), to small numbers here.
target_sources(ladder_targets_test PRIVATE judge/targets_store.c)
ladder_unit_test(judge targets_store judge/targets_store_test.c)
target_sources(ladder_targets_store_test PRIVATE judge/targets_store.c)
foreach(test "honest 6 02_reduction" "kills 12")
  separate_arguments(arguments UNIX_COMMAND ${test})
  list(GET arguments 0 name)
  add_test(NAME autograder/targets_${name} COMMAND ladder_targets_test ${arguments})
  set_tests_properties(autograder/targets_${name} PROPERTIES LABELS grade TIMEOUT 900)
endforeach()
add_test(NAME autograder/full/targets_honest COMMAND ladder_targets_test honest 120)
add_test(NAME autograder/full/targets_kills COMMAND ladder_targets_test kills 100)
set_tests_properties(autograder/full/targets_honest autograder/full/targets_kills PROPERTIES
  LABELS "grade;full" TIMEOUT 3600)

# The steps of the labs in the order of their modelled times, against the order on each card that labs were measured on.
if(LADDER_HAVE_JANSSON)
  foreach(test model_order speed_thresholds)
    add_executable(ladder_${test}_test judge/${test}.c)
    target_link_libraries(ladder_${test}_test PRIVATE ladder_c_options kl_measured)
  endforeach()
  target_link_libraries(ladder_speed_thresholds_test PRIVATE ladder_grader)
  file(GLOB measured CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/labs/measured/*.csv)
  list(FILTER measured EXCLUDE REGEX "/simulator\\.csv$")
  foreach(file IN LISTS measured)
    cmake_path(GET file STEM device)
    add_test(NAME autograder/model_order_${device} COMMAND ladder_model_order_test ${file})
  endforeach()
  # The rubrics' speed thresholds against what the solution's steps reach on those cards.
  file(GLOB descriptions CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/labs/*/lab.json)
  add_test(NAME autograder/speed_thresholds COMMAND ladder_speed_thresholds_test ${descriptions})
  add_test(NAME autograder/speed_thresholds_can_fail
           COMMAND ladder_speed_thresholds_test ${CMAKE_CURRENT_LIST_DIR}/thresholds/42_square/lab.json)
  set_tests_properties(autograder/speed_thresholds_can_fail PROPERTIES PASS_REGULAR_EXPRESSION
    "step 1: 1.10 times as fast as step 0 on card A, full points need 1.05 with a tenth to spare.*\
step 2: square 2 was not measured on card A.*step 3: a step that gains nothing earns points.*3 of 4 speed criteria")
endif()

# The memory that steps of one submission share.
add_test(NAME autograder/full/memory_share COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/memory_share.sh $<TARGET_FILE:ladder>
                                                   ${PROJECT_SOURCE_DIR})
set_tests_properties(autograder/full/memory_share PROPERTIES LABELS "grade;full" TIMEOUT 900)
