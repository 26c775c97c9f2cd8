# SPDX-License-Identifier: MIT
# What the files of a lab say: steps, their differences, hints.
ladder_unit_test(lesson documents)
