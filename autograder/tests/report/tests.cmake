# SPDX-License-Identifier: MIT
# Reports of hostile names and outputs.
ladder_unit_test(report report)
