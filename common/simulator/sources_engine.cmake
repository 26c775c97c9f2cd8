# SPDX-License-Identifier: MIT
# The in-process engine: modules, launches, reports; device tables, occupancy, counters, timing.
set(SIM_ENGINE_SOURCES
  status.c device.c counters.c counters_cache.c machine.c timing.c timing_path.c timeline.c timeline_play.c cache_lines.c cache_model.c engine_local.c engine_modules.c engine_report.c
  check.c check_access.c check_clock.c check_conflict.c check_find.c check_log.c)
# Loops over shadow cells are what the speed of checking depends on.
set_source_files_properties(check_access.c check_clock.c PROPERTIES COMPILE_OPTIONS "-O3")
