# SPDX-License-Identifier: MIT
# ladder check on work of several streams, of graphs and of calls that do not wait: both sides with their lines.

ladder_checked_program(check_streams ${PROJECT_SOURCE_DIR}/common/simulator/tests/check/check_streams.cu -lineinfo -g)

# What follows the case: of the later side and of the earlier one what does it and its line, then the advice.
function(ladder_check_streams case later earlier advice)
  ladder_check_test(streams/${case} check_streams ${case} "stream-race"
    "stream-race: .*    ${later}.*    ${earlier}.*global memory: .*${advice}.*\n1 finding in")
endfunction()
set(source "at check_streams.cu:[0-9]+\n *")
set(copy_back "read by cudaMemcpy ${source}cudaMemcpy.h_y, d_y")
set(stored "write in kernel store ${source}y.blockIdx.x . BLOCK . threadIdx.x. = value")
set(copied "read in kernel copy ${source}y.blockIdx.x")
set(apart "cudaStreamNonBlocking do not wait[ \n]+for each other")
set(alike "work in[ \n]+different streams may run at the same time")
ladder_check_streams(late_copy "${copy_back}" "${stored}" "${apart}.*cudaStreamSynchronize.*order of the calls")
ladder_check_streams(early_event "${copy_back}" "${stored}" "${apart}")
ladder_check_streams(stream_gone "${copy_back}" "${stored}" "${apart}")
ladder_check_streams(two_streams "${copied}" "${stored}" "${alike}: cudaEventRecord.*cudaStreamWaitEvent")
ladder_check_streams(default_first "${copied}" "${stored}" "${apart}")
ladder_check_streams(before_stream "${copied}" "${stored}" "${apart}")
ladder_check_streams(per_thread "${copied}" "${stored}" "${alike}")
ladder_check_streams(set_early "${stored}" "write by cudaMemset ${source}cudaMemset.d_y" "returns before the memory is set.*${apart}")
ladder_check_streams(staged "${copied}" "write by cudaMemcpy ${source}cudaMemcpy.d_y, from" "before the bytes[ \n]+have[ \n]+arrived: from[ \n]+pageable[ \n]+memory[ \n]+it[ \n]+waits[ \n]+only[ \n]+until[ \n]+they[ \n]+are[ \n]+staged")
ladder_check_streams(on_device "${copied}" "write by cudaMemcpy ${source}cudaMemcpy.d_y, d_x" "before the bytes[ \n]+have[ \n]+arrived.*on[ \n]+the[ \n]+device it does[ \n]+not wait")
ladder_check_streams(through_host "read by cudaMemcpyAsync ${source}.*d_y, buffer" "write by cudaMemcpyAsync ${source}.*buffer, d_x" "${alike}")
ladder_check_streams(last_reader "${stored}" "${copied}" "${alike}")
ladder_check_streams(halves "write in kernel store_some .*y.i. = 1" "write in kernel store_some" "allocation 2 .2048 bytes. . 1020\n.*${alike}")
ladder_check_streams(counted "read by cudaMemcpy ${source}.*h_count" "atomic in kernel count_all ${source}atomicAdd" "${apart}")
ladder_check_streams(flag_between "read in kernel takes ${source}z.threadIdx.x. = y" "write in kernel gives ${source}y.threadIdx.x. = 1" "${alike}")
ladder_check_streams(graph_nodes "${copied}" "${stored}" "no edges lead from one.*add the[ \n]+dependency")
ladder_check_streams(graph_copy "read by cudaGraphLaunch at check_streams.cu:[0-9]+" "${stored}" "no edges lead")
ladder_check_streams(graph_behind "${copied}" "${stored}" "${alike}")
ladder_check_streams(graph_reads "${stored}" "read by cudaGraphLaunch ${source}cudaGraphLaunch.exec, one" "${alike}")
ladder_check_streams(captured "${copied}" "${stored}" "no edges lead")
ladder_check_streams(taken_early "write in kernel copy" "write by cudaMallocAsync ${source}cudaMallocAsync" "only when its stream has come")
ladder_check_streams(given_early "write by cudaFreeAsync ${source}cudaFreeAsync" "write in kernel copy" "given back while")
ladder_check_streams(managed "${copied}" "${stored}" "${alike}")
ladder_check_streams(wide_and_narrow "${stored}" "write in kernel store_bytes ${source}for" "${alike}")
# A launch that waits for a later one ends, and what that rests on is named.
foreach(case flag_later flag_later_behind)
  ladder_check_test(streams/${case} check_streams ${case} "deadlock"
    "deadlock: .*argument[ \n]+3[ \n]+.flag.[ \n]+of.*several streams.*Here a launch[ \n]+ends[ \n]+before.*On[ \n]+a[ \n]+card.*at[ \n]+the[ \n]+same[ \n]+time.*CUDA[ \n]+does[ \n]+not[ \n]+promise")
endforeach()

foreach(case late_copy blocking_copy event_waited event_polled stream_polled told_by_callback freed_between copy_in_stream
        stream_gone two_streams default_first default_waits before_stream per_thread set_early staged on_device
        through_host last_reader halves odd_bytes counted flag_between flag_by_copy heaps graph_nodes graph_copy
        graph_behind graph_reads captured async_memory managed wide_and_narrow)
  ladder_check_test(streams/${case}_not check_streams ${case}_not "" "no findings in [1-6] launch|no kernel was launched")
endforeach()
