// Fuzz target: fat binaries, raw cubins and raw PTX as an image; every payload is decompressed,
// parsed and read. Must never crash, hang, leak or read outside the image.
#include "image/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    kl_error err = {0};
    sim_fatbin *fatbin;
    size_t whole;
    if (sim_fatbin_image_bytes(data, bytes, &whole, &err) == SIM_OK && whole > bytes) abort();
    if (sim_fatbin_open(data, bytes, &fatbin, &err) != SIM_OK) {
        if (fatbin || !err.text[0]) abort();
        return 0;
    }
    unsigned sum = 0;
    for (uint32_t i = 0; i < sim_fatbin_count(fatbin); i++) {
        const uint8_t *payload;
        size_t payload_bytes;
        if (sim_fatbin_get(fatbin, i)->payload_bytes > 1 << 24) continue; // keep the fuzzer fast
        if (sim_fatbin_payload(fatbin, i, &payload, &payload_bytes, &err) != SIM_OK) continue;
        for (size_t at = 0; at < payload_bytes; at++) sum += payload[at];
    }
    uint32_t index;
    if (sim_fatbin_best_ptx(fatbin, SIM_FATBIN_ANY, 90, &index)) sum += index;
    if (sim_fatbin_best_cubin(fatbin, SIM_FATBIN_ANY, 90, &index)) sum += index;
    sim_fatbin_close(fatbin);
    return sum == 0xffffffffu ? -1 : 0; // uses the sum, so that the reads stay
}
