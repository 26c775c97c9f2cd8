# SPDX-License-Identifier: MIT
# ladder check --host-accesses: the host's own use of page-locked and managed memory, with the line of the host and that of the
# work; and programs that must go on as they do without it.

ladder_checked_program(check_accesses ${PROJECT_SOURCE_DIR}/common/simulator/tests/check/check_accesses.cu -lineinfo -g)

# What follows the case: of the host and of the work what does it and its line, then the advice.
function(ladder_check_accesses case host work advice)
  ladder_check_test(accesses/${case} check_accesses ${case} "host-race"
    "host-race: .*    ${host}.*    ${work}.*    global memory: .*${advice}.*\n1 finding in" --host-accesses)
endfunction()
set(source "at check_accesses.cu:[0-9]+\n *")
set(read "read by host code ${source}sum .= ")
set(copied_back "write by cudaMemcpyAsync ${source}cudaMemcpyAsync.h, d_x")
set(stored "write in kernel store ${source}y.blockIdx.x . BLOCK . threadIdx.x. = value")
set(launched "A launch returns before.*the kernel is launched[ \n]+at[ \n]+[^\n]*check_accesses.cu:[0-9]+")
ladder_check_accesses(pinned_read "${read}h.N - 1" "${copied_back}"
  "allocation 4 .2048 bytes. . 2044\n.*cudaMemcpyAsync.. returns before its work is done.*read what was there[ \n]+before.*cudaStreamSynchronize")
ladder_check_accesses(other_stream "${read}h" "${copied_back}" "")
ladder_check_accesses(early_event "${read}h" "${copied_back}" "")
ladder_check_accesses(one_query "${read}h" "${copied_back}" "")
ladder_check_accesses(managed_read "${read}both" "${stored}" "${launched}")
ladder_check_accesses(variable_read "${read}variable.N / 2" "${stored}" "${launched}")
ladder_check_accesses(managed_written "write by host code ${source}both.0. = 2" "read in kernel copy ${source}y"
  "overwrite what is still to be[ \n]+read.*the kernel is launched at check_accesses.cu")
ladder_check_accesses(source_written "write by host code ${source}h.i. = " "read by cudaMemcpyAsync ${source}cudaMemcpyAsync.d_many, h"
  "overwrite what is still to be[ \n]+read")
ladder_check_accesses(filled "${read}h.1" "write by cudaMemsetAsync ${source}cudaMemsetAsync" "")
ladder_check_accesses(graph "${read}h.0" "${stored}" "the kernel is launched at check_accesses.cu:[0-9]+")
ladder_check_accesses(by_memcpy "read by host code ${source}memcpy.own, h" "write by cudaMemcpyAsync" "")
ladder_check_accesses(neighbours "write by host code ${source}.*both.i. = 2" "${stored}"
  "allocation 4 .2048 bytes. . 508\n.*write before or after that work does")
ladder_check_accesses(polled "${read}h.BLOCK - 1" "write in kernel gives ${source}y.threadIdx.x. = 1" "${launched}")
ladder_check_accesses(counted "read by host code ${source}while ..count < N" "atomic in kernel counts ${source}atomicAdd.count" "")
ladder_check_accesses(registered "${read}h.MANY / 2" "${stored}" "registered host memory.*${launched}")
ladder_check_test(accesses/calls check_accesses calls "host-race"
  "read by host code at.*fwrite.h.*write by host code at.*pread.*2 findings in" --host-accesses)

foreach(case pinned_read device_waited event_waited event_polled stream_polled told_by_callback freed_between copy_between
        managed_read managed_freed variable_read managed_written source_written source_read filled graph by_memcpy neighbours
        polled counted registered registered_apart calls handler handler_before timer others)
  ladder_check_test(accesses/${case}_not check_accesses ${case}_not "" "no findings in [0-9]+ launch|no kernel was launched"
                    --host-accesses)
endforeach()
# Without the option nobody looks.
ladder_check_test(accesses/off check_accesses pinned_read "" "no kernel was launched")
