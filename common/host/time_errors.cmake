# Makes time_errors.def of the tables of docs/timing.md: the cycle-level model's mean error for each lab and for kernels that the
# model was not built with, in per cent, by card. Set PAGE and OUTPUT and include it.
file(STRINGS ${PAGE} rows REGEX "^(Measured on |\\| )")
set(text "// Made by CMake from timing.md; do not edit.\n")
set(device "")
foreach(row IN LISTS rows)
  if(row MATCHES "^Measured on (.+), modelled for ")
    set(device ${CMAKE_MATCH_1})
  elseif(row MATCHES "^\\| cycle-level \\| only reported \\| [0-9]+ \\| ([0-9.]+) %")
    string(APPEND text "TIME_ERROR(\"${device}\", \"\", ${CMAKE_MATCH_1})\n")
  elseif(row MATCHES "^\\| ([a-z_]+) \\| [0-9]+ \\| [0-9]+ \\| [0-9.]+ % \\| [0-9]+ \\| [0-9]+ of [0-9]+ \\| ([0-9.]+) %"
         AND NOT CMAKE_MATCH_1 STREQUAL all)
    string(APPEND text "TIME_ERROR(\"${device}\", \"${CMAKE_MATCH_1}\", ${CMAKE_MATCH_2})\n")
  endif()
endforeach()
file(WRITE ${OUTPUT}.new "${text}")
file(COPY_FILE ${OUTPUT}.new ${OUTPUT} ONLY_IF_DIFFERENT)
