# SPDX-License-Identifier: MIT
# Tests of questions and predictions.
ladder_unit_test(predict questions)

# Predictions: counts are taken by this build's programs.
ladder_unit_test(predict predict)
target_compile_definitions(ladder_predict_test PRIVATE TEST_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                           TEST_BUILD_DIR="${PROJECT_BINARY_DIR}")
add_dependencies(ladder_predict_test ladder_programs)
set_tests_properties(autograder/predict_test PROPERTIES LABELS grade)
add_test(NAME autograder/predict_cli
         COMMAND ${CMAKE_COMMAND} -DLADDER=$<TARGET_FILE:ladder> -DSOURCE=${PROJECT_SOURCE_DIR}
                 -DWORK=${CMAKE_CURRENT_BINARY_DIR}/predict_cli -P ${CMAKE_CURRENT_LIST_DIR}/cli.cmake)
set_tests_properties(autograder/predict_cli PROPERTIES LABELS grade)
# The questions in the labs' pages are what the simulator counts today. With the full tests: `ladder tables --check` looks, too.
foreach(folder IN LISTS lab_folders)
  add_test(NAME autograder/questions_of_${folder} COMMAND ladder questions ${folder} --check)
  set_tests_properties(autograder/questions_of_${folder} PROPERTIES LABELS "grade;full")
endforeach()
