# SPDX-License-Identifier: MIT
# Control groups. What gets through the sandbox is tried in attacks/, where stands.sh and as_user.sh serve as well.
ladder_unit_test(isolation group)

# The build of a step with a host compiler under a prefix of its own: the same sources, configured for it. The prefix is
# made by the test.
function(ladder_prefix_test)
  set(prefix ${CMAKE_CURRENT_BINARY_DIR}/prefix)
  set(CMAKE_CUDA_HOST_COMPILER ${prefix}/opt/bin/g++)
  set(ladder_system_include_list "\"${prefix}/opt/gcc-99/include\", ${ladder_system_include_list}")
  configure_file(${PROJECT_SOURCE_DIR}/autograder/utilities/ladder_config.h.in ${prefix}/ladder_config.h @ONLY)
  set(autograder ${PROJECT_SOURCE_DIR}/autograder)
  add_executable(ladder_prefix_test isolation/prefix.c ${autograder}/sandbox/isolation/command.c ${autograder}/utilities/kit.c
                                    ${autograder}/grade/submission/build_step.c)
  target_include_directories(ladder_prefix_test BEFORE PRIVATE ${prefix})
  target_compile_definitions(ladder_prefix_test PRIVATE TEST_PREFIX="${prefix}/opt" TEST_COMPILER="${CMAKE_CXX_COMPILER}")
  target_link_libraries(ladder_prefix_test PRIVATE ladder_c_options ladder_grader)
  add_dependencies(ladder_prefix_test ladder-sandbox)
  add_test(NAME autograder/prefix_test COMMAND ladder_prefix_test)
  set_tests_properties(autograder/prefix_test PROPERTIES LABELS grade SKIP_RETURN_CODE 77)
endfunction()
ladder_prefix_test()
