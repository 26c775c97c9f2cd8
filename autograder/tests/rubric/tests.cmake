# SPDX-License-Identifier: MIT
# Rubrics, thresholds and points; the rubric's converter must refuse what it does not know.
ladder_unit_test(rubric rubric)
ladder_unit_test(rubric step_files)
add_test(NAME autograder/rubric_conversion
  COMMAND ${CMAKE_COMMAND} -DCONVERTER=${PROJECT_SOURCE_DIR}/autograder/grade/rubric/rubric.cmake
          -DWORK=${CMAKE_CURRENT_BINARY_DIR}/rubric_conversion
          -P ${CMAKE_CURRENT_LIST_DIR}/conversion.cmake)
set_tests_properties(autograder/rubric_conversion PROPERTIES LABELS unit)
