# SPDX-License-Identifier: MIT
# Tests of what people hand in: archives, layouts of bulk downloads, folders in folders.

# A test program that makes archives; where libarchive is missing it skips what needs them.
function(ladder_makes_archives target)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/make_archive.c)
  if(LADDER_HAVE_ARCHIVE)
    target_compile_definitions(${target} PRIVATE TEST_HAVE_ARCHIVE=1)
    target_link_libraries(${target} PRIVATE ladder_package_ARCHIVE)
    add_dependencies(${target} ladder-unpack)
  else()
    target_compile_definitions(${target} PRIVATE TEST_HAVE_ARCHIVE=0)
  endif()
endfunction()

ladder_unit_test(intake intake)
ladder_unit_test(intake intake_names intake/names.c)
ladder_unit_test(intake intake_share intake/share.c)
ladder_makes_archives(ladder_intake_test)
add_test(NAME autograder/intake_class COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/class.sh $<TARGET_FILE:ladder>
         ${CMAKE_CURRENT_BINARY_DIR}/intake_class)
set_tests_properties(autograder/intake_class PROPERTIES LABELS grade)
