# SPDX-License-Identifier: MIT
# Optional packages. Each sets LADDER_HAVE_<NAME> and gives an imported target; nothing here is required to
# build the labs, the simulator or `ladder run`.
include(FindPackageHandleStandardArgs)
set(LADDER_PACKAGE_ROWS "")

# ladder_package(NAME HEADER LIBRARY debian-package "what it is for")
function(ladder_package name header library debian purpose)
  find_path(LADDER_${name}_INCLUDE ${header})
  find_library(LADDER_${name}_LIBRARY NAMES ${library})
  mark_as_advanced(LADDER_${name}_INCLUDE LADDER_${name}_LIBRARY)
  if(LADDER_${name}_INCLUDE AND LADDER_${name}_LIBRARY)
    set(LADDER_HAVE_${name} TRUE PARENT_SCOPE)
    set(state "found")
    add_library(ladder_package_${name} UNKNOWN IMPORTED)
    set_target_properties(ladder_package_${name} PROPERTIES
      IMPORTED_LOCATION ${LADDER_${name}_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${LADDER_${name}_INCLUDE})
  else()
    set(LADDER_HAVE_${name} FALSE PARENT_SCOPE)
    set(state "not found (Debian: ${debian})")
  endif()
  set(LADDER_PACKAGE_ROWS "${LADDER_PACKAGE_ROWS}" "  ${name}: ${state} -- ${purpose}" PARENT_SCOPE)
endfunction()

ladder_package(CHECK check.h check check "unit tests")
if(LADDER_HAVE_CHECK) # Debian has Check as a static library only, which leaves these to its users
  find_library(LADDER_SUBUNIT_LIBRARY subunit)
  mark_as_advanced(LADDER_SUBUNIT_LIBRARY)
  if(LADDER_SUBUNIT_LIBRARY)
    target_link_libraries(ladder_package_CHECK INTERFACE ${LADDER_SUBUNIT_LIBRARY})
  endif()
  target_link_libraries(ladder_package_CHECK INTERFACE m rt Threads::Threads)
endif()
ladder_package(ZLIB zlib.h z zlib1g-dev "compressed files: matrices (.mtx.gz), data sets")
ladder_package(ARCHIVE archive.h archive libarchive-dev "archives of submissions: ladder grade --submissions class.zip")
ladder_package(SQLITE sqlite3.h sqlite3 libsqlite3-dev "gradebook of a course: ladder grade --gradebook")
ladder_package(JANSSON jansson.h jansson libjansson-dev "tables in the documents from measured JSON")
ladder_package(LIBDW elfutils/libdw.h dw libdw-dev "variables of kernels: ladder debug")
if(LADDER_HAVE_LIBDW) # libelf, which it stands on, is named by its users as well
  find_library(LADDER_LIBELF_LIBRARY elf)
  mark_as_advanced(LADDER_LIBELF_LIBRARY)
  target_link_libraries(ladder_package_LIBDW INTERFACE ${LADDER_LIBELF_LIBRARY})
endif()

function(ladder_package_summary)
  message(STATUS "GPU architecture: sm_${CMAKE_CUDA_ARCHITECTURES}")
  message(STATUS "Optional packages:")
  foreach(row IN LISTS LADDER_PACKAGE_ROWS)
    if(row)
      message(STATUS "${row}")
    endif()
  endforeach()
endfunction()
