// An engine without a device, for tests of what stands above engine/engine.h: real memory behind
// engine addresses, kernels that are C functions. sim_engine_open_local gives it.
#pragma once

#include "engine/engine.h"

// What a launch saw, and what it shall do.
typedef struct fake_engine_state {
    sim_options options; // of the last open
    uint32_t opened, closed, loads, unloads, launches, reads, writes, peeks;
    sim_launch_config config; // of the last launch
    uint8_t params[4096];
    uint32_t param_bytes;
    char function[256];
    sim_status load_status;           // what loading a module gives
    sim_fault fault;                  // a launch fails with it when its kind is not SIM_OK
    double time_us;                   // of a launch
    const char *output;               // device printf of the next take
    bool copies_attached;             // as an engine in another process does
    uint64_t limits[SIM_LIMIT_COUNT]; // as last set
    sim_texture_desc texture;         // of the last object made
    uint32_t textures_made, textures_live;
    sim_spans spans; // that were recorded
    // Runs as the kernel: memory through fake_pointer.
    void (*kernel)(const struct fake_engine_state *state);
} fake_engine_state;

extern fake_engine_state fake; // one fake device in a test program

// Host address of a device address in a live allocation, NULL when there is none.
void *fake_pointer(uint64_t address);
// Kernels: any name that starts with "k"; parameters (u64 pointer, u32). Symbols: "symbol", 64
// bytes; "managed", 64 bytes.
sim_status fake_engine_open(sim_engine **out_engine);
