// Fuzz target: checkpoints. The check sum of the input is put right first, as no fuzzer finds one.
// Must never crash, hang, leak or read outside the data.
#include "files.h"
#include "training.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void read_one(const uint8_t *data, size_t bytes) {
    kl_error err = {.status = KL_OK};
    kl_byte_source *source = NULL;
    kl_checkpoint c;
    if (kl_bytes_from_memory((const char *)data, bytes, &source, &err) != KL_OK) abort();
    if (kl_checkpoint_read(source, "input", &c, &err) == KL_OK) {
        for (int t = 0; t < c.tensor_count; t++) {
            const kl_tensor *tensor = &c.tensors[t];
            if (kl_checkpoint_find(&c, tensor->name) != tensor) abort();
            uint64_t size = (uint64_t)kl_tensor_values(tensor->dims, tensor->shape) * 4;
            if (size > bytes) abort();
            kl_crc64(0, tensor->values, size); // reads every value
        }
    } else if (err.text[0] == '\0' || c.tensors || c.epochs) {
        abort();
    }
    kl_checkpoint_free(&c);
    kl_bytes_close(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    read_one(data, bytes);
    if (bytes < 8) return 0;
    uint8_t *right = malloc(bytes);
    if (!right) return 0;
    memcpy(right, data, bytes);
    uint64_t crc = kl_crc64(0, right, bytes - 8);
    for (int i = 0; i < 8; i++) right[bytes - 8 + (size_t)i] = (uint8_t)(crc >> 8 * i);
    read_one(right, bytes);
    free(right);
    return 0;
}
