# SPDX-License-Identifier: MIT
# What is taken from a submission, how it is built, what it may call. (The skeletons' test stands with the labs' tests,
# in common/tests/host.)
ladder_unit_test(submission submission)
ladder_unit_test(submission imports)
ladder_unit_test(submission build)
ladder_unit_test(submission step_cache)

# Object files for the import audit, compiled without sanitizers, which would add imports.
foreach(kind allowed forbidden)
  add_library(ladder_imports_${kind} OBJECT submission/imports_${kind}.c)
  add_dependencies(ladder_imports_test ladder_imports_${kind})
endforeach()
target_compile_definitions(ladder_imports_test PRIVATE
  TEST_ALLOWED_OBJECT="$<TARGET_OBJECTS:ladder_imports_allowed>"
  TEST_FORBIDDEN_OBJECT="$<TARGET_OBJECTS:ladder_imports_forbidden>"
  TEST_PROGRAM="$<TARGET_FILE:ladder_imports_test>")
