# SPDX-License-Identifier: MIT
set(LAB_PROBLEM_SOURCES layers.c bounds.c bounds_training.c inputs.c)
set(LAB_APP_LIBRARIES cnn_problem kl_training m)
