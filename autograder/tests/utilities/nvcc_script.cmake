# A script called nvcc that starts the toolkit's nvcc, as some machines have in PATH: the toolkit's own is found through
# it. A program that tells nothing of a toolkit stays what it is. -DNVCC= -DMODULE= -DWORK=
# test: autograder/nvcc_script -DNVCC=@NVCC@ -DWORK=@WORK@ -DMODULE=@SOURCE@/common/cmake/toolkit_nvcc.cmake
include(${MODULE})
file(REMOVE_RECURSE ${WORK})

# expect(WANTED LINE): what is found when nvcc is a script of that line.
function(expect wanted line)
  file(WRITE ${WORK}/nvcc "#!/bin/sh\n${line}\n")
  file(CHMOD ${WORK}/nvcc PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  ladder_toolkit_nvcc(${WORK}/nvcc found)
  if(NOT found STREQUAL wanted)
    message(FATAL_ERROR "nvcc as the script '${line}': found ${found} instead of ${wanted}")
  endif()
endfunction()

ladder_toolkit_nvcc(${NVCC} toolkit)
file(READ ${toolkit} magic LIMIT 4 HEX)
if(NOT magic STREQUAL "7f454c46")
  message(FATAL_ERROR "${toolkit} is not a program")
endif()
expect(${toolkit} "exec '${toolkit}' \"$@\"")
expect(${WORK}/nvcc "exit 0")
