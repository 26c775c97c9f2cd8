# SPDX-License-Identifier: MIT
# Profiles, and what `ladder profile` says of a program that fails.
ladder_unit_test(profile profile)
ladder_unit_test(profile disassembly)
ladder_unit_test(profile causes)

# A kernel that was stopped fails the profile, though the program deals with it.
if(TARGET program_kernel_fault)
  add_test(NAME autograder/profile_of_a_fault
           COMMAND sh -c "\"$0\" profile -- \"$1\" null; echo \"status $?\""
                   $<TARGET_FILE:ladder> $<TARGET_FILE:program_kernel_fault>)
  set_tests_properties(autograder/profile_of_a_fault PROPERTIES
    PASS_REGULAR_EXPRESSION "as expected: cudaErrorIllegalAddress.*status 1")
  # The simulator's folder is put before LD_LIBRARY_PATH once, however many programs a command starts: here it is there, with room for no second one.
  add_test(NAME autograder/library_path_does_not_grow
           COMMAND sh -c "LD_LIBRARY_PATH=\"$2:$(printf \"%0$((8180 - \${#2}))d\" 0)\" exec \"$0\" profile -- \"$1\" null"
                   $<TARGET_FILE:ladder> $<TARGET_FILE:program_kernel_fault> ${PROJECT_BINARY_DIR}/common/simulator)
  set_tests_properties(autograder/library_path_does_not_grow PROPERTIES PASS_REGULAR_EXPRESSION "as expected: cudaErrorIllegalAddress")
endif()

# The picture of the front page is what a terminal of 100 columns shows.
if(LADDER_SCRIPT AND LADDER_HAVE_JANSSON)
  add_test(NAME autograder/front_page_picture COMMAND sh -c
    "script -qec \"stty cols 100; '$<TARGET_FILE:ladder>' profile reduction 2 --solution --size 2^20 2>/dev/null\" \
/dev/null </dev/null | tr -d '\\r' | \
'$<TARGET_FILE:ladder-docs>' shot './ladder profile reduction 2 --solution --size 2^20' | cmp - docs/profile.svg"
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endif()
