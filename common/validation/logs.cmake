# SPDX-License-Identifier: MIT
# kl_card_logs(OUT): the folder with what programs of this folder wrote on cards, unpacked from CARD.tar.zst, and what the
# simulator models for them, from simulated.tar.zst (docs/validation.md lists the files). Paths are as beside the programs:
# operands/operands_h100.bin. Unpacked when CMake runs, if an archive changed.
function(kl_card_logs out)
  set(logs ${PROJECT_BINARY_DIR}/common/validation/logs)
  file(GLOB archives CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/common/validation/*.tar.zst)
  foreach(archive IN LISTS archives)
    cmake_path(GET archive STEM card)
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${archive})
    file(SHA256 ${archive} now)
    set(before "")
    if(EXISTS ${logs}/${card}.sha256)
      file(READ ${logs}/${card}.sha256 before)
    endif()
    if(NOT now STREQUAL before)
      file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${logs})
      file(WRITE ${logs}/${card}.sha256 ${now})
    endif()
  endforeach()
  set(${out} ${logs} PARENT_SCOPE)
endfunction()
