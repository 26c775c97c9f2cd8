# SPDX-License-Identifier: MIT
# Child processes.
ladder_unit_test(process process)
ladder_unit_test(process build_messages)
# Time without a processor, from folders that look like /proc and from processes that do nothing.
ladder_unit_test(process run_queue)
# How long the judge waits for an engine that is stopped; what /proc would say of it is made up.
ladder_unit_test(process session)
ladder_test_grades(ladder_session_test)
# The process in which a step runs has no problem, no reference and no rubric to look at.
add_test(NAME autograder/runner_links_no_problem COMMAND sh -c
         "symbols=$(\"$0\" \"$1\") && echo \"$symbols\" | grep -q ' kl_case_call$' && ! echo \"$symbols\" | grep -E ' (kl_prepare|kl_problem|kl_lab_|kl_verdict|kl_compare|ladder_lab|ladder_rubric|ladder_case)|_problem$'"
         ${CMAKE_NM} $<TARGET_FILE:ladder-runner>)
