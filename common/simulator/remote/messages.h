// SPDX-License-Identifier: MIT
// How the structures of engine/engine.h travel. Every put has a get that gives back an equal
// structure or makes the reader bad. A request carries the parameters of the call of its name
// (engine/calls.def) in order; the answer, when its status is SIM_OK, the out-parameters in order,
// and else the error text (LAUNCH: the text and then the result all the same).
#ifndef SIM_REMOTE_MESSAGES_H
#define SIM_REMOTE_MESSAGES_H

#include "device/device_text.h"
#include "engine/engine.h"
#include "remote/wire.h"

void wire_put_function_info(wire_writer *writer, const sim_function_info *info);
void wire_get_function_info(wire_reader *reader, sim_function_info *out_info);
void wire_put_texture(wire_writer *writer, const sim_texture_desc *texture);
void wire_get_texture(wire_reader *reader, sim_texture_desc *out_texture);
void wire_put_launch_config(wire_writer *writer, const sim_launch_config *config);
void wire_get_launch_config(wire_reader *reader, sim_launch_config *out_config);
void wire_put_fault(wire_writer *writer, const sim_fault *fault);
void wire_get_fault(wire_reader *reader, sim_fault *out_fault);
void wire_put_launch_result(wire_writer *writer, const sim_launch_result *result);
void wire_get_launch_result(wire_reader *reader, sim_launch_result *out_result);

// What the engine says when a client comes: protocol version, number of counters, device.
typedef struct wire_greeting {
    uint32_t version, counter_count;
    char device[SIM_DEVICE_TEXT]; // its id
} wire_greeting;

void wire_put_greeting(wire_writer *writer, const wire_greeting *greeting);
void wire_get_greeting(wire_reader *reader, wire_greeting *out_greeting);

// Whether a call of the way MOVE (engine/calls.def) copies or fills `most` bytes at most.
static inline bool wire_is_small_memory_free(uint64_t most, uint64_t address) {
    (void)most, (void)address;
    return true;
}
static inline bool wire_is_small_memory_copy_rows(uint64_t most, uint64_t destination,
                                                  uint64_t to_pitch, uint64_t source,
                                                  uint64_t from_pitch, uint64_t bytes,
                                                  uint64_t rows) {
    (void)destination, (void)to_pitch, (void)source, (void)from_pitch;
    return bytes <= most && rows <= most && bytes * rows <= most;
}
static inline bool wire_is_small_memory_fill_rows(uint64_t most, uint64_t destination,
                                                  uint64_t pitch, uint32_t value, uint32_t width,
                                                  uint64_t count, uint64_t rows) {
    (void)value;
    return count <= most &&
           wire_is_small_memory_copy_rows(most, destination, pitch, 0, 0, count * width, rows);
}
static inline bool wire_is_small_memory_fill(uint64_t most, uint64_t destination, uint32_t value,
                                             uint32_t width, uint64_t count) {
    return wire_is_small_memory_fill_rows(most, destination, 0, value, width, count, 1);
}

// report.c
void wire_put_report(wire_writer *writer, const sim_launch_report *report);
// NULL when the message is malformed or memory is short (the reader is bad then); else the caller
// frees it with sim_launch_report_free.
sim_launch_report *wire_get_report(wire_reader *reader);

// code.c: a report's code, which may be NULL; its places are in the first `files` files.
void wire_put_code(wire_writer *writer, const sim_code *code);
sim_code *wire_get_code(wire_reader *reader, uint32_t files);

// maps.c: part of a report, whose files the maps name. NULL maps travel as such.
void wire_put_maps(wire_writer *writer, const sim_launch_maps *maps);
sim_launch_maps *wire_get_maps(wire_reader *reader, uint32_t file_count);

// findings.c, with the same rules.
void wire_put_check_report(wire_writer *writer, const sim_check_report *report);
sim_check_report *wire_get_check_report(wire_reader *reader);

#endif
