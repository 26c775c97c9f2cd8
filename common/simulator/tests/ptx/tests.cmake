# SPDX-License-Identifier: MIT
# PTX text to syntax tree.
function(sim_golden_test module name)
  sim_unit_test(${module} ${name} support/bytes.c support/build_cubin.c ${ARGN})
  target_compile_definitions(sim_${module}_${name} PRIVATE SIM_GOLDEN="${SIM_GOLDEN}")
endfunction()
foreach(name lex parse parse_errors)
  sim_golden_test(ptx ${name})
endforeach()
sim_unit_test(ptx link)
