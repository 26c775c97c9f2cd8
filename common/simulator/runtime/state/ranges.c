// SPDX-License-Identifier: MIT
// The table of live memory that the program got from the runtime, sorted by address. Knows sizes
// and kinds; the bytes are elsewhere.
#include "runtime/state/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/state/state.h"

// Index of the first range that starts after `address`.
static size_t upper_bound(uint64_t address) {
    size_t low = 0, high = runtime.range_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (runtime.ranges[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

runtime_range *runtime_range_find(uint64_t address) {
    size_t index = upper_bound(address);
    if (index == 0) return NULL;
    runtime_range *range = &runtime.ranges[index - 1];
    return address - range->base < range->bytes ? range : NULL;
}

cudaError_t runtime_range_add(const runtime_range *range) {
    if (runtime.range_count == runtime.range_capacity) {
        size_t capacity = runtime.range_capacity ? 2 * runtime.range_capacity : 64;
        runtime_range *larger = realloc(runtime.ranges, capacity * sizeof *larger);
        if (!larger) return cudaErrorMemoryAllocation;
        runtime.ranges = larger;
        runtime.range_capacity = capacity;
    }
    size_t index = upper_bound(range->base);
    runtime_range *place = &runtime.ranges[index];
    memmove(place + 1, place, (runtime.range_count - index) * sizeof *place);
    *place = *range;
    runtime.range_count++;
    runtime.copied_count += range->is_copied;
    return cudaSuccess;
}

void runtime_range_remove(runtime_range *range) {
    size_t index = (size_t)(range - runtime.ranges);
    runtime.copied_count -= range->is_copied;
    runtime.order.changed = true;
    memmove(range, range + 1, (runtime.range_count - index - 1) * sizeof *range);
    runtime.range_count--;
}
