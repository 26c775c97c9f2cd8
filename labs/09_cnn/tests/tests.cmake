# SPDX-License-Identifier: MIT
kl_lab_unit_test(layers ${lab_dir}/tests/layers_test.c)
kl_lab_own(l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum)

if(TARGET sim_runtime AND TARGET cnn_solution)
  # On 2,000 images, in a minute on two cores, to at least 65 % of 1,000 others.
  add_test(NAME lab/cnn_app_trains COMMAND cnn_app --solution --device sim --epochs 3
           --plots ${CMAKE_CURRENT_BINARY_DIR}/cnn_pictures)
  set_tests_properties(lab/cnn_app_trains PROPERTIES PASS_REGULAR_EXPRESSION
    "2000 images to train on, 1000 to test with.*\n +3 +[0-9.]+ +[0-9.]+% +(6[5-9]|[7-9][0-9]|100)\\.[0-9]%")
  foreach(part resumed layers)
    add_test(NAME lab/cnn_app_${part} COMMAND ${CMAKE_COMMAND} -DAPP=$<TARGET_FILE:cnn_app>
             -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/cnn_app_${part} -DPART=${part} -P ${lab_dir}/tests/app.cmake)
  endforeach()
  foreach(wrong "epochs 0" "batch 0" "batch 16385" "rate -1" "rate nan" "momentum 1" "widths 4,8" "widths 0,8,32"
          "widths 65,8,32" "step 11" "size 0" "test x" "stop 0" "seed -1")
    string(REPLACE " " ";" words ${wrong})
    string(REPLACE " " "_" test ${wrong})
    list(GET words 0 option)
    add_test(NAME lab/cnn_app_${test} COMMAND cnn_app --${words})
    set_tests_properties(lab/cnn_app_${test} PROPERTIES
      PASS_REGULAR_EXPRESSION "cnn_app: --${option} takes")
  endforeach()
endif()
