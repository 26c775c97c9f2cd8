# SPDX-License-Identifier: MIT
# kl_check_test(TEST TARGET SOURCES...): a program of Check's and its CTest entry, one of the unit tests.
function(kl_check_test test target)
  add_executable(${target} ${ARGN})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/common/tests/host)
  target_link_libraries(${target} PRIVATE ladder_c_options ladder_cold_options kl_host ladder_package_CHECK)
  add_test(NAME ${test} COMMAND ${target})
  set_tests_properties(${test} PROPERTIES LABELS unit)
  set_property(GLOBAL APPEND PROPERTY LADDER_UNIT_TARGETS ${target})
endfunction()

# kl_library_tests(LIBRARY FOLDER TESTS...): the tests common/tests/FOLDER/TEST.c of a library, FOLDER/TEST by kl_TEST; some
# read what zlib has packed, where it is found.
function(kl_library_tests library folder)
  if(NOT LADDER_BUILD_TESTS OR NOT LADDER_HAVE_CHECK)
    return()
  endif()
  foreach(test IN LISTS ARGN)
    kl_check_test(${folder}/${test} kl_${test} ${PROJECT_SOURCE_DIR}/common/tests/${folder}/${test}.c)
    target_link_libraries(kl_${test} PRIVATE ${library})
    target_compile_definitions(kl_${test} PRIVATE _GNU_SOURCE)
    if(LADDER_HAVE_ZLIB)
      target_compile_definitions(kl_${test} PRIVATE KL_HAVE_ZLIB)
      target_link_libraries(kl_${test} PRIVATE ladder_package_ZLIB)
    endif()
  endforeach()
endfunction()

# The tests of this folder whose names are a lab's count their work, for `ladder test` to hold to a bar
# (autograder/tests/support/budget.sh). Called behind the last of them.
function(kl_tests_count_work)
  get_property(tests DIRECTORY PROPERTY TESTS)
  list(FILTER tests INCLUDE REGEX "^(lab|host)/|[0-9][0-9]_[a-z]")
  foreach(test IN LISTS tests)
    string(REPLACE "/" "+" file "${test}")
    set(file ${PROJECT_BINARY_DIR}/Testing/work/${file})
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT
                 LADDER_SIM_PROGRESS=${file}.simulated LADDER_COMPILED=${file}.compiled)
  endforeach()
endfunction()
