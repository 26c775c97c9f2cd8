// SPDX-License-Identifier: MIT
// Structures of engine/engine.h as bytes (messages.h). Fields in the order of their declaration.
#include "remote/messages.h"

#include <string.h>

static void put_dim3(wire_writer *writer, sim_dim3 value) {
    wire_put_u32(writer, value.x);
    wire_put_u32(writer, value.y);
    wire_put_u32(writer, value.z);
}

static sim_dim3 get_dim3(wire_reader *reader) {
    sim_dim3 value;
    value.x = wire_get_u32(reader);
    value.y = wire_get_u32(reader);
    value.z = wire_get_u32(reader);
    return value;
}

void wire_put_function_info(wire_writer *writer, const sim_function_info *info) {
    wire_put_text(writer, info->name, sizeof info->name);
    wire_put_u32(writer, info->registers);
    wire_put_u8(writer, info->registers_estimated);
    wire_put_u32(writer, info->shared_bytes);
    wire_put_u32(writer, info->local_bytes);
    wire_put_u32(writer, info->barriers);
    wire_put_u32(writer, info->constant_bytes);
    wire_put_u32(writer, info->max_threads);
    wire_put_u32(writer, info->max_dynamic_shared_bytes);
    wire_put_u32(writer, info->ptx_version);
    wire_put_u32(writer, info->binary_version);
    put_dim3(writer, info->cluster);
    wire_put_u32(writer, info->param_bytes);
    wire_put_u32(writer, info->param_count);
    for (uint32_t i = 0; i < info->param_count; i++) {
        wire_put_u32(writer, info->params[i].offset);
        wire_put_u32(writer, info->params[i].size_bytes);
    }
}

void wire_get_function_info(wire_reader *reader, sim_function_info *out_info) {
    enum { MAX_PARAMS = sizeof out_info->params / sizeof *out_info->params };
    memset(out_info, 0, sizeof *out_info);
    wire_get_text(reader, out_info->name, sizeof out_info->name);
    out_info->registers = wire_get_u32(reader);
    out_info->registers_estimated = wire_get_bool(reader);
    out_info->shared_bytes = wire_get_u32(reader);
    out_info->local_bytes = wire_get_u32(reader);
    out_info->barriers = wire_get_u32(reader);
    out_info->constant_bytes = wire_get_u32(reader);
    out_info->max_threads = wire_get_u32(reader);
    out_info->max_dynamic_shared_bytes = wire_get_u32(reader);
    out_info->ptx_version = wire_get_u32(reader);
    out_info->binary_version = wire_get_u32(reader);
    out_info->cluster = get_dim3(reader);
    out_info->param_bytes = wire_get_u32(reader);
    out_info->param_count = wire_get_count(reader, MAX_PARAMS);
    for (uint32_t i = 0; i < out_info->param_count; i++) {
        uint32_t offset = wire_get_u32(reader), size = wire_get_u32(reader);
        if (offset > out_info->param_bytes || size > out_info->param_bytes - offset)
            reader->bad = true;
        out_info->params[i].offset = offset;
        out_info->params[i].size_bytes = size;
    }
}

void wire_put_texture(wire_writer *writer, const sim_texture_desc *texture) {
    wire_put_u64(writer, texture->address);
    wire_put_u64(writer, texture->row_bytes);
    wire_put_u64(writer, texture->slice_bytes);
    wire_put_u32(writer, texture->width);
    wire_put_u32(writer, texture->height);
    wire_put_u32(writer, texture->depth);
    wire_put_u8(writer, texture->layout);
    wire_put_u8(writer, texture->channels);
    wire_put_u8(writer, texture->channel_bits);
    wire_put_u8(writer, texture->channel_kind);
    wire_put_u8(writer, texture->is_layered);
    wire_put_u8(writer, texture->is_surface);
    wire_put_bytes(writer, texture->address_mode, sizeof texture->address_mode);
    wire_put_u8(writer, texture->is_linear);
    wire_put_u8(writer, texture->is_normalized);
    wire_put_u8(writer, texture->to_float);
    wire_put_u8(writer, texture->is_srgb);
    for (int i = 0; i < 4; i++) wire_put_f64(writer, (double)texture->border[i]);
}

// Only the form is checked here: the engine judges what it describes.
void wire_get_texture(wire_reader *reader, sim_texture_desc *out_texture) {
    memset(out_texture, 0, sizeof *out_texture);
    out_texture->address = wire_get_u64(reader);
    out_texture->row_bytes = wire_get_u64(reader);
    out_texture->slice_bytes = wire_get_u64(reader);
    out_texture->width = wire_get_u32(reader);
    out_texture->height = wire_get_u32(reader);
    out_texture->depth = wire_get_u32(reader);
    out_texture->layout = wire_get_u8(reader);
    out_texture->channels = wire_get_u8(reader);
    out_texture->channel_bits = wire_get_u8(reader);
    out_texture->channel_kind = wire_get_u8(reader);
    out_texture->is_layered = wire_get_bool(reader);
    out_texture->is_surface = wire_get_bool(reader);
    for (int i = 0; i < 3; i++) out_texture->address_mode[i] = wire_get_u8(reader);
    out_texture->is_linear = wire_get_bool(reader);
    out_texture->is_normalized = wire_get_bool(reader);
    out_texture->to_float = wire_get_bool(reader);
    out_texture->is_srgb = wire_get_bool(reader);
    for (int i = 0; i < 4; i++) out_texture->border[i] = (float)wire_get_f64(reader);
}

void wire_put_launch_config(wire_writer *writer, const sim_launch_config *config) {
    put_dim3(writer, config->grid);
    put_dim3(writer, config->block);
    wire_put_u32(writer, config->dynamic_shared_bytes);
    wire_put_u32(writer, config->preferred_shared_bytes);
    put_dim3(writer, config->cluster);
    wire_put_u8(writer, config->cooperative);
}

void wire_get_launch_config(wire_reader *reader, sim_launch_config *out_config) {
    memset(out_config, 0, sizeof *out_config);
    out_config->grid = get_dim3(reader);
    out_config->block = get_dim3(reader);
    out_config->dynamic_shared_bytes = wire_get_u32(reader);
    out_config->preferred_shared_bytes = wire_get_u32(reader);
    out_config->cluster = get_dim3(reader);
    out_config->cooperative = wire_get_bool(reader);
}

void wire_put_fault(wire_writer *writer, const sim_fault *fault) {
    wire_put_u16(writer, (uint16_t)fault->kind);
    wire_put_text(writer, fault->kernel, sizeof fault->kernel);
    wire_put_text(writer, fault->file, sizeof fault->file);
    wire_put_u32(writer, fault->line);
    put_dim3(writer, fault->block);
    put_dim3(writer, fault->thread);
    wire_put_u64(writer, fault->address);
    wire_put_u32(writer, fault->access_bytes);
    wire_put_text(writer, fault->text, sizeof fault->text);
}

void wire_get_fault(wire_reader *reader, sim_fault *out_fault) {
    memset(out_fault, 0, sizeof *out_fault);
    uint16_t kind = wire_get_u16(reader);
    if (kind >= SIM_STATUS_COUNT) {
        reader->bad = true;
        kind = SIM_INTERNAL;
    }
    out_fault->kind = (sim_status)kind;
    wire_get_text(reader, out_fault->kernel, sizeof out_fault->kernel);
    wire_get_text(reader, out_fault->file, sizeof out_fault->file);
    out_fault->line = wire_get_u32(reader);
    out_fault->block = get_dim3(reader);
    out_fault->thread = get_dim3(reader);
    out_fault->address = wire_get_u64(reader);
    out_fault->access_bytes = wire_get_u32(reader);
    wire_get_text(reader, out_fault->text, sizeof out_fault->text);
}

void wire_put_launch_result(wire_writer *writer, const sim_launch_result *result) {
    wire_put_u32(writer, result->index);
    wire_put_f64(writer, result->time_us);
    wire_put_u64(writer, result->warp_instructions);
    wire_put_f64(writer, result->host_seconds);
    wire_put_fault(writer, &result->fault);
    wire_put_text(writer, result->note, sizeof result->note);
}

void wire_get_launch_result(wire_reader *reader, sim_launch_result *out_result) {
    memset(out_result, 0, sizeof *out_result);
    out_result->index = wire_get_u32(reader);
    out_result->time_us = wire_get_f64(reader);
    out_result->warp_instructions = wire_get_u64(reader);
    out_result->host_seconds = wire_get_f64(reader);
    wire_get_fault(reader, &out_result->fault);
    wire_get_text(reader, out_result->note, sizeof out_result->note);
}

void wire_put_greeting(wire_writer *writer, const wire_greeting *greeting) {
    wire_put_u32(writer, greeting->version);
    wire_put_u32(writer, greeting->counter_count);
    wire_put_text(writer, greeting->device, sizeof greeting->device);
}

void wire_get_greeting(wire_reader *reader, wire_greeting *out_greeting) {
    memset(out_greeting, 0, sizeof *out_greeting);
    out_greeting->version = wire_get_u32(reader);
    out_greeting->counter_count = wire_get_u32(reader);
    wire_get_text(reader, out_greeting->device, sizeof out_greeting->device);
}
