# SPDX-License-Identifier: MIT
# Every lab's solution under other toolkits: those of $LADDER_TOOLKITS (paths of nvcc, separated by ':'), else those that lie
# where packages and `ladder install` put them.
add_test(NAME autograder/full/toolkits COMMAND sh -c "IFS=:; \
exec sh '${CMAKE_CURRENT_LIST_DIR}/labs.sh' '${PROJECT_SOURCE_DIR}' '${PROJECT_BINARY_DIR}' '${CMAKE_CURRENT_BINARY_DIR}/systems/toolkits' \
\${LADDER_TOOLKITS:-/usr/bin/nvcc:/opt/kernel-ladder/cuda/bin/nvcc:$(ls -d /usr/local/cuda-1[12].*/bin/nvcc 2>/dev/null | paste -sd: -)}")
set_tests_properties(autograder/full/toolkits PROPERTIES LABELS full SKIP_RETURN_CODE 77)
