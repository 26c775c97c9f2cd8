# SPDX-License-Identifier: MIT
# Test: a drop-in exports the functions of its version, on one version node; and those of the toolkit's own library are the
# table's.
#   cmake -DNM=.. -DMAJOR=12 -DOURS=libcudart.so.12 -DTABLE=symbols.txt [-DREAL=libcudart.so.12] -P symbols.cmake
function(read_symbols library out)
  execute_process(COMMAND ${NM} -D --defined-only ${library} OUTPUT_VARIABLE text RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${NM} ${library} failed")
  endif()
  string(REGEX MATCHALL "[A-Za-z_0-9]+@@libcudart\\.so\\.${MAJOR}[.0-9]*" symbols "${text}")
  list(TRANSFORM symbols REPLACE "@.*" "")
  list(FILTER symbols EXCLUDE REGEX "^sim_runtime_")
  set(${out} ${symbols} PARENT_SCOPE)
endfunction()

# Prints what of `wanted` is not in `found`, and fails then.
function(compare what wanted found)
  list(LENGTH ${wanted} count)
  set(missing ${${wanted}})
  list(REMOVE_ITEM missing ${${found}})
  list(JOIN missing " " missing)
  if(count LESS 300 OR missing)
    message(FATAL_ERROR "${what}: of ${count} functions missing: ${missing}")
  endif()
  message(STATUS "${what}: ${count} functions, none missing")
endfunction()

file(STRINGS ${TABLE} table REGEX "^[^#].* ${MAJOR}")
list(TRANSFORM table REPLACE " .*" "")
read_symbols(${OURS} ours)
compare("of the table in the drop-in" table ours)
if(MAJOR EQUAL 12) # with what later versions of 12 brought
  file(STRINGS ${TABLE} later REGEX "^[^#]* 13$")
  list(TRANSFORM later REPLACE " .*" "")
  list(APPEND table ${later})
endif()
compare("of the drop-in in the table" ours table)
if(REAL)
  read_symbols(${REAL} real)
  compare("of the toolkit's library in the drop-in" real ours)
endif()
