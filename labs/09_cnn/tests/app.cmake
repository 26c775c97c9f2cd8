# SPDX-License-Identifier: MIT
# The training program: -DAPP=cnn_app -DFOLDER=where files may be written -DPART=name -P app.cmake
#   resumed   three epochs are the same bits as one, a checkpoint, and two more
#   layers    layer by layer, on the steps or on the host, the losses are those of the whole steps
cmake_minimum_required(VERSION 3.22)
file(MAKE_DIRECTORY ${FOLDER})

function(train out)
  execute_process(COMMAND ${APP} --device sim --data shapes --size 160 --test 50 --plots ${FOLDER} ${ARGN}
                  OUTPUT_VARIABLE text ERROR_VARIABLE errors RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${status}: ${text}${errors}")
  endif()
  string(REGEX MATCHALL "\n +[0-9]+ +[0-9.]+ +[0-9.]+% +[0-9.]+%" lines "${text}")
  set(${out} "${lines}" PARENT_SCOPE)
endfunction()

function(same a b what)
  if(a STREQUAL "" OR NOT a STREQUAL b)
    message(FATAL_ERROR "${what}:${a}\nand${b}")
  endif()
endfunction()

if(PART STREQUAL "resumed")
  train(all --solution --epochs 3 --save ${FOLDER}/all)
  train(first --solution --epochs 3 --stop 1 --save ${FOLDER}/parts)
  train(rest --solution --epochs 3 --load ${FOLDER}/parts --save ${FOLDER}/parts)
  same("${all}" "${first};${rest}" "a resumed training differs")
  file(SHA256 ${FOLDER}/all all)
  file(SHA256 ${FOLDER}/parts parts)
  same("${all}" "${parts}" "checkpoints differ")
elseif(PART STREQUAL "layers")
  train(whole --solution --epochs 2)
  train(layers --solution --layers --epochs 2)
  train(host --epochs 2) # the skeleton: only step 0 is written
  same("${whole}" "${layers}" "layer by layer differs")
  same("${whole}" "${host}" "on the host it differs")
else()
  message(FATAL_ERROR "no part ${PART}")
endif()
