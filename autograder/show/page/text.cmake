# Writes OUTPUT, a C file with the pages' style sheets, scripts and the glossary as strings, and those of the module report.
#   cmake -DBASE=base.css -DREPORT=report.css -DSTYLE=page.css -DSCRIPT=page.js:code.js -DGLOSSARY=glossary.md
#         -DREPLAY=replay -DTRACE=trace -DOUTPUT=file.c -P text.cmake
# Several files, with colons between (a folder's name may have blanks), become one string.

# A C string literal.
function(quote out text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n" text "${text}")
  string(REPLACE "?" "\\?" text "${text}")
  set(${out} "\"${text}\"" PARENT_SCOPE)
endfunction()

set(code "// Made by CMake from style sheets, scripts and glossary.md; do not edit.\n#include \"show/page/page.h\"
#include \"show/report/report.h\"\n\n")
foreach(name BASE REPORT)
  file(READ "${${name}}" text)
  string(TOLOWER ${name} lower)
  quote(text "${text}")
  string(APPEND code "const char ladder_style_${lower}[] = ${text};\n")
endforeach()
foreach(name STYLE SCRIPT GLOSSARY)
  set(text "")
  string(REPLACE ":" ";" files "${${name}}")
  foreach(file IN LISTS files)
    file(READ "${file}" part)
    get_filename_component(folder "${file}" DIRECTORY)
    if(EXISTS "${folder}/LICENSE") # of another project: its licence goes with it
      file(READ "${folder}/LICENSE" licence)
      string(PREPEND part "/*!\n${licence}\n*/\n")
    endif()
    string(APPEND text "${part}")
  endforeach()
  string(TOLOWER ${name} lower)
  quote(text "${text}")
  string(APPEND code "const char ladder_page_${lower}[] = ${text};\n")
endforeach()
foreach(page REPLAY TRACE) # the page of a recording, and that of a timeline
  foreach(kind style.css script.js)
    string(REGEX REPLACE "(.*)\\.(.*)" "\\1" name ${kind})
    get_filename_component(ending ${kind} EXT)
    file(READ "${${page}}${ending}" text)
    quote(text "${text}")
    string(TOLOWER ${page} lower)
    string(APPEND code "const char ladder_${lower}_${name}[] = ${text};\n")
  endforeach()
endforeach()
file(WRITE "${OUTPUT}" "${code}")
