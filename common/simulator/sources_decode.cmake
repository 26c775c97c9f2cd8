# SPDX-License-Identifier: MIT
# The decoder: from a PTX syntax tree to a program with slots, pcs and reconvergence points.
set(SIM_DECODE_SOURCES
  decode_map.c decode_module.c decode_symbols.c decode_usage.c decode_shared.c decode_function.c
  decode_names.c decode_values.c decode_operand.c decode_opcode.c decode_arith.c decode_move.c
  decode_memory.c decode_texture.c decode_async.c decode_convert.c decode_matrix.c decode_video.c decode_warp.c decode_control.c decode_contract.c
  decode_liveness.c decode_slots.c
  cfg.c lines.c program.c program_print.c)
