# ladder check on small kernels: each bug is named with its class and the text of its line, its near miss raises no
# alarm (simulator.md, section 5), and neither does any solution nor any of the tree's other programs.

# checked(ENTRY LABELS [KEY=VALUE..] [-- ARGUMENT..]): `ladder check ARGUMENT..`, by run.sh.
function(checked entry labels)
  string(REPLACE "/" "_" scratch check_${entry})
  add_test(NAME checks/${entry} COMMAND sh ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/run.sh $<TARGET_FILE:ladder>
                                        ${CMAKE_CURRENT_BINARY_DIR}/${scratch} ${ARGN})
  set_tests_properties(checks/${entry} PROPERTIES LABELS "${labels}")
endfunction()

# A program for the checks: target, source, flags that give it its lines.
function(ladder_checked_program target source)
  add_executable(${target} ${source})
  set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
  target_compile_options(${target} PRIVATE ${ARGN})
  kl_find_runtime(${target})
endfunction()

# One of the tests of a table's row.
macro(check_row case name)
  checked(${program}/${name} grade table=${table} case=${case} name=${name} program=$<TARGET_FILE:${target}> "options=${kit_checked}")
endmacro()

# Small kernels with the rows that say what is found in each (check_case.h), which may stand in a file of their own. Of such a
# source's heading since, architectures and options are read (common/simulator/tests/programs/tests.cmake), and checked.
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/common/simulator/tests/check/check_*.cu)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM target)
  string(REPLACE ".cu" ".def" table ${source})
  if(NOT EXISTS ${table})
    set(table ${source})
  endif()
  string(REPLACE "check_" "" program ${target})
  kit_heading(${source} since architectures options checked)
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
  file(READ ${table} text)
  string(REGEX MATCHALL "\n((CASE|PAIR).[a-z0-9_]+|// finds [^:\n]*)" rows "${text}")
  set(names "")
  foreach(row IN LISTS rows)
    if(row MATCHES "// finds .* as ([a-z0-9_]+)$")
      list(APPEND names ${CMAKE_MATCH_1})
    elseif(row MATCHES "// finds ")
      list(APPEND names .)
    else()
      string(REGEX REPLACE "\n(CASE|PAIR)." "" case "${row}")
      if(NOT names AND case MATCHES "_not$")
        set(names .)
      endif()
      foreach(name IN LISTS names)
        string(REPLACE "." ${case} name ${name})
        check_row(${case} ${name})
      endforeach()
      if(row MATCHES "PAIR")
        check_row(${case}_not ${case}_not)
      endif()
      set(names "")
    endif()
  endforeach()
endforeach()

# The host's read of a device pointer, with its line where the program has debug information; a finding like others.
ladder_checked_program(check_dereference ${PROJECT_SOURCE_DIR}/common/simulator/tests/programs/faults/host_dereference.cu -g)
checked(host_line grade classes=host-access
        "text=host-access: .*host code read 0x2.*byte 40 of the 400 bytes.*at host_dereference.cu:12 in main\\n.*exit status 139\\n1 finding"
        -- -- $<TARGET_FILE:check_dereference>)
checked(host_crash grade status=1 "text=host code of the program ended with a segmentation fault: exit status 139\\nno"
        -- -- $<TARGET_FILE:check_dereference> null)
if(TARGET program_host_dereference)
  checked(host_offset grade classes=host-access
          "text=host-access: .*program_host_dereference.0x[0-9a-f]+[ \\n]+.nvcc -g tells the line.\\n.*1 finding"
          -- -- $<TARGET_FILE:program_host_dereference>)
endif()

# ---- the programs of the page of findings, each of which has what it explains ----
add_custom_target(ladder_finding_programs)
add_test(NAME checks/findings_build
         COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target ladder_finding_programs)
set_tests_properties(checks/findings_build PROPERTIES LABELS full FIXTURES_SETUP finding_programs)
set(page ${PROJECT_SOURCE_DIR}/docs/findings.md)
file(STRINGS ${page} classes REGEX "^### ")
foreach(class IN LISTS classes)
  string(REPLACE "### " "" class ${class})
  if(class STREQUAL "tensor-memory" AND CUDAToolkit_VERSION VERSION_LESS 12.8)
    continue()
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/findings/${class}.cu)
  add_custom_command(OUTPUT ${source} DEPENDS ${page} VERBATIM
                     COMMAND ladder check --explain ${class} | sed -n "s/^    //p" > ${source})
  ladder_checked_program(finding_${class} ${source} -lineinfo -g)
  set_target_properties(finding_${class} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(ladder_finding_programs finding_${class})
  if(class STREQUAL "register-race")
    set_target_properties(finding_${class} PROPERTIES CUDA_ARCHITECTURES 90a)
  elseif(class STREQUAL "tensor-memory")
    set_target_properties(finding_${class} PROPERTIES CUDA_ARCHITECTURES 100a)
  endif()
  set(settings ignore=leak)
  set(option "")
  if(class STREQUAL "not-checked") # the simulator runs in so much address space, and the checks do not
    list(APPEND settings limit=30000000)
  elseif(class STREQUAL "leak")
    set(settings "")
  elseif(class STREQUAL "host-access")
    list(APPEND settings status=139)
  elseif(class STREQUAL "index-width")
    set(option --elements 2147483648)
  elseif(class STREQUAL "tensor-memory")
    set(option --device b200)
  elseif(class STREQUAL "peer-access")
    set(option --devices 2)
  elseif(class STREQUAL "host-race")
    set(option --host-accesses)
  endif()
  checked(finding/${class} full classes=${class} ${settings} -- ${option} -- $<TARGET_FILE:finding_${class}>)
  set_tests_properties(checks/finding/${class} PROPERTIES FIXTURES_REQUIRED finding_programs)
endforeach()
if(TARGET finding_grid-race)
  set_target_properties(finding_grid-race PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
endif()
# ---- programs of the tree: no alarm but these, each of them right ----
get_property(programs GLOBAL PROPERTY SIM_CHECKABLE_PROGRAMS)
get_property(full_programs GLOBAL PROPERTY SIM_FULL_PROGRAMS)
foreach(program IN LISTS programs)
  get_target_property(known ${program} SIM_FINDINGS) # of its heading
  list(JOIN known " " known)
  checked(program/${program} samples ignore=leak "classes=${known}" -- -- $<TARGET_FILE:${program}>) # many leave memory to the end
  get_target_property(device ${program} SIM_PROGRAM_DEVICE)
  set_tests_properties(checks/program/${program} PROPERTIES ENVIRONMENT "${device}")
  if(program IN_LIST full_programs)
    set_tests_properties(checks/program/${program} PROPERTIES LABELS "samples;full" FIXTURES_REQUIRED ${program})
  endif()
endforeach()

# The kernels that times are measured of: no finding but of three, whose threads store different values to one address.
checked(timing_kernels full ignore=leak "classes=block-race race"
  "text=in kernel scatter_random\\n.*in kernel scatter_window\\n.*in kernel atomic_tickets\\n.*\\n6 findings, 1 of them a warning, in 185 launches"
  -- -- $<TARGET_FILE:timing_kernels>)
set_tests_properties(checks/timing_kernels PROPERTIES FIXTURES_REQUIRED timing_kernels) # 120 s

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
  checked(solution/${lab} grade -- ${lab} --solution --order random:20251)
endforeach()
# The three dearest, 110 s of processor time together, with the full tests; grading checks steps of these labs in the others, too.
set_tests_properties(checks/solution/13_tensor_gemm checks/solution/14_attention PROPERTIES LABELS "grade;full")

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
  string(REGEX MATCH "^[0-9]+" step ${edit})
  file(GLOB solution ${PROJECT_SOURCE_DIR}/solutions/${lab}/steps/${step}_*.cu)
  string(REGEX REPLACE ".* check=([^ ]*).*" "\\1" classes "${heading}")
  string(REPLACE "," " " classes "${classes}")
  if(classes STREQUAL "none")
    set(classes "")
  endif()
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
  set(devices "")
  if(needs_devices_${step} GREATER 1)
    set(devices --devices ${needs_devices_${step}})
  endif()
  if(classes STREQUAL "index-width") # as the labs allow
    set(devices ${devices} --elements 2147483648)
  endif()
  checked(wrong/${lab}/${edit} full "classes=${classes}" status=1
          -- ${devices} -- $<TARGET_FILE:${name}> ${step} --steps-from ${folder} --device sim --quick --check-only)
  set_tests_properties(checks/wrong/${lab}/${edit} PROPERTIES FIXTURES_REQUIRED checked_wrong)
endfunction()

foreach(lab IN LISTS labs)
  file(GLOB edits CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/wrong/${lab}.edits)
  set(headings "")
  if(edits)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${edits})
    file(STRINGS ${edits} headings REGEX "^=== edit .* check=")
  endif()
  foreach(heading IN LISTS headings)
    string(REGEX REPLACE "^=== edit ([^ ]*) .*" "\\1" edit "${heading}")
    ladder_check_wrong(${lab} ${edit} "${heading}")
  endforeach()
endforeach()
