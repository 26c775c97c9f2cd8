# SPDX-License-Identifier: MIT
# Reports of hostile names and outputs; what a page of a grade shows; results that are read again.
ladder_unit_test(report report)
ladder_unit_test(report report_page report/page.c)
ladder_unit_test(report report_read report/read.c)
