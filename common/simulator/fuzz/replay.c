// A main for fuzz targets without libFuzzer: runs each file named on the command line once, as
// libFuzzer does. Each input is copied into an allocation of its exact size, so that
// AddressSanitizer sees reads beyond it.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

// The whole file; NULL when it cannot be read.
static uint8_t *read_input(const char *path, size_t *out_bytes) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    uint8_t *data = NULL;
    size_t bytes = 0, capacity = 0;
    for (;;) {
        if (bytes == capacity) {
            capacity = capacity ? capacity * 2 : 65536;
            uint8_t *grown = realloc(data, capacity);
            if (!grown) break;
            data = grown;
        }
        size_t count = fread(data + bytes, 1, capacity - bytes, file);
        if (count == 0) break;
        bytes += count;
    }
    fclose(file);
    uint8_t *exact = malloc(bytes ? bytes : 1);
    if (exact && bytes) memcpy(exact, data, bytes);
    free(data);
    *out_bytes = bytes;
    return exact;
}

int main(int argc, char **argv) {
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        size_t bytes = 0;
        uint8_t *data = read_input(argv[i], &bytes);
        if (!data) {
            fprintf(stderr, "cannot read %s\n", argv[i]);
            failed = 1;
            continue;
        }
        LLVMFuzzerTestOneInput(data, bytes);
        free(data);
        printf("%s: %zu bytes, fine\n", argv[i], bytes);
    }
    if (argc < 2) fprintf(stderr, "usage: %s FILE...\n", argv[0]);
    return argc < 2 ? 2 : failed;
}
