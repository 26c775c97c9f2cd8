# Grading from end to end, on the simulator, lab by lab, by programs that take the lab and the part of it.
target_sources(autograder_interval_test PRIVATE ${PROJECT_SOURCE_DIR}/docs/tools/tables/noisy_times.c)
target_include_directories(autograder_interval_test PRIVATE ${PROJECT_SOURCE_DIR}/docs/tools)
foreach(name grade matrix targets dilution)
  add_executable(ladder_${name}_test judge/${name}_main.c)
  target_link_libraries(ladder_${name}_test PRIVATE ladder_c_options autograder_tests_judge_parts ladder_test_support)
  target_compile_definitions(ladder_${name}_test PRIVATE TEST_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                             TEST_BUILD_DIR="${PROJECT_BINARY_DIR}")
  add_dependencies(ladder_${name}_test ladder_programs) # and what calls the lab's steps: `ladder test LAB` builds one lab's alone
endforeach()

# judge_test(ENTRY LABELS COMMAND..)
function(judge_test entry labels)
  add_test(NAME autograder/${entry} COMMAND ${ARGN})
  set_tests_properties(autograder/${entry} PROPERTIES LABELS "${labels}")
endfunction()

# All of a part under the label full; a sample of it, where there is one, under the label sample for `ladder test` alone.
function(ladder_grade_test lab part)
  judge_test(full/grade_${part}_${lab} "grade;full" ladder_grade_test ${lab} ${part} full)
  if(part MATCHES "^(solution|skeleton|wrong|rotation)$") # lazy kernels: the matrix
    judge_test(grade_${part}_${lab} "grade;sample" ladder_grade_test ${lab} ${part})
  endif()
endfunction()
file(GLOB edits CONFIGURE_DEPENDS wrong/*.edits lazy/*.edits)
foreach(lab IN LISTS labs)
  foreach(part solution skeleton rotation)
    ladder_grade_test(${lab} ${part})
  endforeach()
  # No step earns what is a later step's own.
  judge_test(matrix_${lab} "grade;sample" ladder_matrix_test ${lab})
  judge_test(full/matrix_${lab} "grade;full" ladder_matrix_test ${lab} full)
  foreach(part wrong lazy) # where the lab has such kernels
    if(${CMAKE_CURRENT_SOURCE_DIR}/${part}/${lab}.edits IN_LIST edits)
      ladder_grade_test(${lab} ${part})
    endif()
  endforeach()
  # Counts that are lowered without doing better: those of every criterion with the full tests, two kernels by default.
  if(${CMAKE_CURRENT_SOURCE_DIR}/lazy/${lab}.edits IN_LIST edits)
    judge_test(full/dilution_${lab} "grade;full" ladder_dilution_test ${lab})
  endif()
endforeach()
judge_test(dilution_01_transpose grade ladder_dilution_test 01_transpose 1_reads_columns)
judge_test(dilution_02_reduction grade ladder_dilution_test 02_reduction 6_narrow_loads)
foreach(part faults class clock) # what they show does not depend on the lab
  ladder_grade_test(02_reduction ${part})
endforeach()

# What the grader is held to (targets_main.c), to small numbers by default.
judge_test(targets_honest grade ladder_targets_test honest 6 02_reduction)
judge_test(targets_kills grade ladder_targets_test kills 12)
judge_test(full/targets_honest "grade;full" ladder_targets_test honest 120)
judge_test(full/targets_kills "grade;full" ladder_targets_test kills 100)

# The steps of the labs in the order of their modelled times, against the order on each card that labs were measured on; the
# rubrics' speed thresholds against what the solution's steps reach on those cards.
if(LADDER_HAVE_JANSSON)
  foreach(name model_order speed_thresholds)
    add_executable(ladder_${name}_test judge/${name}_main.c)
    target_link_libraries(ladder_${name}_test PRIVATE ladder_c_options kl_measured ladder_grader)
  endforeach()
  file(GLOB measured CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/labs/measured/*.csv)
  list(FILTER measured EXCLUDE REGEX "/simulator\\.csv$")
  foreach(file IN LISTS measured)
    cmake_path(GET file STEM device)
    judge_test(model_order_${device} "" ladder_model_order_test ${file})
  endforeach()
  file(GLOB descriptions CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/labs/*/lab.json)
  judge_test(speed_thresholds "" ladder_speed_thresholds_test ${descriptions})
  judge_test(speed_thresholds_can_fail "" ladder_speed_thresholds_test
             ${CMAKE_CURRENT_LIST_DIR}/thresholds/42_square/lab.json)
  set_tests_properties(autograder/speed_thresholds_can_fail PROPERTIES PASS_REGULAR_EXPRESSION
    "step 1: 1.10 times as fast as step 0 on card A, full points need 1.05 with a tenth to spare.*\
step 2: square 2 was not measured on card A.*step 3: a step that gains nothing earns points.*3 of 4 speed criteria")
endif()
