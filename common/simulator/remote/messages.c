// Structures of engine/engine.h as bytes (internal.h), in the order of their declaration.
#include "remote/internal.h"

// Lists that every run of clang-format would lay out anew.
// clang-format off
#define FUNCTION(F)                                                                                \
    F(TEXT, name)                                                                                  \
    F(U32, registers)                                                                              \
    F(BOOL, registers_estimated)                                                                   \
    F(U32, shared_bytes) F(U32, local_bytes) F(U32, barriers) F(U32, constant_bytes)               \
        F(U32, max_threads) F(U32, max_dynamic_shared_bytes) F(U32, ptx_version)                   \
            F(U32, binary_version) F(DIM3, cluster) F(DIM3, required_threads)                      \
                F(U32, most_cluster_blocks) F(U32, param_bytes)
// clang-format on
static void put_function(wire_writer *writer, const sim_function_info *from);
static void get_function(wire_reader *reader, sim_function_info *out);
MESSAGE(put_function, get_function, sim_function_info, FUNCTION)

void wire_put_function_info(wire_writer *writer, const sim_function_info *info) {
    put_function(writer, info);
    wire_put_u32(writer, info->param_count);
    for (uint32_t i = 0; i < info->param_count; i++) {
        wire_put_u32(writer, info->params[i].offset);
        wire_put_u32(writer, info->params[i].size_bytes);
    }
}

void wire_get_function_info(wire_reader *reader, sim_function_info *out_info) {
    enum { MAX_PARAMS = sizeof out_info->params / sizeof *out_info->params };
    get_function(reader, out_info);
    out_info->param_count = wire_get_count(reader, MAX_PARAMS);
    for (uint32_t i = 0; i < out_info->param_count; i++) {
        uint32_t offset = wire_get_u32(reader), size = wire_get_u32(reader);
        if (offset > out_info->param_bytes || size > out_info->param_bytes - offset)
            reader->bad = true;
        out_info->params[i].offset = offset;
        out_info->params[i].size_bytes = size;
    }
}

// Only the form is checked here: the engine judges what it describes.
// clang-format off
#define TEXTURE(F)                                                                                 \
    F(U64, address)                                                                                \
    F(U64, row_bytes)                                                                              \
    F(U64, slice_bytes) F(U32, width) F(U32, height) F(U32, depth) F(U8, layout) F(U8, channels)   \
        F(U8, channel_bits) F(U8, channel_kind) F(BOOL, is_layered) F(BOOL, is_surface)            \
            F(BYTES, address_mode) F(BOOL, is_linear) F(BOOL, is_normalized) F(BOOL, to_float)     \
                F(BOOL, is_srgb) F(FLOATS, border) F(BOOL, is_cube) F(U8, levels)                  \
                    F(BOOL, is_seamless) F(BOOL, blends_levels) F(FLOAT, level_bias)               \
                        F(FLOAT, least_level) F(FLOAT, most_level)
// clang-format on
MESSAGE(wire_put_texture, wire_get_texture, sim_texture_desc, TEXTURE)

// clang-format off
#define LAUNCH_CONFIG(F)                                                                           \
    F(DIM3, grid)                                                                                  \
    F(DIM3, block)                                                                                 \
    F(U32, dynamic_shared_bytes) F(U32, preferred_shared_bytes) F(DIM3, cluster)                   \
        F(BOOL, cooperative) F(BOOL, streams) F(U64, queue) F(U32, stream) F(F64, start_us)        \
            F(U32, device)
// clang-format on
MESSAGE(wire_put_launch_config, wire_get_launch_config, sim_launch_config, LAUNCH_CONFIG)

// clang-format off
#define FAULT(F)                                                                                   \
    F(STATUS, kind)                                                                                \
    F(TEXT, kernel)                                                                                \
    F(TEXT, file) F(U32, line) F(DIM3, block) F(DIM3, thread) F(U64, address) F(U32, access_bytes) \
        F(TEXT, text)
// clang-format on
MESSAGE(wire_put_fault, wire_get_fault, sim_fault, FAULT)

// clang-format off
#define LAUNCH_RESULT(F)                                                                           \
    F(U32, index)                                                                                  \
    F(F64, time_us) F(F64, share) F(U64, warp_instructions) F(F64, host_seconds) F(FAULT, fault)   \
        F(TEXT, note) F(F64, waited_us) F(U32, held)
// clang-format on
MESSAGE(wire_put_launch_result, wire_get_launch_result, sim_launch_result, LAUNCH_RESULT)

#define GREETING(F) F(U32, version) F(U32, counter_count) F(U32, devices) F(TEXT, device)
MESSAGE(wire_put_greeting, wire_get_greeting, wire_greeting, GREETING)
