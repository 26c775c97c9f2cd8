# kl_describe_lab(FOLDER): what labs/FOLDER/lab.json says of a lab, and labs/modelled.json and labs/warp_instructions.csv, which
# need not have it, written to <build>/labs/FOLDER by ladder-lab, the only reader of them:
#   rubric.c, questions.c   the tables of grade/rubric/rubric.h
#   steps.h                 the tables of the steps, for problem.c
#   figures.txt             the page's figures, a line PICTURE ARGUMENTS for each
#   description.cmake       lab_steps and lab_given, the files of all steps and of the given ones; lab_numbers; lab_figures; and
#                           needs_sm_NUMBER and needs_cuda_NUMBER, what a step needs at least, 0 for any, needs_exact_NUMBER
#                           whether no later one will do, needs_devices_NUMBER how many GPUs (kl_step_info)
# CMake wants the steps' names before anything is built, so ladder-lab is compiled and run when it configures: half a second,
# the host compiler and C alone. A change of what is read configures again.

file(GLOB kl_lab_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/autograder/grade/description/*.c)
set(kl_lab_utilities ${PROJECT_SOURCE_DIR}/autograder/utilities)
list(APPEND kl_lab_sources ${PROJECT_SOURCE_DIR}/common/base/error_record.c ${PROJECT_SOURCE_DIR}/common/host/error.c
     ${PROJECT_SOURCE_DIR}/common/host/json_read.c ${kl_lab_utilities}/sha256.c ${kl_lab_utilities}/text.c
     ${kl_lab_utilities}/defence_on.c)
set(kl_lab_program ${PROJECT_BINARY_DIR}/ladder-lab)

# A build for another processor takes this machine's own compiler, or the emulator that runs the other one's programs.
set(kl_lab_compiler ${CMAKE_C_COMPILER})
set(kl_run_lab_program ${kl_lab_program})
if(CMAKE_CROSSCOMPILING)
  find_program(LADDER_OWN_COMPILER NAMES cc gcc clang DOC "C compiler for this machine" NO_CMAKE_FIND_ROOT_PATH)
  if(LADDER_OWN_COMPILER)
    set(kl_lab_compiler ${LADDER_OWN_COMPILER})
  else()
    set(kl_run_lab_program ${CMAKE_CROSSCOMPILING_EMULATOR} ${kl_lab_program})
  endif()
endif()

# Compiles ladder-lab where it is not there or older than its sources.
function(kl_build_lab_program)
  set(headers ${PROJECT_SOURCE_DIR}/autograder/grade/description/description.h
              ${PROJECT_SOURCE_DIR}/autograder/grade/description/fields.def ${PROJECT_SOURCE_DIR}/common/host/json_read.h)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${kl_lab_sources} ${headers})
  set(stale OFF)
  foreach(source IN LISTS kl_lab_sources headers)
    if("${source}" IS_NEWER_THAN ${kl_lab_program}) # true, too, where there is no program
      set(stale ON)
    endif()
  endforeach()
  if(NOT stale)
    return()
  endif()
  execute_process(COMMAND ${kl_lab_compiler} -std=c11 -D_GNU_SOURCE -O0 -I${PROJECT_SOURCE_DIR}/common/base
                          -I${PROJECT_SOURCE_DIR}/common/host -I${PROJECT_SOURCE_DIR}/autograder ${kl_lab_sources}
                          -o ${kl_lab_program}.new
                  RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "ladder-lab, which reads labs/*/lab.json, does not compile:\n${said}")
  endif()
  file(RENAME ${kl_lab_program}.new ${kl_lab_program})
endfunction()

function(kl_describe_lab folder)
  set(out_dir ${PROJECT_BINARY_DIR}/labs/${folder})
  file(MAKE_DIRECTORY ${out_dir})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/labs/${folder})
  foreach(file ${folder}/lab.json modelled.json warp_instructions.csv)
    if(EXISTS ${PROJECT_SOURCE_DIR}/labs/${file})
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/labs/${file})
    endif()
  endforeach()
  execute_process(COMMAND ${kl_run_lab_program} labs/${folder} ${out_dir} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  RESULT_VARIABLE code ERROR_VARIABLE said)
  if(NOT code EQUAL 0)
    string(STRIP "${said}" said)
    message(FATAL_ERROR " ${said}") # the blank keeps it on one line
  endif()
endfunction()

kl_build_lab_program()
