# SPDX-License-Identifier: MIT
kl_lab_unit_test(problem ${lab_dir}/tests/problem_test.c)
target_link_libraries(lab_first_kernel_problem PRIVATE m)
kl_lab_own(l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum)

if(TARGET sim_runtime AND TARGET first_kernel_solution)
  # The lecture's two conditions; and 96 KiB fit into the L1 unless most of it is preferred for shared memory.
  add_test(NAME lab/first_kernel_micro COMMAND first_kernel_micro --device sim)
  set_tests_properties(lab/first_kernel_micro PROPERTIES PASS_REGULAR_EXPRESSION
    "none +98\\.44.*t > 2 +95\\.1.*t / 32 > 2 +98\\.8.*t % 32 +9\\.1.*50 % +93\\.75.*100 % +0\\.00")
  # A run that times nothing talks of no times.
  add_test(NAME lab/first_kernel_untimed COMMAND first_kernel --solution --quick --check-only --device sim)
  set_tests_properties(lab/first_kernel_untimed PROPERTIES
                       FAIL_REGULAR_EXPRESSION "ceilings;time at;GB/s;modelled")

  # A case of some steps: the others have no row and no fault. A step that has not the case says which it has.
  add_test(NAME lab/first_kernel_case COMMAND first_kernel --solution --check-only --device sim --case lookup --size 5000)
  add_test(NAME lab/first_kernel_other_case COMMAND first_kernel 3 --solution --device sim --case lookup --size 5000)
  set_tests_properties(lab/first_kernel_case PROPERTIES FAIL_REGULAR_EXPRESSION "not run")
  set_tests_properties(lab/first_kernel_other_case PROPERTIES
                       PASS_REGULAR_EXPRESSION "step 3 has no case lookup; its cases are scale")

  # The page's first whole program, and the program behind its table of latencies, which only a GPU can fill.
  foreach(program first_program latency)
    add_executable(${name}_${program} ${lab_dir}/${program}.cu)
    target_compile_options(${name}_${program} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${LADDER_NVCC_FLAGS}>)
    set_target_properties(${name}_${program} PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
    kl_find_runtime(${name}_${program})
  endforeach()
  add_test(NAME lab/first_kernel_first_program COMMAND first_kernel_first_program)
  set_tests_properties(lab/first_kernel_first_program PROPERTIES
    ENVIRONMENT "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:sim_runtime>" PASS_REGULAR_EXPRESSION "^2 x 999 = 1998\n$")

  add_executable(ladder_bugs_test ${lab_dir}/tests/bugs_test.c)
  target_include_directories(ladder_bugs_test PRIVATE ${PROJECT_SOURCE_DIR}/common/tests/host)
  target_link_libraries(ladder_bugs_test PRIVATE ladder_c_options ladder_grader ladder_package_CHECK)
  target_compile_definitions(ladder_bugs_test PRIVATE TEST_LADDER="$<TARGET_FILE:ladder>"
                             TEST_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                             TEST_BUILD_DIR="${PROJECT_BINARY_DIR}")
  add_dependencies(ladder_bugs_test ladder first_kernel_bugs)
  add_test(NAME lab/first_kernel_bugs COMMAND ladder_bugs_test)
  set_tests_properties(lab/first_kernel_bugs PROPERTIES LABELS grade)
endif()
