# SPDX-License-Identifier: MIT
# The command line and the launcher. (handout_output.cmake serves the handouts' tests.)

# The command line, with a program of somebody else's, linked both ways.
foreach(runtime shared static)
  add_executable(ladder_any_program_${runtime} commands/any_program.cu)
endforeach()
set_target_properties(ladder_any_program_shared PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
set_target_properties(ladder_any_program_static PROPERTIES CUDA_RUNTIME_LIBRARY Static)
kl_find_runtime(ladder_any_program_shared)
add_executable(ladder_cli_test commands/cli.c)
target_include_directories(ladder_cli_test PRIVATE ${PROJECT_SOURCE_DIR}/common/tests/host)
target_link_libraries(ladder_cli_test PRIVATE ladder_c_options ladder_grader ladder_package_CHECK)
target_compile_definitions(ladder_cli_test PRIVATE TEST_LADDER="$<TARGET_FILE:ladder>"
  TEST_SHARED_PROGRAM="$<TARGET_FILE:ladder_any_program_shared>"
  TEST_STATIC_PROGRAM="$<TARGET_FILE:ladder_any_program_static>")
add_dependencies(ladder_cli_test ladder ladder_any_program_shared ladder_any_program_static)
add_test(NAME autograder/cli COMMAND ladder_cli_test)
set_tests_properties(autograder/cli PROPERTIES LABELS grade)

# `ladder run` ends with what the checker found beside it.
add_test(NAME autograder/run_check COMMAND sh -c "\"$0\" run reduction 0 3 --solution --quick --check-only --device sim"
         $<TARGET_FILE:ladder>)
set_tests_properties(autograder/run_check PROPERTIES LABELS grade
  PASS_REGULAR_EXPRESSION "check: steps 0, 3 clean")

# A report that does not arrive is no success.
if(EXISTS /dev/full)
  add_test(NAME autograder/full_disk
           COMMAND sh -c "! \"$0\" list >/dev/full" $<TARGET_FILE:ladder>)
  set_tests_properties(autograder/full_disk PROPERTIES
    LABELS grade PASS_REGULAR_EXPRESSION "cannot write to standard output: No space left")
endif()

# Packages that a lab makes use of: the launcher offers them for that lab alone, and goes on without.
add_test(NAME autograder/launcher_packages COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/launcher_packages.sh
         ${PROJECT_SOURCE_DIR}/ladder ${CMAKE_CURRENT_BINARY_DIR}/launcher_packages)

# On a machine that has nothing each command asks for what it needs.
add_test(NAME autograder/launcher_needs COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/launcher_needs.sh
         ${PROJECT_SOURCE_DIR}/ladder ${CMAKE_CURRENT_BINARY_DIR}/launcher_needs)

# Where there is no nvcc it takes the distribution's own toolkit, with a compiler that this one accepts.
add_test(NAME autograder/launcher_toolkit COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/launcher_toolkit.sh
         ${PROJECT_SOURCE_DIR}/ladder ${CMAKE_CURRENT_BINARY_DIR}/launcher_toolkit)

# What the workflows for GitHub and GitLab run.
add_test(NAME autograder/launcher_push COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/launcher_push.sh
         ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/launcher_push)

# Alone it builds nothing.
add_test(NAME autograder/launcher_alone COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/launcher_alone.sh
         ${PROJECT_SOURCE_DIR}/ladder ${CMAKE_CURRENT_BINARY_DIR}/launcher_alone)

# A kit lies in a folder with blanks in its name, is used from other folders, moved and copied.
add_test(NAME autograder/launcher_place COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/launcher_place.sh
         ${PROJECT_SOURCE_DIR}/ladder ${CMAKE_CURRENT_BINARY_DIR}/launcher_place)

# A first `run` is left to a program of the lab's, which says what `ladder run` says.
add_test(NAME autograder/launcher_run COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/launcher_run.sh
         ${PROJECT_SOURCE_DIR}/ladder ${CMAKE_CURRENT_BINARY_DIR}/launcher_run)
add_dependencies(ladder_cli_test ladder-run-reduction)
set(run_alone "run 02 0 3 --solution --quick --check-only --device sim")
add_test(NAME autograder/run_alone
         COMMAND sh -c "a=$(\"$0\" ${run_alone}) && b=$(\"$1\" ${run_alone}) && [ \"$a\" = \"$b\" ] && echo same: \"$a\""
         $<TARGET_FILE:ladder> $<TARGET_FILE:ladder-run-reduction>)
set_tests_properties(autograder/run_alone PROPERTIES LABELS grade
  PASS_REGULAR_EXPRESSION "same: .*check: steps 0, 3 clean")

# A kit that somebody else built, and results that cannot be written.
add_test(NAME autograder/other_kit COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/isolation/as_user.sh
         /bin/sh ${CMAKE_CURRENT_LIST_DIR}/other_kit.sh $<TARGET_FILE:ladder> ${PROJECT_SOURCE_DIR})
set_tests_properties(autograder/other_kit PROPERTIES LABELS grade SKIP_RETURN_CODE 77)

# A lab without a vendor library says so and runs: by `ladder` and by the lab's own program.
set(without_vendor "--vendor --solution --quick --check-only --device sim")
add_test(NAME autograder/run_without_vendor COMMAND sh -c
         "for lab in 00 03 06 09; do [ ! -e labs/\"$lab\"_*/vendor.cu ] || exit 1; done && a=$(\"$0\" run 00 0 ${without_vendor} 2>&1) && b=$(\"$1\" --step 0 ${without_vendor} 2>&1) && \
for said in \"$a\" \"$b\"; do echo \"$said\" | grep -q 'first_kernel: this lab has no vendor library' && ! echo \"$said\" | grep 'NOT BUILT' || exit 1; done"
         $<TARGET_FILE:ladder> $<TARGET_FILE:first_kernel> WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
set_tests_properties(autograder/run_without_vendor PROPERTIES LABELS grade)

# A lab that `ladder new-lab` writes.
set(new_lab_docs "")
if(LADDER_HAVE_JANSSON)
  set(new_lab_docs -DDOCS=$<TARGET_FILE:ladder-docs>)
endif()
add_test(NAME autograder/new_lab
         COMMAND ${CMAKE_COMMAND} -DLADDER=$<TARGET_FILE:ladder> -DAPPLY_EDIT=$<TARGET_FILE:ladder_apply_edit>
                 -DCC=${CMAKE_C_COMPILER} -DNVCC=${CMAKE_CUDA_COMPILER}
                 "-DINCLUDES=$<TARGET_PROPERTY:ladder_grader,INCLUDE_DIRECTORIES>" -DSOURCE=${PROJECT_SOURCE_DIR}
                 ${new_lab_docs} -DWORK=${CMAKE_CURRENT_BINARY_DIR}/new_lab -DDESCRIBE=${PROJECT_BINARY_DIR}/ladder-lab
                 -P ${CMAKE_CURRENT_LIST_DIR}/new_lab.cmake)
add_test(NAME autograder/new_lab_full
         COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DWORK=${CMAKE_CURRENT_BINARY_DIR}/new_lab_full
                 -P ${CMAKE_CURRENT_LIST_DIR}/new_lab_full.cmake)
set_tests_properties(autograder/new_lab_full PROPERTIES LABELS full)
