# SPDX-License-Identifier: MIT
kl_lab_unit_test(problem ${lab_dir}/tests/problem_test.c)
target_link_libraries(lab_softmax_problem PRIVATE m)

kl_lab_own(l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum time_us)

if(TARGET sim_runtime AND TARGET softmax_solution)
  kl_lab_kernels_test(7)

  # An A100 has no clusters.
  add_test(NAME lab/softmax_left_out COMMAND softmax --solution --step 9 --device a100)
  set_tests_properties(lab/softmax_left_out PROPERTIES PASS_REGULAR_EXPRESSION
    "9  cluster  left out: needs compute capability 9.0; this device has 8.0")
  add_test(NAME autograder/full/grade_left_out COMMAND ladder grade softmax --solution --quick --device a100 --output
           ${CMAKE_CURRENT_BINARY_DIR}/left_out)
  set_tests_properties(autograder/full/grade_left_out PROPERTIES LABELS full PASS_REGULAR_EXPRESSION
    "score 100.0 %.*9  cluster +left out +0 / 0\n +- needs compute capability 9.0; this device has 8.0")

  # The report's masks: results are right, and the checker names the shuffles, unless somebody has fixed the file.
  foreach(bug report_two report_four)
    add_test(NAME lab/softmax_bug_${bug} COMMAND ladder check softmax ${bug})
    set_tests_properties(lab/softmax_bug_${bug} PROPERTIES PASS_REGULAR_EXPRESSION
      "results right\nsync-mask: .*__shfl_down_sync.*2 findings in 1 launch;results right\nno findings")
    add_test(NAME lab/softmax_bug_${bug}_fixed COMMAND ladder check softmax ${bug} --solution)
    set_tests_properties(lab/softmax_bug_${bug}_fixed PROPERTIES PASS_REGULAR_EXPRESSION
      "results right\nno findings in 1 launch")
  endforeach()

  # `ladder bench` runs vendor_torch.py where python3 has PyTorch, and says so where it has not. This python3 only says
  # how it was called.
  set(python ${CMAKE_CURRENT_BINARY_DIR}/softmax_python/python3)
  file(CONFIGURE OUTPUT ${python} @ONLY CONTENT
       "#!/bin/sh\n[ \"$1\" != -c ] || exit $WITHOUT_TORCH\necho \"called: $*\"\n")
  file(CHMOD ${python} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  foreach(without 0 1)
    add_test(NAME lab/softmax_bench_torch_${without}
             COMMAND sh -c "PATH=\"$1:$PATH\" exec \"$0\" bench softmax --own --output \"$1\"" $<TARGET_FILE:ladder>
                     ${CMAKE_CURRENT_BINARY_DIR}/softmax_python)
    set_tests_properties(lab/softmax_bench_torch_${without} PROPERTIES RESOURCE_LOCK softmax_python
                         ENVIRONMENT WITHOUT_TORCH=${without})
  endforeach()
  set_tests_properties(lab/softmax_bench_torch_0 PROPERTIES PASS_REGULAR_EXPRESSION
    "called: .*06_softmax/vendor_torch.py .*06_softmax/skeleton --json .*written: .*06_softmax_torch.json")
  set_tests_properties(lab/softmax_bench_torch_1 PROPERTIES PASS_REGULAR_EXPRESSION "PyTorch is left out"
                       FAIL_REGULAR_EXPRESSION "called")
endif()
