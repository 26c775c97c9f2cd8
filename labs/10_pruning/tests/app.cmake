# SPDX-License-Identifier: MIT
# -DAPP=pruning_app -DFOLDER=where files may be written -P app.cmake
# Accuracies of a small study on the steps and, with the skeleton, on the host: the same.
cmake_minimum_required(VERSION 3.22)
file(MAKE_DIRECTORY ${FOLDER})

function(study out)
  execute_process(COMMAND ${APP} --device sim --data shapes --size 160 --test 64 --epochs 2 --sparsity 50,95
                          --plots ${FOLDER} ${ARGN}
                  OUTPUT_VARIABLE text ERROR_VARIABLE errors RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${status}: ${text}${errors}")
  endif()
  string(REGEX MATCHALL "\n(weights|blocks) +[0-9.]+ +[0-9.]+% +[0-9.]+%" lines "${text}")
  set(${out} "${lines}" PARENT_SCOPE)
endfunction()

study(steps --solution)
study(host)
if(steps STREQUAL "" OR NOT steps STREQUAL host)
  message(FATAL_ERROR "on the host it differs:${host}\nand on the steps:${steps}")
endif()
