# SPDX-License-Identifier: MIT
# Child processes.
ladder_unit_test(process process)
