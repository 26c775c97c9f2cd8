# SPDX-License-Identifier: MIT
kl_lab_unit_test(problem ${lab_dir}/tests/problem_test.c)
kl_lab_own(l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
           l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum/sim__shared_ld_requests.sum)

if(TARGET sim_runtime AND TARGET pruning_solution)
  # A reduced network on 500 images, of a data set or drawn: what is left of 90 % still tells ten classes apart.
  add_test(NAME lab/pruning_app COMMAND pruning_app --solution --device sim --quick
           --plots ${CMAKE_CURRENT_BINARY_DIR}/pruning_pictures --json ${CMAKE_CURRENT_BINARY_DIR}/pruning_app.json)
  set_tests_properties(lab/pruning_app PROPERTIES PASS_REGULAR_EXPRESSION
    "weights +90\\.0 +[0-9.]+% +([2-9][0-9])\\.[0-9]%.*blocks +9[0-9]\\.[0-9].*Batches of 64.*CSR is smaller than dense from 5")
  # What is pruned and tuned on the host is the same as on the steps.
  add_test(NAME lab/pruning_app_host COMMAND ${CMAKE_COMMAND} -DAPP=$<TARGET_FILE:pruning_app>
           -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/pruning_app_host -P ${lab_dir}/tests/app.cmake)
  foreach(wrong "epochs 0" "tune -1" "batch 16385" "rate nan" "widths 4,8" "sparsity 50,40" "sparsity 101" "sparsity 5x"
          "step 9" "size 0" "test x" "seed -1" "repeat 0")
    string(REPLACE " " ";" words ${wrong})
    string(REPLACE " " "_" test ${wrong})
    list(GET words 0 option)
    add_test(NAME lab/pruning_app_${test} COMMAND pruning_app --${words})
    set_tests_properties(lab/pruning_app_${test} PROPERTIES
      PASS_REGULAR_EXPRESSION "pruning_app: --${option} takes")
  endforeach()
endif()
