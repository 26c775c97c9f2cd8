set(LAB_LIBRARIES kl_pruning)
set(LAB_APP_LIBRARIES pruning_problem cnn_model kl_pruning m)
# The application trains on lab 09's kernels, and times the last steps of labs 07 and 08.
set(LAB_APP_NEEDS cnn_solution gemm_solution_step_11 spmv_solution_step_9)
