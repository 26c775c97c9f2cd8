# SPDX-License-Identifier: MIT
# kl_check_test(TEST TARGET SOURCES...): a program of Check's and its CTest entry, one of the unit tests.
function(kl_check_test test target)
  add_executable(${target} ${ARGN})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/common/tests/host)
  target_link_libraries(${target} PRIVATE ladder_c_options ladder_cold_options kl_host ladder_package_CHECK)
  add_test(NAME ${test} COMMAND ${target})
  set_tests_properties(${test} PROPERTIES LABELS unit TIMEOUT ${LADDER_UNIT_TIMEOUT})
  if(LADDER_SANITIZE) # Check's own limit
    set_tests_properties(${test} PROPERTIES ENVIRONMENT CK_DEFAULT_TIMEOUT=1780)
  endif()
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
