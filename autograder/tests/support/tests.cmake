# SPDX-License-Identifier: MIT
# What the tests of several modules share: wrong kernels as edits, defences that can be switched off, what a test costs.
ladder_unit_test(support edit support/edit_test.c)
target_sources(ladder_edit_test PRIVATE support/edit.c)
add_executable(ladder_apply_edit support/apply_edit.c support/edit.c)
target_link_libraries(ladder_apply_edit PRIVATE ladder_c_options ladder_grader)

# What a lab may cost in `ladder test`: the check that the launcher makes of CTest's log, on a log of its own.
find_program(LADDER_AWK awk)
if(LADDER_AWK)
  foreach(limit 60 40)
    add_test(NAME autograder/budget_${limit} COMMAND ${LADDER_AWK} -v limit=${limit} -v
             "labs=02_reduction 07_gemm" -f ${CMAKE_CURRENT_LIST_DIR}/budget.awk
             ${CMAKE_CURRENT_LIST_DIR}/budget.log)
  endforeach()
  add_test(NAME autograder/budget_busy COMMAND ${LADDER_AWK} -v limit=40 -v busy=1.5 -v
           "labs=02_reduction 07_gemm" -f ${CMAKE_CURRENT_LIST_DIR}/budget.awk ${CMAKE_CURRENT_LIST_DIR}/budget.log)
  set_tests_properties(autograder/budget_busy PROPERTIES PASS_REGULAR_EXPRESSION
    "07_gemm: more than 40 processor seconds; on a quiet machine that fails" FAIL_REGULAR_EXPRESSION "dearest")
  set_tests_properties(autograder/budget_60 PROPERTIES PASS_REGULAR_EXPRESSION
    "02_reduction +7\\.5.*07_gemm +55\\.2" FAIL_REGULAR_EXPRESSION "more than")
  set_tests_properties(autograder/budget_40 PROPERTIES PASS_REGULAR_EXPRESSION
    "07_gemm +55\\.2.*07_gemm: more than 40 .*autograder/grade_wrong_07_gemm")
endif()
