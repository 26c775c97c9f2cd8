# SPDX-License-Identifier: MIT
# What is tested of this lab beyond what every lab is tested for (common/cmake/lab_tests.cmake).
kl_lab_unit_test(problem ${lab_dir}/tests/problem_test.c)
