# SPDX-License-Identifier: MIT
# Writes OUTPUT, a C file with page.css, page.js and the glossary as strings, and those of the room report.
#   cmake -DBASE=base.css -DREPORT=report.css -DSTYLE=page.css -DSCRIPT=page.js -DGLOSSARY=glossary.md -DOUTPUT=file.c
#         -P text.cmake
include(${CMAKE_CURRENT_LIST_DIR}/../rubric/json_table.cmake) # quote
set(code "// Made by CMake from style sheets, page.js and glossary.md; do not edit.\n#include \"page/text.h\"
#include \"report/style.h\"\n\n")
foreach(name BASE REPORT)
  file(READ "${${name}}" text)
  string(TOLOWER ${name} lower)
  quote(text "${text}")
  string(APPEND code "const char ladder_style_${lower}[] = ${text};\n")
endforeach()
foreach(name STYLE SCRIPT GLOSSARY)
  file(READ "${${name}}" text)
  string(TOLOWER ${name} lower)
  quote(text "${text}")
  string(APPEND code "const char ladder_page_${lower}[] = ${text};\n")
endforeach()
file(WRITE "${OUTPUT}" "${code}")
