// Reading and writing of texture_program's golden files (texture_program.h).
#include "texture_program.h"

#include <string.h>

static const char magic[8] = "KLTXGLD1";
enum { NAME_BYTES = 64 };

static bool put_u32(FILE *file, uint32_t value) {
    uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                        (uint8_t)(value >> 24)};
    return fwrite(bytes, 1, 4, file) == 4;
}

static bool get_u32(FILE *file, uint32_t *out_value) {
    uint8_t b[4];
    if (fread(b, 1, 4, file) != 4) return false;
    *out_value = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    return true;
}

bool texture_golden_write_header(FILE *file, size_t count) {
    struct cudaDeviceProp properties;
    char name[NAME_BYTES];
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return false;
    memcpy(name, properties.name, sizeof name - 1);
    name[sizeof name - 1] = '\0';
    return fwrite(magic, 1, sizeof magic, file) == sizeof magic &&
           fwrite(name, 1, sizeof name, file) == sizeof name && put_u32(file, (uint32_t)count);
}

bool texture_golden_read_header(FILE *file, size_t count) {
    char found[sizeof magic], name[NAME_BYTES];
    uint32_t records;
    return fread(found, 1, sizeof found, file) == sizeof found &&
           memcmp(found, magic, sizeof magic) == 0 &&
           fread(name, 1, sizeof name, file) == sizeof name && get_u32(file, &records) &&
           records == count;
}

bool texture_golden_write(FILE *file, const texture_record *record) {
    bool ok = fwrite(record->id, 1, sizeof record->id, file) == sizeof record->id &&
              put_u32(file, record->err);
    for (int at = 0; ok && !record->err && at < TEXTURE_TUPLES; at++)
        for (int word = 0; ok && word < TEXTURE_WORDS; word++)
            ok = put_u32(file, record->results[at][word]);
    return ok;
}

bool texture_golden_read(FILE *file, texture_record *record) {
    bool ok = fread(record->id, 1, sizeof record->id, file) == sizeof record->id &&
              get_u32(file, &record->err);
    record->id[sizeof record->id - 1] = '\0';
    for (int at = 0; ok && !record->err && at < TEXTURE_TUPLES; at++)
        for (int word = 0; ok && word < TEXTURE_WORDS; word++)
            ok = get_u32(file, &record->results[at][word]);
    return ok;
}
