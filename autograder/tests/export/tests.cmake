# SPDX-License-Identifier: MIT
# Exports of grades, each read as its system reads it: JSON with jansson, XML strictly, tables by RFC 4180.
foreach(part marks roster)
  ladder_unit_test(export export_${part} export/${part}.c)
endforeach()
if(LADDER_HAVE_JANSSON)
  ladder_unit_test(export export_formats export/formats.c)
  target_sources(ladder_export_formats_test PRIVATE export/sample.c export/xml.c)
  target_link_libraries(ladder_export_formats_test PRIVATE ladder_package_JANSSON)
endif()
add_test(NAME autograder/export_cli COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/export/cli.sh $<TARGET_FILE:ladder>
                                            ${CMAKE_CURRENT_BINARY_DIR}/export_cli)
set_tests_properties(autograder/export_cli PROPERTIES LABELS grade)
find_program(LADDER_UNZIP unzip)
if(LADDER_UNZIP)
  foreach(test zip hostile)
    add_test(NAME autograder/export_${test}
             COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/export/${test}.sh $<TARGET_FILE:ladder>
                     ${CMAKE_CURRENT_BINARY_DIR}/export_${test} ${PROJECT_SOURCE_DIR})
    set_tests_properties(autograder/export_${test} PROPERTIES LABELS grade SKIP_RETURN_CODE 77)
  endforeach()
endif()
