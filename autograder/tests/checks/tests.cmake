# SPDX-License-Identifier: MIT
# ladder check on small kernels: each bug is named with its class and the text of its line, its near miss raises no
# alarm (simulator.md, section 5), and neither does any solution nor any of the tree's other programs.

# What follows the name: the classes found, a regular expression for the output, more arguments of ladder check.
function(ladder_check_test name target case classes text)
  add_test(NAME checks/${name}
           COMMAND ${CMAKE_COMMAND} -DLADDER=$<TARGET_FILE:ladder>
                   "-DARGUMENTS=${ARGN};--;$<TARGET_FILE:${target}>;${case}" "-DCLASSES=${classes}"
                   "-DTEXT=${text}" -DIGNORE=${ladder_check_ignore} -DJSON=${CMAKE_CURRENT_BINARY_DIR}/check_${target}_${case}
                   -P ${CMAKE_CURRENT_SOURCE_DIR}/checks/run.cmake)
  set_tests_properties(checks/${name} PROPERTIES LABELS grade)
endfunction()

# A program for the checks: target, source, flags that give it its lines.
function(ladder_checked_program target source)
  add_executable(${target} ${source})
  set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
  target_compile_options(${target} PRIVATE ${ARGN})
  kl_find_runtime(${target})
endfunction()

# Small kernels by their tables, which say what is found in each row (check_case.h). Of such a source's heading since,
# architectures and options are read (common/simulator/tests/programs/tests.cmake).
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/common/simulator/tests/check/check_*.cu)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM target)
  string(REPLACE ".cu" ".def" table ${source})
  string(REPLACE "check_" "" program ${target})
  kit_heading(${source} since architectures options)
  if(CUDAToolkit_VERSION VERSION_LESS "${kit_since}")
    continue()
  endif()
  separate_arguments(kit_options UNIX_COMMAND "${kit_options}")
  ladder_checked_program(${target} ${source} -lineinfo ${kit_options})
  if("-rdc=true" IN_LIST kit_options)
    set_target_properties(${target} PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
  endif()
  if(kit_architectures)
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES ${kit_architectures})
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  kit_heading(${table} options)
  file(READ ${table} text)
  string(REGEX MATCHALL "\n(CASE.[a-z0-9_]+|// finds [^:\n]*)" rows "${text}")
  set(names "")
  foreach(row IN LISTS rows)
    if(row MATCHES "// finds .* as ([a-z0-9_]+)$")
      list(APPEND names ${CMAKE_MATCH_1})
    elseif(row MATCHES "// finds ")
      list(APPEND names .)
    else()
      string(REGEX REPLACE "\nCASE." "" case "${row}")
      if(NOT names AND case MATCHES "_not$")
        set(names .)
      endif()
      foreach(name IN LISTS names)
        string(REPLACE "." ${case} name ${name})
        add_test(NAME checks/${program}/${name}
                 COMMAND ${CMAKE_COMMAND} -DLADDER=$<TARGET_FILE:ladder> -DTABLE=${table} -DCASE=${case} -DNAME=${name}
                         -DPROGRAM=$<TARGET_FILE:${target}> -DOPTIONS=${kit_options}
                         -DJSON=${CMAKE_CURRENT_BINARY_DIR}/check_${program}_${name} -P ${CMAKE_CURRENT_LIST_DIR}/run.cmake)
        set_tests_properties(checks/${program}/${name} PROPERTIES LABELS grade)
      endforeach()
      set(names "")
    endif()
  endforeach()
endforeach()

# The host's read of a device pointer, with its line where the program has debug information; a finding like others.
ladder_checked_program(check_dereference ${PROJECT_SOURCE_DIR}/common/simulator/tests/programs/faults/host_dereference.cu -g)
ladder_check_test(host_line check_dereference "" "host-access"
  "host-access: .*host code read 0x2.*byte 40 of the 400 bytes.*at host_dereference.cu:13 in main\n.*exit status 139\n1 finding")
if(TARGET program_host_dereference)
  ladder_check_test(host_offset program_host_dereference "" "host-access"
    "host-access: .*program_host_dereference.0x[0-9a-f]+[ \n]+.nvcc -g tells the line.\n.*1 finding")
endif()

# ---- JSON, without an engine process ----
add_test(NAME checks/json COMMAND ${CMAKE_COMMAND} -DLADDER=$<TARGET_FILE:ladder> -DPROGRAM=$<TARGET_FILE:check_races>
         -DSOURCE=${PROJECT_SOURCE_DIR}/common/simulator/tests/check/check_races.cu
         -P ${CMAKE_CURRENT_LIST_DIR}/json.cmake)
add_test(NAME checks/in_process COMMAND check_races race)
set_tests_properties(checks/in_process PROPERTIES
  ENVIRONMENT "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:sim_runtime>;LADDER_SIM_MODE=check" PASS_REGULAR_EXPRESSION
  "simulator: race: .*write at check_races.cu:[0-9]+, thread .*read at check_races.cu:[0-9]+, thread .*simulator: 1 finding in 1 launch")
# Why a call failed, once, and how many launches failed unseen, also where nothing is checked.
add_test(NAME checks/reason_of_a_copy COMMAND check_memory copy_kind)
add_test(NAME checks/unchecked_without_check COMMAND check_flow launch_twice)
set_tests_properties(checks/reason_of_a_copy checks/unchecked_without_check PROPERTIES
  LABELS grade ENVIRONMENT "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:sim_runtime>")
set_tests_properties(checks/reason_of_a_copy PROPERTIES PASS_REGULAR_EXPRESSION
  "simulator: cudaMemcpy.0x[0-9a-f]+, 0x[0-9a-f]+, 16, 2. returned cudaErrorInvalidValue: the copy's kind contradicts the pointers[^\n]*\n  called at [^\n]*check_memory.0x"
  FAIL_REGULAR_EXPRESSION "contradicts.*contradicts")
set_tests_properties(checks/unchecked_without_check PROPERTIES PASS_REGULAR_EXPRESSION
  "simulator: 2 launches failed and nobody asked for their errors; the first: scale<<<.1,1,1., .2048,1,1., 0>>> returned cudaErrorInvalidValue and ran nothing: 2048 threads > 1024 per block")
set_tests_properties(checks/json checks/in_process PROPERTIES LABELS grade)

# ---- the programs of the page of findings, each of which has what it explains ----
add_custom_target(ladder_finding_programs)
add_test(NAME checks/findings_build
         COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target ladder_finding_programs)
set_tests_properties(checks/findings_build PROPERTIES LABELS full FIXTURES_SETUP finding_programs)
set(page ${PROJECT_SOURCE_DIR}/docs/findings.md)
file(STRINGS ${page} classes REGEX "^### ")
foreach(class IN LISTS classes)
  string(REPLACE "### " "" class ${class})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/findings/${class}.cu)
  add_custom_command(OUTPUT ${source} DEPENDS ${page} VERBATIM
                     COMMAND ladder check --explain ${class} | sed -n "s/^    //p" > ${source})
  ladder_checked_program(finding_${class} ${source} -lineinfo -g)
  set_target_properties(finding_${class} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(ladder_finding_programs finding_${class})
  if(class STREQUAL "register-race")
    set_target_properties(finding_${class} PROPERTIES CUDA_ARCHITECTURES 90a)
  endif()
  set(ignored leak)
  set(status 0)
  set(option "")
  set(limit "")
  if(class STREQUAL "not-checked") # the simulator runs in so much address space, and the checks do not
    set(limit 30000000)
  elseif(class STREQUAL "leak")
    set(ignored "")
  elseif(class STREQUAL "host-access")
    set(status 139)
  elseif(class STREQUAL "host-race")
    set(option "--host-accesses;")
  endif()
  add_test(NAME checks/finding/${class}
           COMMAND ${CMAKE_COMMAND} -DLADDER=$<TARGET_FILE:ladder> "-DARGUMENTS=${option}--;$<TARGET_FILE:finding_${class}>"
                   "-DCLASSES=${class}" -DIGNORE=${ignored} -DPROGRAM_STATUS=${status} -DLIMIT=${limit}
                   -DJSON=${CMAKE_CURRENT_BINARY_DIR}/finding_${class} -P ${CMAKE_CURRENT_SOURCE_DIR}/checks/run.cmake)
  set_tests_properties(checks/finding/${class} PROPERTIES LABELS full FIXTURES_REQUIRED finding_programs)
endforeach()
if(TARGET finding_grid-race)
  set_target_properties(finding_grid-race PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
endif()
# The page has a section of each class, with its meaning and a program, and no other.
add_test(NAME docs/findings_are_listed COMMAND sh -c "set -- $($0 check --explain none 2>&1 | tr ',\\n' ' ' | sed 's/.*they are//; s/See:.*//')
[ $(grep -c '^### ' ${page}) = $# ] || exit 1
for class; do $0 check --explain $class | sed -n 's/^    //p' | grep -q '^int main' || exit 1; done" $<TARGET_FILE:ladder>)
add_test(NAME checks/explain COMMAND ladder check --explain race)
set_tests_properties(checks/explain PROPERTIES PASS_REGULAR_EXPRESSION
  "^race: two threads.*How to fix it: .*__syncthreads.*compute-sanitizer: .*racecheck.*A program that has it:\n    __global__ void reverse")
add_test(NAME checks/explain_unknown COMMAND ladder check --explain races)
set_tests_properties(checks/explain_unknown PROPERTIES PASS_REGULAR_EXPRESSION "'races' is no class of findings; they are out-of-bounds, .*race")

# ---- programs of the tree: no alarm but these, each of them right ----
get_property(programs GLOBAL PROPERTY SIM_CHECKABLE_PROGRAMS)
get_property(full_programs GLOBAL PROPERTY SIM_FULL_PROGRAMS)
set(ladder_check_ignore leak) # many leave their memory to the end of the process
foreach(program IN LISTS programs)
  get_target_property(known ${program} SIM_FINDINGS) # of its heading
  ladder_check_test(program/${program} ${program} "" "${known}" "")
  set_tests_properties(checks/program/${program} PROPERTIES LABELS samples)
  if(program IN_LIST full_programs)
    set_tests_properties(checks/program/${program} PROPERTIES
      LABELS "samples;full" FIXTURES_REQUIRED ${program})
  endif()
endforeach()

# The kernels that times are measured of: no finding but of three, whose threads store different values to one address.
ladder_check_test(timing_kernels timing_kernels "" "block-race;race"
  "in kernel scatter_random\n.*in kernel scatter_window\n.*in kernel atomic_tickets\n.*\n6 findings, 1 of them a warning, in 185 launches")
set_tests_properties(checks/timing_kernels PROPERTIES LABELS full FIXTURES_REQUIRED timing_kernels) # 120 s
set(ladder_check_ignore "")

# ---- labs ----
# A step that is still to be written is neither clean nor wrong: it is said to be missing, and the status is not 0. How long builds
# and checks take, and whether they wait for each other, is left out.
function(ladder_check_unwritten test arguments expect)
  add_test(NAME checks/${test}
           COMMAND sh -c "{ \"$0\" check ${arguments}; echo \"status $?\"; } 2>&1 | grep -v '^building, \\|^checking \\|^ladder: waiting for'"
                   $<TARGET_FILE:ladder>)
  set_tests_properties(checks/${test} PROPERTIES PASS_REGULAR_EXPRESSION "${expect}")
endfunction()
foreach(lab IN LISTS labs)
  ladder_check_unwritten(skeleton/${lab} "${lab} 0 && \"$0\" check ${lab} 1"
    "^no (findings in [0-9]+ launch[^\n]*|kernel was launched)\nnot implemented\nstatus 1\n$")
endforeach()
foreach(step RANGE 2 8)
  kit_build_first("" reduction_skeleton_step_${step})
endforeach()
ladder_check_unwritten(skeleton_steps "reduction"
  "^step 0: no findings in [0-9]+ launches\nstep 1: not implemented\nstep 2.*step 8: not implemented\nstatus 1\n$")
ladder_check_unwritten(no_kernel "-- /bin/true" "^no kernel was launched\nstatus 0\n$")

# Every solution, in the usual order of blocks and warps and in another one.
foreach(lab IN LISTS labs)
  add_test(NAME checks/solution/${lab}
           COMMAND ${CMAKE_COMMAND} -DLADDER=$<TARGET_FILE:ladder>
                   "-DARGUMENTS=${lab};--solution;--order;random:20251"
                   -DJSON=${CMAKE_CURRENT_BINARY_DIR}/check_solution_${lab}
                   -P ${CMAKE_CURRENT_SOURCE_DIR}/checks/run.cmake)
  set_tests_properties(checks/solution/${lab} PROPERTIES LABELS grade)
endforeach()

# Wrong kernels whose heading says what is to be found (` check=CLASS,..`, wrong/README.md): those that misuse memory or
# barriers are found, whatever they compute; those with ` check=none`, which compute something else than they should, raise
# no alarm: the lab's driver asks for the error of every launch, and fills what a step shall write beforehand.
add_custom_target(ladder_checked_wrong)
add_test(NAME checks/wrong_build
         COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target ladder_checked_wrong)
set_tests_properties(checks/wrong_build PROPERTIES LABELS full FIXTURES_SETUP checked_wrong)

function(ladder_check_wrong lab edit heading)
  include(${PROJECT_BINARY_DIR}/labs/${lab}/description.cmake) # sets variables of many names: before all others
  string(REGEX REPLACE "^[0-9]+_" "" name ${lab})
  string(REGEX REPLACE ".* step=([0-9]+) file=([^ ]*) .*" "\\1;\\2" words "${heading}")
  list(POP_FRONT words step solution)
  string(REGEX REPLACE ".* check=([^ ]*).*" "\\1" classes "${heading}")
  string(REPLACE "," ";" classes "${classes}")
  if(classes STREQUAL "none")
    set(classes "")
  endif()
  set(solution ${PROJECT_SOURCE_DIR}/solutions/${lab}/steps/${solution})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/wrong/${lab}/${edit})
  set(edits ${CMAKE_CURRENT_SOURCE_DIR}/wrong/${lab}.edits)
  set(source ${folder}/${edit}.cu)
  add_custom_command(OUTPUT ${source} DEPENDS ladder_apply_edit ${edits} ${solution}
                     COMMAND ladder_apply_edit ${edits} ${edit} ${solution} ${source})
  file(MAKE_DIRECTORY ${folder})
  file(WRITE ${folder}/sources.txt "${step} ${source}\n")
  kl_cuda_module(check_wrong_${lab}_${edit} ${source} step_${step} ${folder} ${PROJECT_SOURCE_DIR}/labs/${lab})
  set_target_properties(check_wrong_${lab}_${edit} PROPERTIES EXCLUDE_FROM_ALL TRUE)
  if(needs_exact_${step})
    set_target_properties(check_wrong_${lab}_${edit} PROPERTIES CUDA_ARCHITECTURES ${needs_sm_${step}}a)
  endif()
  add_dependencies(ladder_checked_wrong check_wrong_${lab}_${edit})
  set(arguments --;$<TARGET_FILE:${name}>;${step};--steps-from;${folder};--device;sim;--quick;--check-only)
  add_test(NAME checks/wrong/${lab}/${edit}
           COMMAND ${CMAKE_COMMAND} -DLADDER=$<TARGET_FILE:ladder> "-DARGUMENTS=${arguments}"
                   "-DCLASSES=${classes}" -DPROGRAM_STATUS=1 -DJSON=${folder}/check
                   -P ${CMAKE_CURRENT_SOURCE_DIR}/checks/run.cmake)
  set_tests_properties(checks/wrong/${lab}/${edit} PROPERTIES
    LABELS full FIXTURES_REQUIRED checked_wrong)
endfunction()

foreach(lab IN LISTS labs)
  file(GLOB edits CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/wrong/${lab}.edits)
  set(headings "")
  if(edits)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${edits})
    file(STRINGS ${edits} headings REGEX "^(=== edit |// wrong-kernel:)")
  endif()
  foreach(heading IN LISTS headings)
    if(heading MATCHES "^=== edit (.*)")
      set(edit ${CMAKE_MATCH_1})
    elseif(heading MATCHES " check=")
      ladder_check_wrong(${lab} ${edit} "${heading}")
    endif()
  endforeach()
endforeach()
