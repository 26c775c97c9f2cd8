# SPDX-License-Identifier: MIT
kl_lab_unit_test(layers ${lab_dir}/tests/layers_test.c)
