# SPDX-License-Identifier: MIT
# Tests of array jobs: with programs that stand for Slurm's, and with Slurm itself.
ladder_unit_test(slurm slurm_work slurm/work.c)
add_test(NAME autograder/slurm_fake COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/fake_class.sh $<TARGET_FILE:ladder>
         ${CMAKE_CURRENT_BINARY_DIR}/slurm_fake)
set_tests_properties(autograder/slurm_fake PROPERTIES LABELS grade)
add_test(NAME autograder/slurm_cluster COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/cluster_class.sh $<TARGET_FILE:ladder>
         ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/slurm_cluster)
set_tests_properties(autograder/slurm_cluster PROPERTIES LABELS full SKIP_RETURN_CODE 77)
