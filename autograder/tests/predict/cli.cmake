# SPDX-License-Identifier: MIT
# ladder predict from outside: what it refuses, and that nothing is written then; predictions that are handed in stand
# in the report of `ladder grade`.
#   -DLADDER=.. -DSOURCE=.. -DWORK=..
# test: autograder/predict_cli -DLADDER=@ladder@ -DSOURCE=@SOURCE@ -DWORK=@WORK@
# labels: grade
set(file ${SOURCE}/labs/02_reduction/steps/predictions.txt)
set(there FALSE)
if(EXISTS ${file})
  set(there TRUE)
endif()

function(refused status expect)
  execute_process(COMMAND ${LADDER} predict ${ARGN} INPUT_FILE /dev/null RESULT_VARIABLE code ERROR_VARIABLE text
                  OUTPUT_VARIABLE out)
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
  if(NOT code EQUAL status OR NOT text MATCHES "${expect}")
    message(FATAL_ERROR "predict ${ARGN}: status ${code}, expected ${status} and \"${expect}\": ${text}")
  endif()
endfunction()
refused(2 "does not ask for 'sms'.*did you mean sms_used.*it asks for: sms_used, requests" reduction 1 --answer sms=3)
refused(2 "--answer sms_used: empty" reduction 1 --answer sms_used=)
refused(2 "'-3' is negative" reduction 1 --answer sms_used=-3)
refused(2 "'many' is not a number" reduction 1 --answer sms_used=many)
refused(2 "expected NAME=NUMBER" reduction 1 --answer sms_used)
refused(2 "'x' is not a number" reduction 1 --answer sms_used=132 --answer requests=x) # nor is the first kept
refused(2 "which step" reduction)
refused(2 "no step '77'" reduction 77)
refused(2 "no lab" nothing 1)
refused(1 "nothing is asked about step 0: host code" occupancy 0)
refused(1 "the input ended" reduction 1)
if(NOT there AND EXISTS ${file})
  file(REMOVE ${file})
  message(FATAL_ERROR "a refused prediction was written")
endif()

file(REMOVE_RECURSE ${WORK})
file(COPY ${SOURCE}/solutions/02_reduction/steps/1_interleaved.cu
          ${SOURCE}/solutions/02_reduction/steps/3_sequential.cu DESTINATION ${WORK}/inbox/ada/steps)
file(WRITE ${WORK}/inbox/ada/steps/predictions.txt
"predict 1 aa d sms_used=132\npredict 1 aa d sectors_per_request=8\nfirst 1 bb d run\npredict 1 bb d requests=32768\n
first 3 bb d run\npredict 3 bb d gain=<b>1\npredict 3 bb d conflicts_per_load=0\n")
execute_process(COMMAND ${LADDER} grade reduction --unsafe --submissions ${WORK}/inbox --output ${WORK}/results --quick --device sim
                RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE text)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "grade: ${code}: ${out}${text}")
endif()
file(READ ${WORK}/results/submissions/ada/report.txt report)
file(READ ${WORK}/results/submissions/ada/report.html page)
file(READ ${WORK}/results/submissions/ada/result.json json)
string(REGEX REPLACE "[ \n]+" " " report "${report}")
foreach(expect "sms_used: predicted 132, counted 132: right sectors"
               "sectors_per_request: predicted 8, counted [34][.0-9]*: 2.0 times too high requests"
               "requests: predicted 32768, counted 32897: right .predicted after the first run"
               "conflicts_per_load: predicted 0, counted 0: right .predicted after"
               "predictions: 2 of [0-9]+ numbers before the first run; of 2 counted, 1 within 10 %; 2 after")
  if(NOT report MATCHES "${expect}")
    message(FATAL_ERROR "no \"${expect}\" in\n${report}")
  endif()
endforeach()
if(report MATCHES "not used: predictions" OR NOT page MATCHES "<li>sms_used: predicted 132, counted 132: right</li>")
  message(FATAL_ERROR "${report}${page}")
endif()
string(JSON value GET "${json}" steps 1 predictions 0 counted)
string(JSON before GET "${json}" steps 1 predictions 2 before_first_run)
if(NOT value EQUAL 132 OR before)
  message(FATAL_ERROR "result.json: ${value} ${before}")
endif()
