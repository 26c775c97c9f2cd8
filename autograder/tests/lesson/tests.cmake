# SPDX-License-Identifier: MIT
# What the files of a lab say: steps, their differences, hints; where a student is in it.
ladder_unit_test(lesson documents)
ladder_unit_test(lesson next)
