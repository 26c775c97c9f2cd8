# SPDX-License-Identifier: MIT
# What is made of a class that was graded: pages, and those without names.
ladder_unit_test(class class_summary class/summary.c)
ladder_unit_test(class pseudonym)
