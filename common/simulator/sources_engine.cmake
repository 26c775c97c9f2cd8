# SPDX-License-Identifier: MIT
# The in-process engine: modules, launches, reports; device tables, occupancy, counters, timing.
set(SIM_ENGINE_SOURCES
  status.c device.c counters.c timing.c timing_path.c engine_local.c engine_modules.c engine_report.c)
