# SPDX-License-Identifier: MIT
# Reports of hostile names and outputs; what a page of a grade shows; results that are read again.
ladder_unit_test(report report)
ladder_unit_test(report report_page report/page.c)
ladder_unit_test(report report_read report/read.c)

# A right step that earns no points for its bank conflicts: the report shows the line, and ends with what to do.
add_test(NAME autograder/report_shows_the_line COMMAND sh -c
  "mkdir -p report_line && sed 's/TILE + 1]/TILE]/' \"$1\" >report_line/3_padded.cu && \"$0\" grade transpose report_line/3_padded.cu \
--quick --output report_line/results" $<TARGET_FILE:ladder> ${PROJECT_SOURCE_DIR}/solutions/01_transpose/steps/3_padded.cu)
set_tests_properties(autograder/report_shows_the_line PROPERTIES LABELS grade PASS_REGULAR_EXPRESSION
  "0/8  bank conflicts.*most of it in 3_padded.cu:43: out.*tile.*next: step 1: ")
