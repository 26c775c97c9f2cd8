# SPDX-License-Identifier: MIT
# Products of warp groups (wgmma): accumulators read, and tiles stored to, before their wait.
if(CUDAToolkit_VERSION VERSION_LESS 12.4)
  return()
endif()
ladder_checked_program(check_products ${PROJECT_SOURCE_DIR}/common/simulator/tests/check/check_products.cu -lineinfo)
set_target_properties(check_products PROPERTIES CUDA_ARCHITECTURES 90a)
ladder_check_finds(products sum_read "race" "race: .*y.threadIdx.x. = d.1.;.*an accumulator is read while the product")
ladder_check_finds(products not_filled "race" "race: .*write at check_products.cu:[0-9]+\n.*read at check_products.cu:[0-9]+\n.*no barrier is between")
ladder_check_finds(products stage_reused "race" "race: .*read at check_products.cu:[0-9]+\n.*descriptor.*write at check_products.cu:[0-9]+\n")
ladder_check_finds(products deep_reused "race" "race: .*descriptor.*the tile is overwritten while the product")
foreach(case sum_read not_filled stage_reused deep_reused)
  ladder_check_test(${case}_not check_products ${case}_not "" "no findings in 1 launch")
endforeach()
