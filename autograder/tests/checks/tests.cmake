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

foreach(program races patterns bounds memory flow async texture cluster children host)
  ladder_checked_program(check_${program} ${PROJECT_SOURCE_DIR}/common/simulator/tests/check/check_${program}.cu -lineinfo)
endforeach()
if(CUDAToolkit_VERSION VERSION_GREATER_EQUAL 13.0)
  ladder_checked_program(check_tensor ${PROJECT_SOURCE_DIR}/common/simulator/tests/check/check_tensor.cu -lineinfo)
  set_target_properties(check_tensor PROPERTIES CUDA_ARCHITECTURES 90a)
endif()
target_compile_options(check_host PRIVATE -g)
set_target_properties(check_children PROPERTIES CUDA_SEPARABLE_COMPILATION ON)

# ---- positives: ladder_check_finds(program case "classes" "text") ----
function(ladder_check_finds program case classes text)
  ladder_check_test(${case} check_${program} ${case} "${classes}" "${text}" ${ARGN})
endfunction()
set(read_race "read at check_races.cu:[0-9]+\n")
set(read_async "read at check_async.cu:[0-9]+\n")
ladder_check_finds(races race "race"
  "race: .*write at check_races.cu:[0-9]+\n.*tile.t. = x.*${read_race}.*value never written.*= tile.*shared memory: tile.32.\n.*no barrier.*__syncthreads")
ladder_check_finds(races race_right_sum "race"
  "race: .*${read_race}.*partial.t. .= partial.t . stride.*shared memory: partial")
ladder_check_finds(races warp_race "race" "race: .*${read_race}.*= s.t \\^ 1.*: s.1.\n.*__syncwarp")
ladder_check_finds(races warp_race_volatile "race" "race: .*= v.t \\^ 1.*volatile does not order")
ladder_check_finds(races histogram_race "race" "race: .*bins.*..: bins")
ladder_check_finds(races block_race "block-race"
  "block-race: .*write at .*x.i. = right.*read at .*argument 1 of the kernel")
ladder_check_finds(races last_block_race "block-race"
  "block-race: .*sum .= partial.i..*partial.blockIdx.x")
ladder_check_finds(races lock_race "block-race" "block-race: .*.count .= 1.*a lock alone orders no other memory.*Put[ \n]+__threadfence..[ \n]+before[ \n]+it[ \n]+is[ \n]+released[ \n]+in[ \n]+line[ \n]+[0-9]+;[ \n]+or")
ladder_check_finds(races grid_race "block-race" "block-race: .*= a..i . BLOCK. % N.")
ladder_check_finds(races look_back "block-race" "block-race: .*x.before . place. = value")
ladder_check_finds(races plain_grid_sync "stopped" "stopped: .*this_grid.*the launch is not cooperative: grid.sync..[ \n]+needs cudaLaunchCooperativeKernel")
ladder_check_finds(races count_race "race" "race: .*= count.*atomicAdd.*: count")
foreach(case unwanted unwanted_read)
  ladder_check_finds(races ${case} "race" "race: .*write at check_races.cu:[0-9]+\n *thread[^\n]*\n *kept.place. = value;.*write at check_races.cu:[0-9]+\n *thread[^\n]*\n *kept.place. = value;.*: kept.128.\n *threads store different values")
endforeach()
ladder_check_finds(races unwanted_cleared "race" "race: .*kept.place. = value;.*: kept.128.\n.*race: .*kept.BLOCK. = 0;.*kept.place. = value;.*\n2 findings in")
# A load before the test that asks for its value: told when something uses it, at the line of the load.
foreach(case select branch address loop mask compare)
  ladder_check_finds(races early_${case} "race"
    "race: .*write at [^\n]*\n[^\n]*\n *if .t == 64. word = 4;\n *read at [^\n]*\n[^\n]*\n *LOAD_SHARED_EARLY.value, &word.;.*: word\n.*\n1 finding in")
endforeach()
foreach(case overwritten after)
  ladder_check_finds(races early_${case} "race" "race: .*x.t. = t;.*LOAD_EARLY.value, .*argument 1.*\n1 finding in")
  ladder_check_finds(races early_${case}_by_block "block-race" "block-race: .*x.t. = t;.*LOAD_EARLY.value, .*\n1 finding in")
endforeach()
ladder_check_finds(races early_gate "race" "race: .*word = 1;.*if .wait.*: word\n.*\n1 finding in")
ladder_check_finds(races early_in_part "race" "race: .*LOAD_SHARED_EARLY.value, &word.*word = 4;.*: word\n.*\n1 finding in")
ladder_check_finds(races early_vector "race" "race: .*words.t..y = t;.*LOAD_VECTOR_EARLY.a, b, c, d, .*: words.*\n1 finding in")
# Data handed on by a flag: what is missing is named.
set(no_acquire "without acquire in line [0-9]+.*order nothing[ \n]+that[ \n]+follows.*Put[ \n]+__threadfence..[ \n]+behind the loop")
set(no_release "set without release in line [0-9]+.*Put[ \n]+__threadfence..[ \n]+between")
ladder_check_finds(races relaxed_read "block-race" "block-race: .*= data.t \\^ 1.*data.t. = t.*${no_acquire}.*memory_order_acquire")
ladder_check_finds(races relaxed_write "block-race" "block-race: .*= data.t \\^ 1.*${no_release}.*memory_order_release")
ladder_check_finds(races block_scope "block-race" "block-race: .*scope.*is the block.*cuda::thread_scope_device")
ladder_check_finds(races wait_alone "block-race" "block-race: .*the thread that waits in line [0-9]+ knows of the data.*__syncthreads.. between")
ladder_check_finds(races flag_early "block-race" "block-race: .*sets the flag for what its own thread has[ \n]+done.*__syncthreads..[ \n]+between")
foreach(case fence_gives fence_narrow fence_atomics)
  ladder_check_finds(races ${case} "block-race" "block-race: .*= data.t \\^ 1.*${no_acquire}")
endforeach()
ladder_check_finds(races fence_takes "block-race" "block-race: .*= data.t \\^ 1.*${no_release}")
ladder_check_finds(races flag_in_block "race" "race: .*= s.t - 32.*without acquire in line.*__threadfence_block.. behind the")
ladder_check_finds(races count_by_block "block-race" "block-race: .*atomicAdd_block.*scope of one of the two is the block.*atomicAdd.. instead")
foreach(case vote shuffle match reduce any)
  ladder_check_finds(races ${case}_race "race" "race: .*= s.t \\^ 1.*s.t. = x.t.*is[ \n]+no[ \n]+memory[ \n]+barrier.:[ \n]+put[ \n]+__syncwarp..[ \n]+between")
endforeach()
foreach(case vote shuffle)
  ladder_check_finds(races overwritten_${case} "race" "race: .*write at [^\n]*\n[^\n]*\n *s.t. = .float.taken;.*read at [^\n]*\n[^\n]*\n *float value = s.t \\^ 1.;")
endforeach()
ladder_check_finds(races load_own "stale-read" "stale-read: .*__ldg.*x.t. = t.*read-only .non-coherent. data[ \n]+cache")
ladder_check_finds(races restrict_own "stale-read" "stale-read: .*y.t. = x..t . 1.*that the same[ \n]+launch[ \n]+writes[ \n]+later")
ladder_check_finds(texture texture_own "stale-read" "stale-read: .*tex1Dfetch.*texture.s cache is not kept coherent")
# Without that anybody asks, further orders show what the usual one hides.
ladder_check_finds(races active_group "race" "in order alternating of blocks and warps, which a GPU may take.*race: .*s.t \\^ 1")
ladder_check_finds(races own_barrier "deadlock" "in order hurried of blocks and warps.*again with[ \n]+--order hurried --resident all.*deadlock: .*!= goal")
ladder_check_test(own_barrier_hurried check_races own_barrier "deadlock" "in order hurried of blocks and warps:.*deadlock" --order hurried)
# Waits that take and give back in each iteration; after a refusal only what may follow from it is left out.
foreach(case locks permits released)
  add_test(NAME checks/plain_try_${case} COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=$<TARGET_FILE_DIR:sim_runtime> $<TARGET_FILE:check_races> try_${case})
  set_tests_properties(checks/plain_try_${case} PROPERTIES LABELS grade PASS_REGULAR_EXPRESSION "deadlock in [^\n]*tries again and again what[ \n]+cannot[ \n]+succeed")
endforeach()
foreach(case locks permits released counted)
  add_test(NAME checks/plain_try_${case}_ends COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=$<TARGET_FILE_DIR:sim_runtime> $<TARGET_FILE:check_races> try_${case}_ends)
  set_tests_properties(checks/plain_try_${case}_ends PROPERTIES LABELS grade FAIL_REGULAR_EXPRESSION "deadlock|endless|runaway|error")
endforeach()
ladder_check_finds(races refused_race "race;refused" "refused: .*cudaDestroyExternalMemory.*may follow from it are left out\n.*race: .*= tile")
ladder_check_finds(races refused_unset "refused" "refused: .*cudaDestroyExternalMemory.*left[ \n]+out .1 so far.")
# All blocks that fit run at the same time in them: locks taken in two orders, a gate that only the first block to come opens.
set(both_run "deadlock: .*polls memory that no other thread can change .nor can the host.*\n1 finding")
ladder_check_finds(races two_locks "deadlock" "in order alternating of blocks.*${both_run}")
ladder_check_finds(races first_opens "deadlock" "in order reverse of blocks and warps.*${both_run}")
ladder_check_finds(races host_never_looks "deadlock" "in order reverse of blocks and warps.*${both_run}")
ladder_check_finds(races plain_barrier "deadlock" "in order hurried of blocks and warps.*${both_run}" --resident all)
ladder_check_test(plain_barrier_not check_races plain_barrier_not "" "no findings in 1 launch" --resident all)
# Blocks that do not fit start after those before them in every order.
ladder_check_test(more_blocks_not check_races more_blocks_not "" "results are the same.*no findings in 1 launch" --order reverse --resident all)
# Together they take at most as much as the first run, in small programs a million warp instructions.
foreach(row "chain;3;1000000" "more_blocks;2;1000000" "long_chain;2;6000138" "two_locks;3;1000000")
  list(GET row 0 case)
  list(GET row 1 runs)
  list(GET row 2 budget)
  add_test(NAME checks/budget_${case}
           COMMAND ${CMAKE_COMMAND} -DLADDER=$<TARGET_FILE:ladder>
                   "-DARGUMENTS=--;$<TARGET_FILE:check_races>;${case}_not" "-DCLASSES=" "-DTEXT=no findings in 1 launch"
                   -DRUNS=${runs} -DBUDGET=${budget} -DJSON=${CMAKE_CURRENT_BINARY_DIR}/check_budget_${case}
                   -P ${CMAKE_CURRENT_SOURCE_DIR}/checks/run.cmake)
  set_tests_properties(checks/budget_${case} PROPERTIES LABELS grade)
endforeach()
# Values of the type that the source gives them, and names as it has them.
set(stored "race: .*value @A@\n.*value @B@\n.*")
foreach(row "int;-7;1039516303;kept.3." "float;1e.10;0.5;kept.3." "double;1e.100;0.25;kept.3." "long;-5000000000;5000000000;kept.3."
        "char;100;-3;kept.3." "unsigned;4000000001;4000000000;two.1." "pointer;0x20[0-9a-f]*;0x20[0-9a-f]*;end")
  list(GET row 0 type)
  list(GET row 1 A)
  list(GET row 2 B)
  list(GET row 3 name)
  string(CONFIGURE "${stored}" text @ONLY)
  ladder_check_finds(races value_of_${type} "race" "${text}shared memory: ${name}\n")
endforeach()
set(update "when *\n? *two threads do so.*is lost.*atomic operation")
ladder_check_finds(patterns update "race" "race: .*read at check_patterns.cu.*${update}.*\n1 finding")
ladder_check_finds(patterns update_largest "race" "race: .*${update}.*\n1 finding")
ladder_check_finds(patterns update_unrolled "race" "race: .*${update}.*\n1 finding")
ladder_check_finds(patterns first_barrier "race"
  "race: .*put *\n? *__syncthreads.. between line [0-9]+ and line [0-9]+\n *the same barrier is missing for lines [0-9]+ and [0-9]+\n\n1 finding")
ladder_check_finds(patterns halves_in_branch "race"
  "race: .*part.t - half. .= other.*Both are in a branch.*__syncthreads..: end the branch[ \n]+after line [0-9]+, which reads into a[ \n]+variable,")
ladder_check_finds(patterns second_barrier "race"
  "race: .*the next iteration of the loop overwrites in line.*put *\n? *__syncthreads.. at the end of the loop's body, after.*\n *the same barrier is missing for lines [0-9]+ and [0-9]+\n\n1 finding")
ladder_check_finds(patterns in_place "race" "race: .*overwrites what another thread has still to read.*put __syncthreads.. there\n\n1 finding")
ladder_check_finds(patterns scan_in_place "race" "race: .*read *\n? *into a variable, then __syncthreads.., then write. Both are in a branch.*\n1 finding")
ladder_check_finds(patterns two_writes "race" "race: .*between the two writes to one address by two[ \n]+threads: put[ \n]+__syncthreads.. between line [0-9]+ and line [0-9]+")
ladder_check_finds(patterns of_warp "race" "race: .*put __syncwarp.. between line [0-9]+ and line [0-9]+\n\n1 finding")
ladder_check_finds(patterns blocks_phases "block-race" "block-race: .*do the reading in a second launch")
ladder_check_finds(patterns blocks_loop "block-race" "block-race: .*write to a second array, or in a *\n? *second launch")
ladder_check_finds(bounds before_first "out-of-bounds" "out-of-bounds: .*at index -1 of argument 1[ \n]+.x. of the[ \n]+kernel, which[ \n]+has 512 elements of 4[ \n]+bytes")
ladder_check_finds(bounds host_pointer "out-of-bounds" "out-of-bounds: .*argument 2[ \n]+.factors. of[ \n]+the kernel is a pointer to host memory.*cudaMalloc")
ladder_check_finds(bounds whole_array "out-of-bounds" "out-of-bounds: .*at index 515 of argument 1[ \n]+.from. of the[ \n]+kernel")
ladder_check_finds(bounds shared_next "out-of-bounds" "out-of-bounds: .*read at.*halo.t . right.*: halo.130.\n *0 bytes past the end of halo, which has 520 bytes, in the memory of middle")
ladder_check_finds(bounds shared_before "out-of-bounds" "out-of-bounds: .*atomic at.*4 bytes before count, which has 64 bytes, in the memory of before")
ladder_check_finds(memory byte_atomics "word-atomic" "last of 1: 4\n.*last of 5: 4\n.*last of 7: 4\n.*word-atomic: .*last.fetch_add.*reaches[ \n]+3[ \n]+bytes past the end")
ladder_check_finds(memory short_atomics "word-atomic" "last of 1: 4\n.*last of 3: 4\n.*word-atomic: .*reaches[ \n]+2[ \n]+bytes past the end")
ladder_check_finds(memory byte_atomics_shared "word-atomic" "word-atomic: .*4 bytes of shared memory: bytes.4.\n.*reaches[ \n]+3[ \n]+bytes past the end")
ladder_check_finds(memory byte_over_read "out-of-bounds" "out-of-bounds: .*illegal read of 4 bytes at byte 4")
ladder_check_finds(memory bounds "out-of-bounds" "out-of-bounds: .*y.i. = x.i.*at index 512 of argument 1")
ladder_check_finds(memory bounds_shared "out-of-bounds"
  "out-of-bounds: .*thread .127,0,0. of block .0,0,0.*s.threadIdx.x. = .*508[ \n]+bytes of shared memory")
ladder_check_finds(memory bounds_heap "out-of-bounds" "out-of-bounds: .*mine.*heap")
ladder_check_finds(memory freed_heap "use-after-free" "use-after-free: .*last = mine.15.")
ladder_check_finds(memory null "out-of-bounds" "out-of-bounds: .*null pointer")
ladder_check_finds(memory misaligned "misaligned" "misaligned: .*threadIdx.x")
ladder_check_finds(memory freed "use-after-free" "use-after-free: .*y.i. = x.i.")
ladder_check_finds(memory freed_twice "bad-free" "bad-free: ")
ladder_check_finds(memory leak "leak" "leak: 1 allocation of the program, 1000 bytes, never freed: 4\n1 warning in 0 launches")
ladder_check_finds(memory unset "uninitialised" "uninitialised: .*y.i. = x.i.*argument 1 of the kernel")
ladder_check_finds(memory unset_last "uninitialised"
  "uninitialised: .*memory that nothing has written\n.*y.i. = x.i.*argument 1 of the kernel, element 511")
ladder_check_finds(memory unset_counter "uninitialised" "uninitialised: .*atomic at .*atomicAdd.count")
ladder_check_finds(memory unset_shared "uninitialised" "uninitialised: .*28 times.*y.t. = s.t..*shared memory: s.100.\n")
foreach(case branch index lanes copy)
  ladder_check_finds(memory past_${case} "uninitialised" "uninitialised: .*float next = s.t . 1.;.*shared memory: s.128.\n")
endforeach()
ladder_check_finds(memory unset_local "uninitialised" "uninitialised: .*2 times.*local memory")
ladder_check_finds(flow divergent_barrier "divergent-barrier" "divergent-barrier: .*__syncthreads.*if .split.*other side of the[ \n]+branch.*put one[ \n]+after the branch")
ladder_check_finds(flow barrier_in_if "divergent-barrier"
  "divergent-barrier: .*if .inside. __syncthreads.*does not come to this barrier: the branch in line")
ladder_check_finds(flow moving_lanes "divergent-barrier"
  "divergent-barrier: .*thread .0,0,0..*__syncthreads.*thread .1,0,0..*if .t % step.*thread .1,0,0. does not come to this barrier: the branch in line [0-9]+ leads[ \n]+it past, it waits at the barrier in line [0-9]+.*\n1 finding")
ladder_check_finds(flow warps_elsewhere "divergent-barrier"
  "divergent-barrier: .*at check_flow.cu:[0-9]+\n.*__syncthreads.*at check_flow.cu:[0-9]+\n *thread .64,0,0.*if .t < inside.*thread .64,0,0. does not come.*waits at the barrier in line")
set(skip "divergent-barrier: .*__syncthreads.*thread .64,0,0. does not come to this barrier: the branch in line [0-9]+ leads[ \n]+it past, it returns")
ladder_check_finds(flow warps_skip "divergent-barrier" "${skip}")
ladder_check_finds(flow warps_leave_loop "divergent-barrier" "${skip}")
ladder_check_finds(flow warps_return "exited-barrier" "exited-barrier: .*1 warning in 1 launch")
ladder_check_finds(flow launch_twice "unchecked-launch"
  "unchecked-launch: [^\n]*.2 times.*2048 threads > 1024 per block.*\n1 finding in 0 launches")
ladder_check_finds(flow instances "race" "race: .*s.BLOCK - 1 - threadIdx.x.*: s.[0-9]+.\n.*__syncthreads.*1 finding in 2 launches")
ladder_check_finds(flow exited_barrier "exited-barrier" "exited-barrier: .*__syncthreads")
ladder_check_finds(flow deadlock "deadlock" "deadlock: .*warps 2 to 3, .*check_flow.cu:[0-9]+: barrier 3, 64 of 128")
ladder_check_finds(flow deadlock_of_many "deadlock" "barrier 1, 512 of 1024.*have arrived\n *\\.\\.\n\n1 finding")
ladder_check_finds(flow lanes "absent-lane" "absent-lane: .*__shfl_down_sync")
ladder_check_finds(flow printf_wide "printf-format" "printf-format: .*printf.\"%d of.*%d of printf reads 4[ \n]+bytes, but argument 2 has 8.*%lld")
ladder_check_finds(flow printf_narrow "printf-format" "printf-format: .*%ld of printf reads 8[ \n]+bytes, but argument 1 has 4")
ladder_check_finds(flow printf_many "printf-format" "printf-format: .*at most 32[ \n]+arguments")
ladder_check_finds(flow printf_size "printf-format" "printf-format: .*does not know %zu.*h, l and ll")
ladder_check_finds(flow printf_missing "printf-format" "printf-format: .*asks for[ \n]+more than it[ \n]+gets")
ladder_check_finds(flow own_mask "sync-mask" "sync-mask: .*__ballot_sync.*0x0000ffff does not name")
ladder_check_finds(flow mask_of_exited "exited-lane" "exited-lane: .*__ballot_sync.*names[ \n]+lanes 20 to 31, which have returned")
ladder_check_finds(flow mask_of_absent "deadlock" "deadlock: .*__ballot_sync.*lanes[ \n]+16 to 31 are missing.*barrier 0, 16 of 32")
ladder_check_finds(flow launch "unchecked-launch" "unchecked-launch: .*scale<<<1, 2048>>>.*cudaErrorInvalidValue")
ladder_check_finds(flow endless "runaway"
  "runaway: .*while .sum < limit..*an endless loop: its[ \n]+iterations change nothing.*in the loop of line")
ladder_check_finds(flow endless_halving "runaway"
  "runaway: .*at check_flow.cu:6[0-9].*--max-instructions N.*It[ \n]+stopped in the[ \n]+loop of lines 6[0-9] to 6[0-9],.*: barrier 0, "
  --max-instructions 1000000)
ladder_check_finds(flow asserted "stopped" "stopped: .*x.threadIdx.x. < limit")
ladder_check_finds(async own_copy "race" "race: .*${read_async}.*= s.t..*under way")
ladder_check_finds(async late_copy "race" "race: .*${read_async}.*sum .= tile.*under way")
ladder_check_finds(async early_copy "race" "race: .*write at check_async.cu:[0-9]+\n.*memcpy_async.*sum .= tile")
ladder_check_finds(async announced "race" "race: .*s.BLOCK - 1 - t.")
ladder_check_finds(async announced_early "race" "race: .*s.BLOCK - 1 - t.")
ladder_check_finds(async not_yet_made "race" "race: .*init.&ready")
ladder_check_finds(async too_few "deadlock" "deadlock: .*ready.arrive_and_wait.*128 of 256[ \n]+threads have arrived")
# Of a stage that is never free again all is told by what its consumers owe, and first by what stops.
set(owes "cuda::pipeline each[ \n]+consumer[ \n]+calls[ \n]+consumer_wait..[ \n]+before.*consumer_release..[ \n]+when.*producer_acquire..[ \n]+before")
ladder_check_finds(async stage_kept "deadlock;race" "^[^:]*deadlock: .*[ \n]producer_acquire.. waits.*consumer_release..[ \n]+when.*race: .*${owes}.*\n2 findings")
ladder_check_finds(async stage_early "race" "race: .*sum .= .here.*${owes}")
ladder_check_finds(async stage_not_awaited "deadlock;uninitialised" "uninitialised: .*sum .= .here.*deadlock: .*producer_acquire.. waits.*consumer_wait..")
ladder_check_finds(async stage_not_filled "deadlock" "deadlock: .*consumer_wait.. waits for[ \n]+a[ \n]+filled[ \n]+stage.*producer_commit..")
ladder_check_finds(async bulk "race" "race: .*write at check_async.cu:[0-9]+\n.*memcpy_async.*${read_async}.*s.BLOCK - 1 - t.")
ladder_check_finds(async cluster "race" "race: .*s.BLOCK - 1 - t.")
if(TARGET check_tensor)
  ladder_check_finds(tensor store_unfenced "race" "race: .*tile.threadIdx.x. = .*cp_async_bulk_tensor.*: tile.0.\n.*fence.proxy.async")
  ladder_check_finds(tensor bulk_unfenced "race" "race: .*tile.threadIdx.x. = .*cp_async_bulk.ptx.*fence.proxy.async")
  ladder_check_finds(tensor read_early "race" "race: .*cp_async_bulk_tensor.*read at check_tensor.cu:[0-9]+\n.*= tile.threadIdx.x..*mbarrier[ \n]+that counts them")
  ladder_check_finds(tensor few_bytes "deadlock" "deadlock: .*16 bytes more[ \n]+have come than it was told to expect")
  ladder_check_finds(tensor many_bytes "deadlock" "deadlock: .*16 bytes that[ \n]+it was told to expect have not come")
  ladder_check_finds(tensor misplaced "misaligned" "misaligned: .*misaligned write of 512 bytes at byte [0-9]+ of[ \n]+shared[ \n]+memory")
  ladder_check_finds(tensor parity "deadlock" "deadlock: .*the wait names the wrong parity")
  set(both_waits "barrier-phase: .*try_wait_parity.&full.*at check_tensor.cu:[0-9]+\n.*try_wait_parity.&full.*the second wait is for the[ \n]+same phase")
  ladder_check_finds(tensor phase_twice "barrier-phase;race" "${both_waits}")
  ladder_check_finds(tensor phase_stuck "barrier-phase;deadlock" "${both_waits}")
  ladder_check_finds(tensor made_by_warp "race" "race: .*write at check_tensor.cu:[0-9]+\n.*mbarrier_init.*threads store different values")
  ladder_check_finds(tensor made_for_others "race" "race: .*mbarrier_try_wait_parity.*mbarrier_init.*another thread initialises this mbarrier.*__syncthreads")
  ladder_check_finds(tensor large_map "out-of-bounds" "out-of-bounds: .*the tensor map describes 4096 bytes.*has 2048 from there on")
  ladder_check_finds(tensor box_outside "out-of-bounds" "out-of-bounds: .*coordinates[ \n]+count elements")
  ladder_check_finds(tensor multicast "cluster-lifetime" "cluster-lifetime: .*other blocks of the cluster have started")
endif()

set(returned "block 0 of the cluster[ \n]+has returned, and its shared memory is gone")
ladder_check_finds(cluster before_met "block-race;cluster-lifetime" "block-race: .*read at check_cluster.cu:[0-9]+\n.*shared memory.*cluster.sync")
ladder_check_finds(cluster left_early "out-of-bounds" "out-of-bounds: .*${returned}")
ladder_check_finds(cluster left_late "out-of-bounds" "out-of-bounds: .*map_shared_rank.*${returned}")
ladder_check_finds(cluster round_trip "cluster-lifetime" "cluster-lifetime: .*theirs.t. = .*cluster.sync.. before the[ \n]+first access")
ladder_check_finds(cluster left_lucky "cluster-lifetime" "cluster-lifetime: .*map_shared_rank.*cluster.sync.. before it returns")
ladder_check_finds(cluster unset_remote "uninitialised" "uninitialised: .*map_shared_rank.*shared memory")
ladder_check_finds(cluster bounds_remote "out-of-bounds" "out-of-bounds: .*byte 512 of block 1 of[ \n]+the cluster, which has 512 bytes")
ladder_check_finds(cluster remote_lost "block-race" "block-race: .*shared = .shared")
ladder_check_finds(cluster alone "deadlock" "deadlock: .*while .never")

ladder_check_finds(texture unset_texture "uninitialised" "uninitialised: .*16 times.*tex2D.*.1024 bytes. . 960")
ladder_check_finds(texture surface_bounds "out-of-bounds"
  "out-of-bounds: .*thread .15,0,0.*surf2Dwrite.*byte 64 of row 0 of a surface of 16 x 16")
ladder_check_finds(texture surface_race "race" "race: .*surf2Dread.*surf2Dwrite")

# The host's read of a device pointer, with its line where the program has debug information; a finding like others.
ladder_checked_program(check_dereference ${PROJECT_SOURCE_DIR}/common/simulator/tests/programs/faults/host_dereference.cu -g)
ladder_check_test(host_line check_dereference "" "host-access"
  "host-access: .*host code read 0x2.*byte 40 of the 400 bytes.*at host_dereference.cu:11 in main\n.*exit status 139\n1 finding")
if(TARGET program_host_dereference)
  ladder_check_test(host_offset program_host_dereference "" "host-access"
    "host-access: .*program_host_dereference.0x[0-9a-f]+[ \n]+.nvcc -g tells the line.\n.*1 finding")
endif()

# ---- mistakes of host code ----
ladder_check_finds(host wrong_way "unchecked-call" "unchecked-call: .*at check_host.cu:[0-9]+\n.*cudaMemcpyHostToDevice.*the first pointer is to host[ \n]+memory and the second to device memory: cudaMemcpyDeviceToHost")
ladder_check_finds(host too_much "unchecked-call" "unchecked-call: .*at check_host.cu:[0-9]+\n.*cudaMalloc.*cudaErrorMemoryAllocation.*asked for")
ladder_check_finds(host too_long "unchecked-call" "unchecked-call: .*return cudaMemcpy.*2052 bytes, of which 2048 are left")
ladder_check_finds(host unset_rest "unset-copy" "unset-copy: .*at check_host.cu:[0-9]+\n.*has written 4 of the 2048 bytes.*byte[ \n]+2044")
ladder_check_finds(host unset_holes "unset-copy" "unset-copy: .*has written 1024 of the 2048 bytes")
ladder_check_finds(host unset_rows "unset-copy" "unset-copy: .*has written 448 of the 2048 bytes")
ladder_check_finds(host matrix_stride "misaligned" "misaligned: .*load_matrix_sync.fa.*multiple of 16 bytes.*34 bytes")
ladder_check_finds(host matrix_address "misaligned" "misaligned: .*load_matrix_sync.fa.*multiple of 32 bytes.*16 bytes past one")
ladder_check_finds(host pageable "pageable-copy" "pageable-copy: .*cudaMemcpyAsync.*cudaMallocHost")
ladder_check_finds(host in_host_function "host-function"
  "cudaErrorNotPermitted, then cudaSuccess, cudaSuccess.*host-function: .*at check_host.cu:[0-9]+\n.*= cudaMemcpy.*cudaMemcpy is called in a host function that[ \n]+cudaLaunchHostFunc.*host-function: .*A kernel launch is called")
ladder_check_finds(host ignores_refusal "refused" "refused: .*at check_host.cu:[0-9]+\n.*cudaMallocMipmappedArray is not supported.*refused: .*cudaGetMipmappedArrayLevel.*\n2 findings in")
ladder_check_finds(host shadowed "unchecked-call" "unchecked-call: .*at check_host.cu:[0-9]+\n.*weights, weights.*not[ \n]+a[ \n]+device[ \n]+variable[ \n]+but host memory.*hide.*variables: weights\n")
ladder_check_finds(host unheard "lost-output" "lost-output: .*cudaDeviceSynchronize.*thread 0")

set(child_read "write at check_children.cu:[0-9]+\n.*y.i. = x.i. . 1")
ladder_check_finds(children child_expected "grid-race" "grid-race: .*${child_read}.*read at .*y.t.*parent grid goes on")
ladder_check_finds(children child_input "grid-race" "grid-race: .*read at .*write at .*z.t. = .float.t.*parent grid goes on")
ladder_check_finds(children child_streams "grid-race" "grid-race: .*different streams")
ladder_check_finds(children child_blocks "grid-race" "grid-race: .*different streams")
ladder_check_finds(children child_tail "grid-race" "grid-race: .*different streams.*or a tail launch")
ladder_check_finds(children child_nested "grid-race" "grid-race: .*different streams")
ladder_check_finds(children child_unset "uninitialised" "uninitialised: .*y.i. = x.i. . 1")

# ---- other orders, JSON, without an engine process ----
ladder_check_test(order_differs check_races block_race "block-race"
  "in order reverse of blocks and warps:.*results differ from those of the usual order, first in copy 1" --order reverse)
ladder_check_test(order_same check_races block_race_not "" "results are the same.*no findings in 1 launch"
                  --order random:18446744073709551615)
# Blocks that wait for blocks: by blockIdx it goes well in the usual order only, by tickets in every one.
ladder_check_finds(flow no_ticket "deadlock"
  "in order reverse.*deadlock: .*while .ready.*blocks start in any order,[ \n]+here not in that of blockIdx,.*take its number.*atomicAdd"
  --order reverse)
ladder_check_test(ticket check_flow no_ticket_not "" "results are the same.*no findings in 1 launch" --order reverse)
ladder_check_test(order_shows check_races race_right_sum "race"
  "in order random:3 of blocks and warps:.*results differ from those of the usual order, first in copy 2" --order random:3)
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
# On a terminal a long check shows how far it is.
if(LADDER_SCRIPT)
  add_test(NAME checks/progress COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/progress.sh $<TARGET_FILE:ladder>
           $<TARGET_FILE:check_flow>)
  set_tests_properties(checks/progress PROPERTIES LABELS grade)
endif()
set_tests_properties(checks/json checks/in_process PROPERTIES LABELS grade)

# ---- the programs of the page of findings, each of which has what it explains ----
add_custom_target(ladder_finding_programs)
add_test(NAME checks/findings_build
         COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target ladder_finding_programs)
set_tests_properties(checks/findings_build PROPERTIES LABELS full FIXTURES_SETUP finding_programs)
file(GLOB finding_programs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/findings/*.cu)
foreach(source IN LISTS finding_programs)
  get_filename_component(class ${source} NAME_WE)
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
add_test(NAME checks/explain COMMAND ladder check --explain race)
set_tests_properties(checks/explain PROPERTIES PASS_REGULAR_EXPRESSION
  "^race: two threads.*How to fix it: .*__syncthreads.*compute-sanitizer: .*racecheck.*A program that has it:\n    __global__ void reverse")
add_test(NAME checks/explain_unknown COMMAND ladder check --explain races)
set_tests_properties(checks/explain_unknown PROPERTIES PASS_REGULAR_EXPRESSION "'races' is no class of findings; they are out-of-bounds, .*race")

# ---- near misses ----
set(ladder_check_races race look_back race_right_sum warp_race double_buffer histogram_race named_barriers tiles block_race
    last_block_race lock_race same_value unwanted unwanted_cleared grid_race guess count_race
    hand_on fences fences_behind fences_atomics flag_in_block count_by_block vote_race vote_read active_group active_count
    load_own load_other restrict_own load_in_order own_barrier two_locks first_opens
    early_select early_branch early_address early_loop early_mask early_compare early_gate early_overwritten early_after
    early_overwritten_by_block early_after_by_block early_barrier early_in_part early_vector early_ahead)
set(ladder_check_patterns halves_in_branch two_writes update_largest second_barrier in_place scan_in_place of_warp blocks_phases blocks_loop)
set(ladder_check_bounds before_first host_pointer whole_array shared_next shared_before shared_swapped)
set(ladder_check_host too_long too_much unset_rest unset_rows unset_padding_back unset_end matrix_stride matrix_address
    pageable unheard in_host_function shadowed)
set(ladder_check_memory bounds bounds_shared bounds_heap misaligned unset unset_last unset_padding unset_counter
    unset_shared unset_local past_selected past_compared past_copied past_cleared
    byte_atomics)
set(ladder_check_flow divergent_barrier barrier_in_if warps_elsewhere warps_skip warps_leave_loop two_kinds
    unrolled_barriers exited_barrier launch lanes own_mask mask_of_exited half_warp endless asserted
    printf_wide)
set(ladder_check_async own_copy stages stage_kept too_few announced announced_early not_yet_made bulk cluster)
set(ladder_check_cluster before_met left_late left_lucky unset_remote bounds_remote remote_lost alone round_trip by_memory)
set(ladder_check_texture unset_texture surface_bounds surface_race surface_bytes texture_own)
set(ladder_check_children child_expected child_input child_streams child_blocks child_tail child_nested child_unset)
if(TARGET check_tensor)
  set(ladder_check_tensor store_unfenced bulk_unfenced read_early parity phase_twice made_by_warp made_for_others box_outside
      multicast)
endif()
foreach(program races patterns bounds memory flow async tensor texture cluster children host)
  foreach(case IN LISTS ladder_check_${program})
    ladder_check_test(${case}_not check_${program} ${case}_not "" "no findings in [1-4] launch|no kernel was launched")
  endforeach()
endforeach()

include(${CMAKE_CURRENT_LIST_DIR}/streams.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/accesses.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/products.cmake)

# ---- programs of the tree: no alarm but these, each of them right ----
set(ladder_check_known_sample_device_printf "stopped")          # ends with a failed assertion
set(ladder_check_known_program_errors                           # made of mistakes
    "bad-free;failed-launch;misaligned;out-of-bounds;stopped;uninitialised")
set(ladder_check_known_program_api_errors "bad-free")
set(ladder_check_known_program_host_dereference "host-access")
set(ladder_check_known_program_fault_and_reset "out-of-bounds")
set(ladder_check_known_program_kernel_fault "out-of-bounds")
set(ladder_check_known_program_refused_kernel "refused")
set(ladder_check_known_program_device_printf "printf-format") # what a card prints for formats that do not fit
set(ladder_check_known_program_shared_pointers "out-of-bounds") # hands a kernel a host pointer at the end
set(ladder_check_known_program_endless "deadlock")
set(ladder_check_known_program_runtime_api "stopped")
set(ladder_check_known_program_texture_api "refused")
set(ladder_check_known_program_graph_api "block-race")          # a node gets a second block that adds to the same number
set(ladder_check_known_program_graph_more "race")               # likewise, and a second thread
set(ladder_check_known_program_grid_sync "failed-launch")       # tries one block too many
set(ladder_check_known_sample_reduction_grid_sync "failed-launch")
get_property(programs GLOBAL PROPERTY SIM_CHECKABLE_PROGRAMS)
get_property(full_programs GLOBAL PROPERTY SIM_FULL_PROGRAMS)
set(ladder_check_ignore leak) # many leave their memory to the end of the process
foreach(program IN LISTS programs)
  ladder_check_test(program/${program} ${program} "" "${ladder_check_known_${program}}" "")
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
kl_lab_builds(reduction 2 3 4 5 6 7 8)
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
