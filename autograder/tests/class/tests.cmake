# SPDX-License-Identifier: MIT
# Classes: marks after grading, what a run keeps, progress.
ladder_unit_test(class class_marks class/marks.c)
target_sources(ladder_class_marks_test PRIVATE export/sample.c)
