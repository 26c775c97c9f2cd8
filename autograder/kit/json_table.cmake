# SPDX-License-Identifier: MIT
# What the converters of a lab's JSON files (rubric.cmake, questions.cmake) share: reading INPUT with CMake's own JSON
# reader. An unknown key, a missing one or a value of the wrong type stops the build with the place named.

# Reads INPUT into `out` and stops unless it has this schema.
function(read_json out schema)
  file(READ "${INPUT}" text)
  string(JSON version ERROR_VARIABLE problem GET "${text}" schema)
  if(NOT version STREQUAL schema)
    message(FATAL_ERROR "${INPUT}: \"schema\" must be \"${schema}\" (${version}${problem})")
  endif()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

# Stops when the object `text` has a key that is not among the further arguments.
function(check_keys text where)
  string(JSON count LENGTH "${text}")
  if(count EQUAL 0)
    return()
  endif()
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    string(JSON key MEMBER "${text}" ${i})
    if(NOT key IN_LIST ARGN)
      message(FATAL_ERROR "${INPUT}: ${where}: unknown key \"${key}\"; known are: ${ARGN}")
    endif()
  endforeach()
endfunction()

# Value of a key with a wanted JSON type; `fallback` when it is absent (REQUIRED: then an error).
function(get out text where key type fallback)
  string(JSON found ERROR_VARIABLE absent TYPE "${text}" ${key})
  if(absent)
    if(fallback STREQUAL "REQUIRED")
      message(FATAL_ERROR "${INPUT}: ${where}: \"${key}\" is missing")
    endif()
    set(${out} "${fallback}" PARENT_SCOPE)
    return()
  endif()
  if(NOT found STREQUAL type)
    message(FATAL_ERROR "${INPUT}: ${where}: \"${key}\" must be ${type}, not ${found}")
  endif()
  string(JSON value GET "${text}" ${key})
  set(${out} "${value}" PARENT_SCOPE)
endfunction()

# A C string literal.
function(quote out text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n" text "${text}")
  string(REPLACE "?" "\\?" text "${text}")
  set(${out} "\"${text}\"" PARENT_SCOPE)
endfunction()

function(to_bool out value)
  if(value)
    set(${out} "true" PARENT_SCOPE)
  else()
    set(${out} "false" PARENT_SCOPE)
  endif()
endfunction()
