// SPDX-License-Identifier: MIT
// See tensor_map.h. What is refused and why: device/tensor_map.c.
#include "runtime/api/tensor_map.h"

#include <string.h>

#include "runtime/state/call.h"
#include "runtime/state/state.h"

static cudaError_t check_map(const void *map) {
    if (!runtime.has_context)
        return runtime_refuse(cudaErrorDeviceUninitialized,
                              "no context: a call such as cudaFree(0) makes one");
    return map ? cudaSuccess : runtime_refuse(cudaErrorInvalidValue, "no place for the map");
}

cudaError_t sim_runtime_tensor_map_encode(void *map, const sim_tensor_request *request) {
    sim_tensor_map made;
    const char *why = NULL;
    cudaError_t status = runtime_enter(RUNTIME_OPEN, "cuTensorMapEncodeTiled(%p)", map);
    if (!status) status = check_map(map);
    if (!status) status = runtime_status(sim_tensor_map_encode(request, &made, &why));
    if (why) runtime_refuse(status, "%s", why);
    if (!status) memcpy(map, &made, sizeof made);
    return runtime_leave_driver(status);
}

cudaError_t sim_runtime_tensor_map_move(void *map, void *address) {
    sim_tensor_map moved;
    const char *why = NULL;
    cudaError_t status = runtime_enter(RUNTIME_OPEN, "cuTensorMapReplaceAddress(%p)", map);
    if (!status) status = check_map(map);
    if (!status) memcpy(&moved, map, sizeof moved);
    if (!status) status = runtime_status(sim_tensor_map_move(&moved, (uintptr_t)address, &why));
    if (why) runtime_refuse(status, "%s", why);
    if (!status) memcpy(map, &moved, sizeof moved);
    return runtime_leave_driver(status);
}
