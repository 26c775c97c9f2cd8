# SPDX-License-Identifier: MIT
# Sessions of the debugger on a program that is compiled twice: for lines, and with -G for variables.
set(debug_folder ${CMAKE_CURRENT_LIST_DIR})
foreach(kind IN ITEMS lines variables)
  set(program ladder_debug_${kind})
  add_executable(${program} debug/program.cu)
  set_target_properties(${program} PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
  kl_find_runtime(${program})
  file(GLOB transcripts CONFIGURE_DEPENDS ${debug_folder}/${kind}_*.txt)
  if(kind STREQUAL lines)
    target_compile_options(${program} PRIVATE -lineinfo)
  else()
    target_compile_options(${program} PRIVATE -G)
  endif()
  if(kind STREQUAL lines OR LADDER_HAVE_LIBDW)
    add_test(NAME autograder/debug_${kind}
             COMMAND sh ${debug_folder}/sessions.sh $<TARGET_FILE:ladder> $<TARGET_FILE:${program}>
                     ${CMAKE_CURRENT_BINARY_DIR}/debug_${kind} ${transcripts})
    set_tests_properties(autograder/debug_${kind} PROPERTIES LABELS grade)
  endif()
endforeach()
add_test(NAME autograder/debug_interrupt COMMAND sh ${debug_folder}/interrupt.sh $<TARGET_FILE:ladder>
         $<TARGET_FILE:ladder_debug_lines> ${CMAKE_CURRENT_BINARY_DIR}/debug_interrupt)
set_tests_properties(autograder/debug_interrupt PROPERTIES LABELS grade)

# Programs that end, vanish, multiply or do not end; and one without PTX, in the full tier.
foreach(tier IN ITEMS default full)
  set(program ladder_debug_hostile_${tier})
  add_executable(${program} debug/hostile.cu)
  set_target_properties(${program} PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
  kl_find_runtime(${program})
  target_compile_options(${program} PRIVATE -lineinfo)
  add_test(NAME autograder/debug_hostile_${tier}
           COMMAND sh ${debug_folder}/hostile.sh ${tier} $<TARGET_FILE:ladder> $<TARGET_FILE_DIR:ladder_debug_hostile_default>
                   ${CMAKE_CURRENT_BINARY_DIR}/debug_hostile_${tier})
  set_tests_properties(autograder/debug_hostile_${tier} PROPERTIES LABELS grade)
endforeach()
set_target_properties(ladder_debug_hostile_full PROPERTIES EXCLUDE_FROM_ALL TRUE CUDA_ARCHITECTURES 90-real)
add_dependencies(ladder_full ladder_debug_hostile_full)
set_tests_properties(autograder/debug_hostile_full PROPERTIES LABELS full)

if(LADDER_HAVE_EDIT)
  add_test(NAME autograder/debug_keys COMMAND sh ${debug_folder}/keys.sh $<TARGET_FILE:ladder> $<TARGET_FILE:ladder_debug_lines>)
  set_tests_properties(autograder/debug_keys PROPERTIES LABELS grade)
endif()
if(LADDER_HAVE_LIBDW)
  add_test(NAME autograder/debug_page COMMAND sh ${debug_folder}/page.sh $<TARGET_FILE:ladder> $<TARGET_FILE:ladder_debug_variables>
           ${CMAKE_CURRENT_BINARY_DIR}/debug_page)
  set_tests_properties(autograder/debug_page PROPERTIES LABELS grade)
endif()

# Sessions of editors.
add_executable(ladder_dap_player debug/dap/player.c)
target_link_libraries(ladder_dap_player PRIVATE ladder_c_options)
file(GLOB recordings CONFIGURE_DEPENDS ${debug_folder}/dap/variables_*.txt)
if(LADDER_HAVE_LIBDW AND LADDER_HAVE_JANSSON)
  add_test(NAME autograder/debug_dap
           COMMAND sh ${debug_folder}/dap/recordings.sh $<TARGET_FILE:ladder_dap_player> $<TARGET_FILE:ladder>
                   $<TARGET_FILE:ladder_debug_variables> ${CMAKE_CURRENT_BINARY_DIR}/debug_dap ${recordings})
  set_tests_properties(autograder/debug_dap PROPERTIES LABELS grade)
  add_test(NAME autograder/debug_dap_client
           COMMAND sh ${debug_folder}/dap/client.sh $<TARGET_FILE:ladder> $<TARGET_FILE:ladder_debug_variables>
                   ${CMAKE_CURRENT_BINARY_DIR}/debug_dap_client)
  set_tests_properties(autograder/debug_dap_client PROPERTIES LABELS full SKIP_RETURN_CODE 77)
endif()
if(LADDER_HAVE_JANSSON)
  ladder_unit_test(debug dap_message)
endif()
