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

// report.c
void wire_put_report(wire_writer *writer, const sim_launch_report *report);
// NULL when the message is malformed or memory is short (the reader is bad then); else the caller
// frees it with sim_launch_report_free.
sim_launch_report *wire_get_report(wire_reader *reader);

// maps.c: part of a report, whose files the maps name. NULL maps travel as such.
void wire_put_maps(wire_writer *writer, const sim_launch_maps *maps);
sim_launch_maps *wire_get_maps(wire_reader *reader, uint32_t file_count);

// findings.c, with the same rules.
void wire_put_check_report(wire_writer *writer, const sim_check_report *report);
sim_check_report *wire_get_check_report(wire_reader *reader);

#endif
