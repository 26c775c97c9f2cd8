// SPDX-License-Identifier: MIT
// The driver's functions for tensor maps (CUDA Driver API, "Tensor Map Object Management").
#ifndef SIM_RUNTIME_API_TENSOR_MAP_H
#define SIM_RUNTIME_API_TENSOR_MAP_H

#include "device/tensor_map.h"
#include "runtime/abi/functions.h"

// cuTensorMapEncodeTiled and cuTensorMapReplaceAddress; `map` is 128 bytes of the program's.
// Exported, for libcuda.so.1.
cudaError_t sim_runtime_tensor_map_encode(void *map, const sim_tensor_request *request);
cudaError_t sim_runtime_tensor_map_move(void *map, void *address);

#endif
