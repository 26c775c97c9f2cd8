# SPDX-License-Identifier: MIT
# Test: the drop-in exports every function of the toolkit's libcudart, on the same version node.
#   cmake -DNM=.. -DREAL=libcudart.so.13 -DOURS=libcudart.so.13 -P symbols.cmake
foreach(library REAL OURS)
  execute_process(COMMAND ${NM} -D --defined-only ${${library}} OUTPUT_VARIABLE text
                  RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${NM} ${${library}} failed")
  endif()
  string(REGEX MATCHALL "[A-Za-z_0-9]+@@libcudart\\.so\\.13" ${library}_symbols "${text}")
endforeach()
set(missing ${REAL_symbols})
list(REMOVE_ITEM missing ${OURS_symbols})
set(extra ${OURS_symbols})
list(REMOVE_ITEM extra ${REAL_symbols})
list(FILTER extra EXCLUDE REGEX "^sim_runtime_")
list(LENGTH REAL_symbols count)
if(count LESS 300 OR missing OR extra)
  list(JOIN missing " " missing)
  list(JOIN extra " " extra)
  message(FATAL_ERROR "of ${count} functions missing: ${missing}; extra: ${extra}")
endif()
message(STATUS "${count} functions, none missing")
