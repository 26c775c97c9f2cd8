# SPDX-License-Identifier: MIT
# The in-process engine: modules, launches, reports; device tables, occupancy, counters, timing.
set(SIM_ENGINE_SOURCES
  status.c device.c counters.c counters_cache.c timing.c timing_path.c cache_lines.c cache_model.c engine_local.c engine_modules.c engine_report.c)
