# SPDX-License-Identifier: MIT
# Child processes.
ladder_unit_test(process process)
ladder_unit_test(process build_messages)
# Time without a processor, from folders that look like /proc and from processes that do nothing.
ladder_unit_test(process run_queue)
# How long the judge waits for an engine that is stopped; what /proc would say of it is made up.
ladder_unit_test(process session)
ladder_test_grades(ladder_session_test)
