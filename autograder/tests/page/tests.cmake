# SPDX-License-Identifier: MIT
ladder_unit_test(page page)
