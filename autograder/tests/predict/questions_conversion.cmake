# SPDX-License-Identifier: MIT
# questions.cmake: sound questions are converted, no file gives an empty table; an unknown key, a wrong type, a missing
# key or another lab is refused with the place named.
cmake_minimum_required(VERSION 3.22)
file(MAKE_DIRECTORY ${WORK})

set(ask "{\"name\":\"n\",\"text\":\"a; \\\"b\\\" ?\",\"unit\":\"u\",\"value\":\"launches\"}")
set(step "{\"step\":1,\"family\":\"f\",\"size\":8,\"ask\":[${ask},${ask}]}")
set(none "{\"step\":0,\"none\":\"runs on the host\"}")
set(plain "{\"question\":\"why?\",\"answer\":\"so\"}")
set(counted "{\"question\":\"how many?\",\"answer\":\"{}\",\"step\":1,\"family\":\"f\",\"size\":8,\"values\":[\"launches\"]}")

function(convert steps selfcheck lab out_code out_error)
  file(WRITE ${WORK}/questions.json
       "{\"schema\":\"ladder.questions/1\",\"lab\":\"${lab}\",\"steps\":[${steps}],\"selfcheck\":[${selfcheck}]}")
  file(REMOVE ${WORK}/questions.c)
  execute_process(COMMAND ${CMAKE_COMMAND} -DINPUT=${WORK}/questions.json -DOUTPUT=${WORK}/questions.c -DNAME=99_x
                          -P ${CONVERTER}
                  RESULT_VARIABLE code ERROR_VARIABLE error OUTPUT_QUIET)
  set(${out_code} ${code} PARENT_SCOPE)
  set(${out_error} "${error}" PARENT_SCOPE)
endfunction()

convert("${none},${step}" "${plain},${counted}" 99_x code error)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "sound questions were not converted: ${error}")
endif()
file(READ ${WORK}/questions.c made)
foreach(line "\"n\", \"a. .\"b.\" .*\", \"u\", \"launches\"" "0, \"\", INT64_C.0., \"runs on the host\", ask_0, 0"
             "INT64_C.8., \"\", ask_1, 2" "\"so\", -1, \"\"" "values_1.. = .\"launches\", 0" "asked_count = 2"
             "selfcheck_count = 2")
  if(NOT made MATCHES "${line}")
    message(FATAL_ERROR "no ${line} in\n${made}")
  endif()
endforeach()

execute_process(COMMAND ${CMAKE_COMMAND} -DINPUT= -DOUTPUT=${WORK}/questions.c -DNAME=99_x -P ${CONVERTER}
                RESULT_VARIABLE code)
file(READ ${WORK}/questions.c made)
if(NOT code EQUAL 0 OR NOT made MATCHES "asked_count = 0")
  message(FATAL_ERROR "no questions:\n${made}")
endif()

function(refused steps selfcheck lab expect)
  convert("${steps}" "${selfcheck}" "${lab}" code error)
  string(REGEX REPLACE "[ \n]+" " " error "${error}")
  if(code EQUAL 0 OR NOT error MATCHES "${expect}")
    message(FATAL_ERROR "expected \"${expect}\" (${code}): ${error}")
  endif()
endfunction()
refused("${step}" "" 98_y "\"lab\" is \"98_y\"")
refused("{\"step\":1,\"ask\":[]}" "" 99_x "steps 0: \"family\" is missing")
refused("{\"step\":1,\"family\":\"f\",\"size\":\"8\",\"ask\":[]}" "" 99_x "\"size\" must be NUMBER")
refused("{\"step\":1,\"family\":\"f\",\"size\":8,\"ask\":[{\"name\":\"n\"}]}" "" 99_x "question 0: \"text\" is missing")
refused("{\"step\":1,\"sise\":8}" "" 99_x "unknown key \"sise\"")
refused("" "{\"question\":\"q\",\"answer\":\"{}\",\"values\":[\"launches\"]}" 99_x "selfcheck 0: \"step\" is missing")
refused("" "{\"question\":\"q\",\"answer\":\"a\",\"step\":1}" 99_x "without \"values\".: unknown key \"step\"")
set(five "\"launches\",\"launches\",\"launches\",\"launches\",\"launches\"")
refused("" "{\"question\":\"q\",\"answer\":\"a\",\"step\":1,\"family\":\"f\",\"size\":8,\"values\":[${five}]}" 99_x
        "selfcheck 0: \"values\" has 5 formulas, more than 4")
