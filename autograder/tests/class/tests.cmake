# SPDX-License-Identifier: MIT
# Classes: marks after grading, what a run keeps, progress.
ladder_unit_test(class class_marks class/marks.c)
target_sources(ladder_class_marks_test PRIVATE export/sample.c)
ladder_unit_test(class class_journal class/journal.c)
# A class that is killed in its middle goes on where it was.
add_test(NAME autograder/class_killed COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/killed.sh $<TARGET_FILE:ladder>
         ${CMAKE_CURRENT_BINARY_DIR}/class_killed)
set_tests_properties(autograder/class_killed PROPERTIES LABELS grade)
include(${CMAKE_CURRENT_LIST_DIR}/pages.cmake)
