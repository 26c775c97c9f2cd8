# SPDX-License-Identifier: MIT
# Typical mistakes, made in a small kit: what each command must say of them (mistakes.edits, README.md).
if(TARGET mistakes-bench)
  add_test(NAME autograder/mistakes
           COMMAND mistakes-bench --quick --work "${CMAKE_CURRENT_BINARY_DIR}/small kit") # a folder of a student
  add_test(NAME autograder/full/mistakes
           COMMAND mistakes-bench --work "${CMAKE_CURRENT_BINARY_DIR}/whole kit")
  set_tests_properties(autograder/mistakes PROPERTIES LABELS grade)
  set_tests_properties(autograder/full/mistakes PROPERTIES LABELS "grade;full")
endif()
