# SPDX-License-Identifier: MIT
# Child processes.
ladder_unit_test(process process)
# Time without a processor, from folders that look like /proc and from processes that do nothing.
ladder_unit_test(process run_queue)
