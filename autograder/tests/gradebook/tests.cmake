# SPDX-License-Identifier: MIT
# The gradebook of a course. Without SQLite: the message that says so.
if(LADDER_HAVE_SQLITE)
  foreach(part grades faults)
    ladder_unit_test(gradebook book_${part} gradebook/${part}.c)
    target_sources(ladder_book_${part}_test PRIVATE gradebook/sample.c)
    target_compile_definitions(ladder_book_${part}_test PRIVATE TEST_FOLDER="${CMAKE_CURRENT_LIST_DIR}")
  endforeach()
  set(ladder_gradebook_cli cli.sh)
else()
  set(ladder_gradebook_cli absent.sh)
endif()
add_test(NAME autograder/gradebook_cli COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/${ladder_gradebook_cli} $<TARGET_FILE:ladder>
         ${CMAKE_CURRENT_BINARY_DIR}/gradebook_cli)
set_tests_properties(autograder/gradebook_cli PROPERTIES LABELS grade)
