// The libraries behind image.h: of their interfaces only the names and types of four functions
// are used (zstd.h, "Simple Core API"; lz4.h, "Simple Functions").
#include "image/image.h"
#include <dlfcn.h>

const sim_codec sim_codec_zstd = {"zstd", "libzstd.so.1", "libzstd1"};
const sim_codec sim_codec_lz4 = {"LZ4", "liblz4.so.1", "liblz4-1"};

typedef size_t zstd_decompress(void *to, size_t capacity, const void *from, size_t bytes);
typedef unsigned zstd_is_error(size_t code);
typedef const char *zstd_error_name(size_t code);
typedef int lz4_decompress_safe(const char *from, char *to, int bytes, int capacity);

// Opened again it is the same library, which stays: images are read until the process ends.
static void *open_library(const sim_codec *codec) {
    return dlopen(codec->library, RTLD_NOW | RTLD_LOCAL);
}

bool sim_codec_is_there(const sim_codec *codec) { return open_library(codec); }

sim_status sim_codec_function(const sim_codec *codec, const char *name, void **out_function,
                              kl_error *err) {
    void *library = open_library(codec);
    *out_function = library ? dlsym(library, name) : NULL;
    if (*out_function) return SIM_OK;
    return sim_fail(err, SIM_UNSUPPORTED,
                    "this program's device code is compressed with %s, and %s was not found.\n"
                    "Either install it (Debian: apt-get install %s), or compile the program with "
                    "nvcc --compress-mode=none.",
                    codec->method, codec->library, codec->package);
}

// POSIX lets a data pointer from dlsym be used as a function; ISO C wants the detour.
#define FIND(codec, name, function)                                                                \
    do {                                                                                           \
        void *found_;                                                                              \
        TRY(sim_codec_function(&(codec), (name), &found_, err));                                   \
        memcpy(&(function), &found_, sizeof(function));                                            \
    } while (0)

sim_status sim_decompress_zstd(const uint8_t *from, size_t from_bytes, uint8_t *to, size_t to_bytes,
                               kl_error *err) {
    zstd_decompress *decompress;
    zstd_is_error *is_error;
    zstd_error_name *error_name;
    FIND(sim_codec_zstd, "ZSTD_decompress", decompress);
    FIND(sim_codec_zstd, "ZSTD_isError", is_error);
    FIND(sim_codec_zstd, "ZSTD_getErrorName", error_name);
    size_t bytes = decompress(to, to_bytes, from, from_bytes);
    if (is_error(bytes) || bytes != to_bytes)
        return sim_fail(err, SIM_BAD_IMAGE, "fat binary: damaged zstd data (%s)",
                        is_error(bytes) ? error_name(bytes) : "wrong size");
    return SIM_OK;
}

sim_status sim_decompress_lz4(const uint8_t *from, size_t from_bytes, uint8_t *to, size_t to_bytes,
                              kl_error *err) {
    lz4_decompress_safe *decompress;
    FIND(sim_codec_lz4, "LZ4_decompress_safe", decompress);
    int bytes = decompress((const char *)from, (char *)to, (int)from_bytes, (int)to_bytes);
    if (bytes < 0 || (size_t)bytes != to_bytes)
        return sim_fail(err, SIM_BAD_IMAGE, "fat binary: damaged LZ4 data");
    return SIM_OK;
}
