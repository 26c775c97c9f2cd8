# ladder_toolkit_nvcc(COMPILER OUT): the path of the toolkit's own nvcc. COMPILER, the nvcc in PATH, may be a script that
# calls it: graded code is compiled in a sandbox, where only the toolkit's folders are. COMPILER itself when it tells no
# folder of its own.
function(ladder_toolkit_nvcc compiler out)
  execute_process(COMMAND ${compiler} -v ladder_no_such_file.cu OUTPUT_VARIABLE said ERROR_VARIABLE said
                  RESULT_VARIABLE ignored TIMEOUT 600)
  set(${out} ${compiler} PARENT_SCOPE)
  string(REGEX MATCH "_HERE_=([^\r\n]+)" found "${said}")
  if(found AND EXISTS "${CMAKE_MATCH_1}/nvcc")
    set(${out} "${CMAKE_MATCH_1}/nvcc" PARENT_SCOPE)
  endif()
endfunction()
