# SPDX-License-Identifier: MIT
# ladder check on small kernels: each bug is named with its class and the text of its line, and its near miss
# raises no alarm (simulator.md, section 5); on the solutions nothing is found.
add_executable(check_cases ${PROJECT_SOURCE_DIR}/common/simulator/tests/checks/check_cases.cu)
set_target_properties(check_cases PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
target_compile_options(check_cases PRIVATE -lineinfo)
kl_find_runtime(check_cases)

function(ladder_check_test name expect)
  add_test(NAME checks/${name} COMMAND ladder check -- $<TARGET_FILE:check_cases> ${name})
  set_tests_properties(checks/${name} PROPERTIES LABELS grade TIMEOUT 120
                       PASS_REGULAR_EXPRESSION "${expect}")
endfunction()

set(check_read "read at check_cases.cu:[0-9]+\n")
ladder_check_test(race "race: .*${check_read}.*= tile.*write at check_cases.cu.*tile.t. = x")
ladder_check_test(race_right_sum "race: .*${check_read}.*partial.t. .= partial.t . stride.*shared memory at.*: partial")
ladder_check_test(warp_race "race: .*${check_read}.*= s.t \\^ 1.*: s .*__syncwarp")
ladder_check_test(warp_race_volatile "race: .*= v.t \\^ 1.*volatile does not order")
ladder_check_test(histogram_race "race: .*bins.*..: bins")
ladder_check_test(block_race "block-race: .*write at .*x.i. = right.*read at .*allocation 1 ")
ladder_check_test(last_block_race "block-race: .*sum .= partial.i..*partial.blockIdx.x")
ladder_check_test(lock_race "block-race: .*.count .= 1")
ladder_check_test(grid_race "block-race: .*= a..i . BLOCK. % N.")
ladder_check_test(bounds "out-of-bounds: .*y.i. = x.i.*0 bytes past")
ladder_check_test(misaligned "misaligned: .*threadIdx.x")
ladder_check_test(freed "use-after-free: .*y.i. = x.i.")
ladder_check_test(freed_twice "bad-free: ")
ladder_check_test(leak "leak: .*allocation 4 of the program, 1000 bytes")
ladder_check_test(unset "uninitialised: .*y.i. = x.i.*allocation 3")
ladder_check_test(unset_counter "uninitialised: .*atomic at .*atomicAdd.count")
ladder_check_test(unset_shared "uninitialised: .*28 times.*y.t. = s.t..*shared memory")
ladder_check_test(unset_local "uninitialised: .*2 times.*local memory")
ladder_check_test(divergent_barrier "divergent-barrier: .*__syncthreads.*__syncthreads")
ladder_check_test(exited_barrier "exited-barrier: .*__syncthreads")
ladder_check_test(deadlock "deadlock: .*64 of 128 threads have arrived")
ladder_check_test(lanes "absent-lane: .*__shfl_down_sync")
ladder_check_test(launch "unchecked-launch: .*copy_guarded<<<1, 2048>>>.*cudaErrorInvalidValue")
foreach(name race_not race_right_sum_not warp_race_not double_buffer_not histogram_race_not named_barriers_not
             tiles_not block_race_not last_block_race_not lock_race_not same_value_not grid_race_not bounds_not
             misaligned_not unset_not unset_padding_not unset_counter_not unset_shared_not unset_local_not
             divergent_barrier_not exited_barrier_not launch_not)
  ladder_check_test(${name} "no findings in [01] launches")
endforeach()
