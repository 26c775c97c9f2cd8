# SPDX-License-Identifier: MIT
# The executor. SIM_EXEC_VARIANT_SOURCES are compiled once for each of SIM_EXEC_VARIANTS, with that name in
# SIM_EXEC_VARIANT; bind.c chooses one at run time.
set(SIM_EXEC_SOURCES
  memory.c memory_copy.c memory_heap.c memory_shared.c access.c footprint.c cache_trace.c record.c fpmath.c
  texture.c surface.c
  bind.c frame.c warp.c split.c sync.c barrier.c async.c matrix.c control.c stack.c block.c
  fault.c output.c builtin.c schedule.c path.c longest.c exec_observe.c executor.c grid.c grid_result.c)
set(SIM_EXEC_VARIANT_SOURCES
  exec_table.c exec_run.c exec_arith.c exec_int.c exec_float.c exec_double.c exec_half.c exec_bits.c
  exec_compare.c exec_move.c exec_convert.c exec_memory.c exec_memory_fast.c exec_local.c exec_param.c
  exec_atomic.c exec_texture.c exec_warp.c exec_control.c exec_async.c exec_mbarrier.c exec_video.c exec_matrix.c exec_convert_small.c check_race.c)
set(SIM_EXEC_VARIANTS base v3)
set(sim_exec_flags -fno-strict-aliasing -fno-math-errno -fno-trapping-math -ffp-contract=off)
set(SIM_EXEC_FLAGS_base ${sim_exec_flags})
set(SIM_EXEC_FLAGS_v3 ${sim_exec_flags} -march=x86-64-v3)
# Frames and local memory hold integers and floats in turn here too; the interpreter's helpers are hot.
set_source_files_properties(frame.c warp.c split.c sync.c barrier.c async.c control.c stack.c builtin.c exec_observe.c
  PROPERTIES COMPILE_OPTIONS "-O3;-fno-strict-aliasing")
# The hottest handlers: pairs of scalars must not be packed into vectors and taken apart again, and handlers stay whole.
set_source_files_properties(exec_run.c exec_memory_fast.c
  PROPERTIES COMPILE_OPTIONS "-fno-tree-slp-vectorize;-fno-partial-inlining")
