# SPDX-License-Identifier: MIT
# Systems with nothing installed: the first command, what grades a push, and the container. They load a gigabyte and more.
# Without root, debootstrap or buildah they are skipped. `./ladder tables` takes their rows into docs/systems.txt.
execute_process(COMMAND dpkg --print-architecture OUTPUT_VARIABLE architecture OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
foreach(release bookworm trixie)
  add_test(NAME autograder/bare_${release} COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/bare.sh ${PROJECT_SOURCE_DIR} ${release}
           "${architecture}" ${CMAKE_CURRENT_BINARY_DIR}/systems/${release})
  set_tests_properties(autograder/bare_${release} PROPERTIES LABELS full SKIP_RETURN_CODE 77)
endforeach()
add_test(NAME autograder/container COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/container.sh ${PROJECT_SOURCE_DIR} trixie
         "${architecture}" ${CMAKE_CURRENT_BINARY_DIR}/systems/container)
set_tests_properties(autograder/container PROPERTIES LABELS full SKIP_RETURN_CODE 77)
