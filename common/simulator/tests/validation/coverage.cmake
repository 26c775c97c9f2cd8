# Every opcode that the decoder takes is executed by a test; the page of tables is up to date. Without the programs
# that only the full tests build.
add_executable(sim-coverage ${validation_dir}/coverage_main.c)
target_link_libraries(sim-coverage PRIVATE ladder_c_options sim_core)
foreach(row IN LISTS hardware_rows)
  string(REGEX REPLACE "^OPERAND_CLASS\\((.*)\\)$" "OPERAND_IN_\\1" class ${row})
  target_compile_definitions(sim-coverage PRIVATE ${class})
endforeach()
get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
get_property(full_programs GLOBAL PROPERTY SIM_FULL_PROGRAMS)
set(looked_at "")
set(programs "")
foreach(target IN LISTS targets)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE AND NOT target IN_LIST full_programs AND
     target MATCHES "^((program|sample|ask)_|(texture|matrix|warpgroup|tensor)_program$)")
    list(APPEND looked_at ${target})
    list(APPEND programs $<TARGET_FILE:${target}>)
  endif()
endforeach()
set(coverage_command sh ${validation_dir}/coverage.sh)
set(coverage_inputs $<TARGET_FILE:sim-dump> $<TARGET_FILE:sim-coverage> $<TARGET_FILE:sim_runtime>
    ${validation_dir}/coverage.md ${programs})
add_test(NAME simulator/coverage COMMAND ${coverage_command} --check ${coverage_inputs})
# ./ladder coverage builds what it looks at, no more.
add_custom_target(coverage_programs DEPENDS sim-dump sim-coverage sim_runtime ${looked_at})
add_custom_target(coverage COMMAND ${coverage_command} ${coverage_inputs} VERBATIM
                  COMMENT "Writing validation/coverage.md")
add_dependencies(coverage coverage_programs)
