# The architecture that the build chooses, by what nvidia-smi says of the card, what nvcc compiles for, and CUDAARCHS.
# -DMODULE= -DWORK=
# test: autograder/architecture -DWORK=@WORK@ -DMODULE=@SOURCE@/common/cmake/cuda_architecture.cmake
file(REMOVE_RECURSE ${WORK})

function(write_program name lines)
  file(WRITE ${WORK}/${name} "#!/bin/sh\n${lines}\n")
  file(CHMOD ${WORK}/${name} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()
file(WRITE ${WORK}/choose.cmake "include(${MODULE})\nmessage(STATUS \"chosen \${CMAKE_CUDA_ARCHITECTURES}.\")\n")

# choose(WANTED CARD KNOWN..): on a card (9.0, or "" for none) with a toolkit that compiles for KNOWN.
function(choose wanted card)
  write_program(nvidia-smi "[ -n '${card}' ] && echo '${card}'")
  list(TRANSFORM ARGN REPLACE "(.+)" "echo compute_\\1" OUTPUT_VARIABLE lines)
  list(JOIN lines "\n" lines)
  write_program(nvcc "${lines}")
  execute_process(COMMAND ${CMAKE_COMMAND} -DLADDER_NVIDIA_SMI=${WORK}/nvidia-smi -DCMAKE_CUDA_COMPILER=${WORK}/nvcc
                          -P ${WORK}/choose.cmake OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT said MATCHES "${wanted}")
    message(FATAL_ERROR "card ${card}, toolkit ${ARGN}: wanted ${wanted}, got ${said}")
  endif()
endfunction()

unset(ENV{CUDAARCHS})
choose("chosen 90\\." "" 52 80 90)
choose("chosen 52\\." 5.2 50 52 80 90)
choose("chosen 86\\." 8.6 75 80 86 90 100 120)
choose("chosen 90\\." 12.0 52 80 90) # its driver compiles the PTX
choose("from sm_75 on.*chosen 90\\." 6.1 75 80 90 120)
choose("chosen 61\\." 6.1)           # a toolkit that does not tell
set(ENV{CUDAARCHS} 70)
choose("chosen 70\\." 8.6 52 80 90)
