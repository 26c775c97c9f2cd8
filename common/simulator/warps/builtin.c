// SPDX-License-Identifier: MIT
// Functions that PTX calls but that have no PTX body (program/builtins.def), among them vprintf,
// __assertfail, malloc, free (CUDA C++ Programming Guide, "Formatted Output", "Assertion", "Dynamic
// Global Memory Allocation"). They run lane by lane, lowest first.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "warps/observe.h"

enum { STRING_MAX = 8192, FIELD_MAX = 512 };

// Copies a NUL-terminated string of the device; false when it leaves memory or is too long.
static bool read_string(const sim_warp *warp, uint32_t lane, uint64_t address, char *text) {
    for (uint32_t i = 0; i < STRING_MAX; i++) {
        const uint8_t *byte = sim_warp_peek(warp, lane, address + i, 1);
        if (!byte) return false;
        text[i] = (char)*byte;
        if (!text[i]) return true;
    }
    return false;
}

static bool read_words(const sim_warp *warp, uint32_t lane, uint64_t address, uint32_t bytes,
                       uint64_t *out_value) {
    uint32_t words[2] = {0, 0};
    for (uint32_t i = 0; i < bytes / 4; i++) {
        const uint8_t *word = sim_warp_peek(warp, lane, address + 4 * i, 4);
        if (!word) return false;
        memcpy(&words[i], word, 4);
    }
    *out_value = words[0] | (uint64_t)words[1] << 32;
    return true;
}

// ---- printf ----

typedef struct print_state {
    sim_warp *warp;
    uint32_t lane;
    uint64_t next; // address of the next argument
    int count;     // arguments consumed
    bool failed;
} print_state;

static uint64_t next_argument(print_state *state, uint32_t bytes) {
    uint64_t value = 0;
    state->next = (state->next + bytes - 1) & ~(uint64_t)(bytes - 1);
    if (!read_words(state->warp, state->lane, state->next, bytes, &value)) state->failed = true;
    state->next += bytes;
    state->count++;
    return value;
}

// What is left of an integer argument: all of it (l, ll), 32 bits, 16 (h) or 8 (hh).
static uint64_t narrowed(uint64_t value, char letter, bool is_long, uint32_t halvings) {
    if (is_long) return value;
    uint32_t unused = 64 - (32u >> halvings);
    bool is_signed = letter == 'd' || letter == 'i';
    return is_signed ? (uint64_t)((int64_t)(value << unused) >> unused) : value << unused >> unused;
}

// Formats one conversion. `spec` is the text from % to the conversion letter without length
// modifiers.
static int format_field(print_state *state, char *spec, char letter, bool is_long,
                        uint32_t halvings, char *out) {
    size_t end = strlen(spec);
    char text[STRING_MAX];
    switch (letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X': {
        uint64_t value = next_argument(state, is_long ? 8 : 4);
        snprintf(spec + end, 8, "ll%c", letter);
        return snprintf(out, STRING_MAX, spec, narrowed(value, letter, is_long, halvings));
    }
    case 'c':
        snprintf(spec + end, 8, "c");
        return snprintf(out, STRING_MAX, spec, (int)next_argument(state, 4));
    case 'p':
        snprintf(spec + end, 8, "s");
        snprintf(text, sizeof text, "0x%" PRIx64, next_argument(state, 8));
        return snprintf(out, STRING_MAX, spec, text);
    case 's':
        snprintf(spec + end, 8, "s");
        if (!read_string(state->warp, state->lane, next_argument(state, 8), text))
            snprintf(text, sizeof text, "(unreadable string)");
        return snprintf(out, STRING_MAX, spec, text);
    default: {
        uint64_t bits = next_argument(state, 8);
        double value;
        memcpy(&value, &bits, sizeof value);
        snprintf(spec + end, 8, "%c", letter);
        return snprintf(out, STRING_MAX, spec, value);
    }
    }
}

// Handles the conversion at `at` (which points behind the %); returns where the text goes on.
static const char *print_conversion(print_state *state, const char *at, sim_output *output) {
    char spec[FIELD_MAX] = "%", out[STRING_MAX];
    size_t used = 1;
    uint32_t digits = 0, halvings = 0;
    bool is_long = false;
    if (*at == '%') {
        sim_output_append(output, "%", 1);
        return at + 1;
    }
    while (*at && strchr("-+ #0123456789.*", *at)) {
        char number[16];
        if (*at == '*' && spec[used - 1] == '.') break; // a device takes a width, but no precision
        if (*at == '*')
            snprintf(number, sizeof number, "%d", (int)next_argument(state, 4) % 10000);
        else
            snprintf(number, sizeof number, "%c", *at);
        size_t bytes = strlen(number);
        digits = *at >= '0' && *at <= '9' ? digits + 1 : 0;
        if (digits <= 4 && used + bytes < FIELD_MAX - 8) { // no field is wider than 9999
            memcpy(spec + used, number, bytes + 1);
            used += bytes;
        }
        at++;
    }
    for (; *at && strchr("hljztL", *at); at++) {
        is_long = is_long || strchr("ljzt", *at);
        if (*at == 'h' && halvings < 2) halvings++;
    }
    if (!*at || !strchr("diuoxXcpsfFeEgGaA", *at)) { // not a conversion: shown as it stands
        sim_output_append(output, spec, used);
        return at;
    }
    int length = format_field(state, spec, *at, is_long, halvings, out);
    if (length >= STRING_MAX) length = STRING_MAX - 1;
    if (length > 0) sim_output_append(output, out, (size_t)length);
    return at + 1;
}

void sim_builtin_vprintf(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    const sim_call *call = instr->extra;
    char format[STRING_MAX];
    uint64_t address = sim_builtin_argument(warp, call, 0, lane);
    if (!read_string(warp, lane, address, format)) {
        sim_fault_address(warp, instr, lane, address, 1, PTX_SPACE_NONE);
        return;
    }
    sim_output *output = &warp->block->output;
    print_state state = {
        .warp = warp, .lane = lane, .next = sim_builtin_argument(warp, call, 1, lane)};
    for (const char *at = format; *at && !state.failed;) {
        const char *percent = strchr(at, '%');
        size_t plain = percent ? (size_t)(percent - at) : strlen(at);
        sim_output_append(output, at, plain);
        at += plain;
        if (*at) at = print_conversion(&state, at + 1, output);
    }
    if (state.failed)
        sim_fault_text(warp, instr, lane, SIM_ILLEGAL_ADDRESS,
                       "printf: its arguments do not lie in memory at 0x%" PRIx64, state.next);
    sim_builtin_return(warp, call, lane, (uint64_t)state.count);
}

// ---- assert, malloc, free ----

void sim_builtin_assertfail(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    const sim_call *call = instr->extra;
    char message[STRING_MAX], file[STRING_MAX], function[STRING_MAX], line[3 * 1024];
    if (!read_string(warp, lane, sim_builtin_argument(warp, call, 0, lane), message))
        strcpy(message, "?");
    if (!read_string(warp, lane, sim_builtin_argument(warp, call, 1, lane), file))
        strcpy(file, "?");
    if (!read_string(warp, lane, sim_builtin_argument(warp, call, 3, lane), function))
        strcpy(function, "?");
    sim_fault_text(warp, instr, lane, SIM_ASSERT, "assertion `%.500s` failed in %.200s", message,
                   function);
    const sim_fault *fault = &warp->block->fault;
    int bytes = snprintf(line, sizeof line,
                         "%.1000s:%u: %.500s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion "
                         "`%.1000s` failed.\n",
                         file, (uint32_t)sim_builtin_argument(warp, call, 2, lane), function,
                         fault->block.x, fault->block.y, fault->block.z, fault->thread.x,
                         fault->thread.y, fault->thread.z, message);
    sim_output_append(&warp->block->output, line, (size_t)bytes);
}

void sim_builtin_malloc(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    if (!sim_builtin_in_order(warp, instr, lane))
        return; // addresses follow from the order of blocks
    uint64_t bytes = sim_builtin_argument(warp, instr->extra, 0, lane);
    uint64_t address = sim_mem_heap_alloc(warp->block->grid->memory, bytes);
    if (warp->observing && address) sim_observe_heap(warp, address, bytes);
    sim_builtin_return(warp, instr->extra, lane, address);
}

void sim_builtin_free(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    if (!sim_builtin_in_order(warp, instr, lane)) return;
    uint64_t address = sim_builtin_argument(warp, instr->extra, 0, lane);
    if (address && !sim_mem_heap_release(warp->block->grid->memory, address))
        sim_fault_text(warp, instr, lane, SIM_ILLEGAL_ADDRESS,
                       "free of 0x%" PRIx64 ", which malloc in a kernel has not returned or which "
                       "was freed before",
                       address);
}

void sim_builtin_runtime_free(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    sim_builtin_free(warp, instr, lane);
    if (warp->block->fault.kind == SIM_OK) sim_builtin_return(warp, instr->extra, lane, 0);
}

typedef struct builtin {
    const char *name;
    void (*call)(sim_warp *warp, const sim_instr *instr, uint32_t lane);
} builtin;

static const builtin builtins[] = {
#define SIM_BUILTIN(name, handler, uses) {#name, sim_builtin_##handler},
#include "program/builtins.def"
#undef SIM_BUILTIN
};

static const builtin *find(const char *name) {
    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++)
        if (!strcmp(builtins[i].name, name)) return &builtins[i];
    return NULL;
}

bool sim_builtin_known(const char *name) {
    return find(name);
}

void sim_builtin_call(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    const builtin *found = find(((const sim_call *)instr->extra)->name);
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
        if (lanes >> lane & 1 && warp->block->fault.kind == SIM_OK) found->call(warp, instr, lane);
}
