// printf in kernels (CUDA C++ Programming Guide, "Formatted Output"), as an H200 with CUDA 13 does
// it. The device reads the arguments that its format asks for, one behind the other from what the
// thread has stored, into at most 32 slots of 8 bytes; the host formats the slots, and takes what
// it finds no slot for from the text of the format, which follows them. The two know different
// conversions: hh is one for the host alone, and j, z, t, L are for neither, so that they are plain
// text which the C library sees together with the next conversion's value.
#include "warps/block.h"

enum { STRING_MAX = 8192, FIELD_MAX = 512, SLOTS_MAX = 32, SLOT_BYTES = 8, WIDTH_MAX = 9999 };

// A conversion of the format, from its % to behind its letter.
typedef struct conversion {
    const char *at, *end, *size; // `size`: its length modifiers
    int stars;                   // widths that are arguments
    char letter;
    bool is_long;      // l, ll
    uint32_t halvings; // h, hh
    bool on_device, on_host;
} conversion;

typedef struct element { // what the thread has stored for printf in one piece
    uint32_t offset, bytes;
    bool is_constant; // which the compiler may have made of two
} element;

typedef struct print_state {
    sim_warp *warp;
    const sim_instr *instr;
    uint32_t lane;
    const char *format;
    uint64_t arguments; // their address
    element elements[2 * SLOTS_MAX];
    uint32_t element_count;
    bool has_elements; // they have been looked for
    uint64_t slots[SLOTS_MAX];
    uint32_t count, used; // slots; those that the host has come to
    uint64_t next;        // offset of the next argument
    bool failed;          // an argument lies nowhere
    char problem[320];    // the first one
    sim_output *output;
} print_state;

bool sim_builtin_string(const sim_warp *warp, uint32_t lane, uint64_t address, char *text,
                        size_t text_bytes) {
    for (size_t i = 0; i < text_bytes; i++) {
        const uint8_t *byte = sim_warp_peek(warp, lane, address + i, 1);
        if (!byte) return false;
        text[i] = (char)*byte;
        if (!text[i]) return true;
    }
    return false;
}

static conversion parse(const char *at) {
    conversion c = {.at = at++};
    bool precise = false;
    while (*at && strchr("-+ #0123456789.*", *at)) {
        if (*at == '*' && precise) break; // a device takes a width, but no precision
        precise = precise || *at == '.';
        c.stars += *at++ == '*';
    }
    c.size = at;
    bool foreign = false;
    for (; *at && strchr("hljztLq", *at); at++) {
        foreign = foreign || !strchr("hl", *at);
        c.is_long = c.is_long || *at == 'l';
        c.halvings += *at == 'h';
    }
    c.letter = *at;
    c.end = *at ? at + 1 : at;
    c.on_host =
        *at && strchr("diuoxXcpsfFeEgGaA", *at) && !foreign && c.halvings <= 2 && c.stars <= 1;
    c.on_device = c.on_host && c.halvings <= 1;
    return c;
}

static bool is_integer(char letter) { return letter && strchr("diuoxX", letter); }

// Bytes that the device reads for a conversion.
static uint32_t bytes_of(const conversion *c) {
    if (is_integer(c->letter) || c->letter == 'c') return c->is_long ? 8 : 4;
    return 8;
}

// ---- what the thread has stored -----------------------------------------------------------------

// What a register holds, as far as the code tells: `value` bytes behind what the instruction at
// `root` computes, or the value itself.
enum { ROOT_NONE = -1, ROOT_BEGIN = -2 };
typedef struct origin {
    int64_t root;
    uint64_t value;
} origin;

static const sim_constant *constant_in(const sim_function *function, uint32_t slot) {
    for (uint32_t i = 0; i < function->constant_count; i++)
        if (function->constants[i].slot == slot) return &function->constants[i];
    return NULL;
}

static bool writes(const sim_function *function, const sim_instr *instr, uint32_t slot) {
    uint32_t parts = instr->vector > 1 ? sim_written_parts(instr) : 0;
    for (uint32_t i = 0; i < parts; i++)
        if (function->slots[instr->list + i] == slot) return true;
    return !sim_is_st(instr) && instr->dst == slot;
}

// Of a slot before the instruction at `pc`. Registers share slots, so that the value itself may be
// gone by the time of the call.
static origin find_origin(const sim_function *function, uint32_t slot, uint32_t pc) {
    uint64_t added = 0;
    while (!constant_in(function, slot)) {
        while (pc-- > 0 && !writes(function, &function->code[pc], slot)) continue;
        if (pc == UINT32_MAX) return (origin){ROOT_BEGIN - (int64_t)slot, added};
        const sim_instr *instr = &function->code[pc];
        bool adds = sim_is_add(instr), moves = sim_is_mov(instr);
        const sim_constant *first = adds ? constant_in(function, instr->src[0]) : NULL;
        const sim_constant *second = adds ? constant_in(function, instr->src[1]) : NULL;
        if (!(moves || instr->op == SIM_OP_CVTA || first || second))
            return (origin){(int64_t)pc, added};
        if (first || second) added += first ? first->value : second->value;
        slot = instr->src[first ? 1 : 0];
    }
    return (origin){ROOT_NONE, constant_in(function, slot)->value + added};
}

// Whether a value of 8 bytes may be two values that the compiler knew.
static bool may_be_two(const sim_function *function, uint32_t slot, uint32_t pc) {
    return find_origin(function, slot, pc).root == ROOT_NONE;
}

static void add_elements(print_state *state, const sim_instr *store, origin buffer) {
    const sim_function *function = state->warp->frame->function;
    uint32_t each = ptx_type_bytes((ptx_type)store->type), parts = store->vector;
    if (store->space != PTX_SPACE_LOCAL && store->space != PTX_SPACE_NONE) return;
    origin to = find_origin(function, store->src[0], store->pc);
    if (to.root != buffer.root) return;
    uint64_t at = to.value + (uint64_t)store->offset - buffer.value;
    for (uint32_t i = 0; i < (parts > 1 ? parts : 1); i++) {
        uint64_t offset = at + (uint64_t)i * each;
        uint32_t slot = parts > 1 ? function->slots[store->list + i] : store->src[1];
        if (offset >= sizeof state->slots * 2 || state->element_count == 2 * SLOTS_MAX) continue;
        state->elements[state->element_count++] =
            (element){.offset = (uint32_t)offset,
                      .bytes = each,
                      .is_constant = each == 8 && may_be_two(function, slot, store->pc)};
    }
}

// Where the call's second argument comes from.
static origin find_buffer(const print_state *state) {
    const sim_function *function = state->warp->frame->function;
    const sim_call *call = state->instr->extra;
    for (uint32_t pc = state->instr->pc; pc-- > 0 && call->argument_count > 1;) {
        const sim_instr *instr = &function->code[pc];
        bool passes = sim_is_st(instr) && instr->mods & SIM_MOD_FRAME;
        if (passes && instr->src[0] == call->arguments[1].slot)
            return find_origin(function, instr->src[1], pc);
    }
    return (origin){(int64_t)state->instr->pc, 0};
}

// nvcc stores the arguments right before the call.
static void find_elements(print_state *state) {
    if (state->has_elements) return;
    state->has_elements = true;
    const sim_function *function = state->warp->frame->function;
    origin buffer = find_buffer(state);
    for (uint32_t pc = state->instr->pc; pc-- > 0;) {
        const sim_instr *instr = &function->code[pc];
        if (function->code[pc + 1].jumped_to || sim_is_jump(instr) || sim_is_call(instr) ||
            sim_is_ret(instr))
            return;
        bool stores = sim_is_st(instr) && !(instr->mods & SIM_MOD_FRAME);
        if (stores && instr->guard == SIM_NO_SLOT) add_elements(state, instr, buffer);
    }
}

static const element *element_at(const print_state *state, uint64_t offset) {
    for (uint32_t i = 0; i < state->element_count; i++)
        if (offset - state->elements[i].offset < state->elements[i].bytes)
            return &state->elements[i];
    return NULL;
}

// How many arguments the thread has stored before an offset.
static uint32_t argument_number(const print_state *state, uint64_t offset) {
    uint32_t number = 1;
    for (uint32_t i = 0; i < state->element_count; i++)
        number += state->elements[i].offset + state->elements[i].bytes <= offset;
    return number;
}

static bool has_constants(const print_state *state) {
    for (uint32_t i = 0; i < state->element_count; i++)
        if (state->elements[i].is_constant) return true;
    return false;
}

// ---- what the device does -----------------------------------------------------------------------

static int length_of(const conversion *c) { return (int)(c->end - c->at); }

// Says what is wrong with the argument at an offset, of which a conversion reads so many bytes.
static void compare(print_state *state, const conversion *c, uint64_t offset, uint32_t bytes) {
    char number[32] = "an argument";
    const element *found = element_at(state, offset);
    if (state->problem[0] || state->element_count == 0) return;
    if (!has_constants(state))
        snprintf(number, sizeof number, "argument %" PRIu32, argument_number(state, offset));
    if (!found) found = element_at(state, offset + bytes); // behind what fills up to its alignment
    if (!found && !has_constants(state))
        snprintf(state->problem, sizeof state->problem,
                 "the conversion %.*s of printf reads %" PRIu32
                 " bytes where the call has stored no argument: the format asks for more than it "
                 "gets",
                 length_of(c), c->at, bytes);
    else if (found && found->bytes != bytes && !found->is_constant)
        snprintf(state->problem, sizeof state->problem,
                 "the conversion %.*s of printf reads %" PRIu32 " bytes, but %s has %" PRIu32
                 ": all that follow it are read at wrong places; %s",
                 length_of(c), c->at, bytes, number, found->bytes,
                 found->bytes == 8
                     ? "write %lld or %llu for an integer of 8 bytes, %p for a pointer, %f for a "
                       "floating-point number"
                     : "write %d or %u for an integer of 4 bytes");
}

// Bytes that nobody has stored are 0 on a card, mostly.
static uint64_t read_argument(print_state *state, uint32_t bytes) {
    uint32_t words[2] = {0, 0};
    for (uint32_t i = 0; i < bytes / 4; i++) {
        uint64_t at = state->next + 4 * i, address = state->arguments + at;
        const uint8_t *word = sim_warp_peek(state->warp, state->lane, address, 4);
        bool is_local = address - SIM_LOCAL_WINDOW < SIM_WINDOW_BYTES;
        if (word) memcpy(&words[i], word, 4);
        else if (!is_local) state->failed = true;
        if (words[i] != SIM_POISON) continue;
        find_elements(state);
        if (state->element_count > 0 && !element_at(state, at)) words[i] = 0;
    }
    state->next += bytes;
    return words[0] | (uint64_t)words[1] << 32;
}

static void take(print_state *state, const conversion *c, uint32_t bytes) {
    if (state->count == SLOTS_MAX) {
        if (!state->problem[0])
            snprintf(state->problem, sizeof state->problem,
                     "printf in a kernel takes at most %d arguments: what it prints for the others "
                     "is part of the format's own text; print them by another call",
                     SLOTS_MAX);
        return;
    }
    state->next = (state->next + bytes - 1) & ~(uint64_t)(bytes - 1);
    compare(state, c, state->next, bytes);
    uint64_t value = read_argument(state, bytes);
    state->slots[state->count++] = value;
    if (bytes == 8 && c->letter == 's' && !value && !state->failed && !state->problem[0])
        snprintf(state->problem, sizeof state->problem,
                 "the conversion %.*s of printf gets a null pointer, and prints (null) on a card",
                 length_of(c), c->at);
}

static const char *next_percent(const char *at) {
    while ((at = strchr(at, '%')) && at[1] == '%') at += 2;
    return at;
}

static void note_foreign(print_state *state, const conversion *c) {
    if (state->problem[0] || c->size + 1 >= c->end || !strchr("diuoxX", c->letter)) return;
    snprintf(state->problem, sizeof state->problem,
             "printf in a kernel does not know %.*s and takes no argument for it, so that it "
             "prints wrong values: the only length modifiers are h, l and ll",
             length_of(c), c->at);
}

static void collect(print_state *state) {
    for (const char *at = state->format; (at = next_percent(at)) && !state->failed;) {
        conversion c = parse(at);
        at = c.end;
        if (!c.on_device) {
            note_foreign(state, &c);
            continue;
        }
        for (int i = 0; i < c.stars; i++) take(state, &c, 4);
        take(state, &c, bytes_of(&c));
    }
}

// ---- what the host does -------------------------------------------------------------------------

static uint64_t next_slot(print_state *state) {
    uint32_t index = state->used++;
    uint64_t value = 0, length = strlen(state->format);
    if (index < state->count) return state->slots[index];
    uint64_t from = (uint64_t)(index - state->count) * SLOT_BYTES;
    if (from < length)
        memcpy(&value, state->format + from,
               length - from < SLOT_BYTES ? length - from : SLOT_BYTES);
    return value;
}

// What is left of an integer: all of it (l, ll), 32 bits, 16 (h) or 8 (hh).
static uint64_t narrowed(uint64_t value, char letter, bool is_long, uint32_t halvings) {
    if (is_long) return value;
    uint32_t unused = 64 - (32u >> halvings);
    bool is_signed = letter == 'd' || letter == 'i';
    return is_signed ? (uint64_t)((int64_t)(value << unused) >> unused) : value << unused >> unused;
}

// Flags, width and precision, for the C library: no field is wider than WIDTH_MAX.
static void copy_spec(print_state *state, const conversion *c, char spec[FIELD_MAX]) {
    size_t used = 1;
    uint32_t digits = 0;
    strcpy(spec, "%");
    for (const char *at = c->at + 1; at < c->size; at++) {
        char number[16];
        if (*at == '*')
            snprintf(number, sizeof number, "%d", (int)next_slot(state) % (WIDTH_MAX + 1));
        else snprintf(number, sizeof number, "%c", *at);
        size_t bytes = strlen(number);
        digits = *at >= '0' && *at <= '9' ? digits + 1 : 0;
        if (digits > 4 || used + bytes >= FIELD_MAX - 8) continue;
        memcpy(spec + used, number, bytes + 1);
        used += bytes;
    }
}

// As the host's library, which prints what the device has stored: "(null)" whole or not at all.
static bool null_fits(const char *spec) {
    const char *precision = strchr(spec, '.');
    return !precision || strtoul(precision + 1, NULL, 10) >= strlen("(null)");
}

static int format_value(const print_state *state, const conversion *c, char spec[FIELD_MAX],
                        uint64_t value, bool is_long, char out[STRING_MAX]) {
    size_t end = strlen(spec);
    char text[STRING_MAX];
    double number;
    if (is_integer(c->letter)) {
        snprintf(spec + end, 8, "ll%c", c->letter);
        return snprintf(out, STRING_MAX, spec, narrowed(value, c->letter, is_long, c->halvings));
    }
    switch (c->letter) {
    case 'c': snprintf(spec + end, 8, "c"); return snprintf(out, STRING_MAX, spec, (int)value);
    case 'p':
    case 's':
        snprintf(spec + end, 8, "s");
        if (c->letter == 'p' && !value) strcpy(text, "(nil)");
        else if (c->letter == 'p') snprintf(text, sizeof text, "0x%" PRIx64, value);
        else if (!value) strcpy(text, null_fits(spec) ? "(null)" : "");
        else if (c->is_long) // of wide characters, which a device's strings are not
            text[0] = '\0';
        else if (!sim_builtin_string(state->warp, state->lane, value, text, sizeof text))
            strcpy(text, "(unreadable string)");
        return snprintf(out, STRING_MAX, spec, text);
    default:
        memcpy(&number, &value, sizeof number);
        snprintf(spec + end, 8, "%c", c->letter);
        return snprintf(out, STRING_MAX, spec, number);
    }
}

static void append_value(print_state *state, const conversion *c, uint64_t value, bool is_long,
                         char spec[FIELD_MAX]) {
    char out[STRING_MAX];
    int length = format_value(state, c, spec, value, is_long, out);
    if (length >= STRING_MAX) length = STRING_MAX - 1;
    if (length > 0) sim_output_append(state->output, out, (size_t)length);
}

// Text up to `end`, which is a conversion's % or the format's end. An integer conversion in it that
// is none for a kernel takes the value of that conversion: returns whether one has.
static bool append_text(print_state *state, const char *at, const char *end, bool has_value) {
    bool taken = false;
    while (at < end) {
        const char *percent = memchr(at, '%', (size_t)(end - at));
        if (!percent) percent = end;
        sim_output_append(state->output, at, (size_t)(percent - at));
        at = percent;
        if (at == end) break;
        if (at[1] == '%') {
            sim_output_append(state->output, "%", 1);
            at += 2;
            continue;
        }
        conversion c = parse(at);
        bool formats = has_value && is_integer(c.letter) && c.stars == 0;
        if (formats) {
            char spec[FIELD_MAX];
            bool is_short = c.halvings > 0;
            copy_spec(state, &c, spec);
            append_value(state, &c, taken ? 0 : next_slot(state), !is_short, spec);
            taken = true;
        } else {
            sim_output_append(state->output, c.at, (size_t)(c.end - c.at));
        }
        at = c.end;
    }
    return taken;
}

static void print(print_state *state) {
    const char *from = state->format;
    for (const char *at = from; (at = next_percent(at));) {
        conversion c = parse(at);
        at = c.end;
        if (!c.on_host) continue;
        char spec[FIELD_MAX];
        bool taken = append_text(state, from, c.at, true);
        copy_spec(state, &c, spec);
        append_value(state, &c, taken ? 0 : next_slot(state), c.is_long, spec);
        from = c.end;
    }
    append_text(state, from, from + strlen(from), false);
}

// A call's record in the ring buffer: these, and 8 of each argument. With one argument 32: of
// 60,000 such calls an H200 prints 37,016, where the ring has 1 MiB and is emptied meanwhile.
enum { RECORD_BYTES = 24 };

void sim_builtin_vprintf(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    const sim_call *call = instr->extra;
    char format[STRING_MAX];
    uint64_t address = sim_builtin_argument(warp, call, 0, lane);
    if (!address) {
        sim_builtin_return(warp, call, lane, (uint64_t)-1);
        return;
    }
    if (!sim_builtin_string(warp, lane, address, format, sizeof format)) {
        sim_fault_address(warp, instr, lane, address, 1, PTX_SPACE_NONE);
        return;
    }
    print_state state = {.warp = warp,
                         .instr = instr,
                         .lane = lane,
                         .format = format,
                         .arguments = sim_builtin_argument(warp, call, 1, lane),
                         .output = &warp->block->output};
    if (warp->observing) find_elements(&state);
    collect(&state);
    if (state.failed) {
        sim_fault_text(warp, instr, lane, SIM_ILLEGAL_ADDRESS,
                       "printf: its arguments do not lie in memory at 0x%" PRIx64,
                       state.arguments + state.next);
        return;
    }
    print(&state);
    state.output->ring_bytes += RECORD_BYTES + sizeof(uint64_t) * state.count;
    if (warp->observing && state.problem[0]) sim_observe_format(warp, instr, lane, state.problem);
    sim_builtin_return(warp, call, lane, state.count);
}

// ---- the growing text buffer of device printf ---------------------------------------------------

enum { OUTPUT_CAP_BYTES = 16 << 20 };

void sim_output_append(sim_output *output, const char *text, size_t bytes) {
    size_t cap = output->cap_bytes ? output->cap_bytes : OUTPUT_CAP_BYTES;
    if (output->truncated) return;
    if (bytes > cap || output->bytes > cap - bytes) {
        output->truncated = true;
        return;
    }
    if (output->bytes + bytes + 1 > output->capacity) {
        size_t capacity = (output->bytes + bytes + 1) * 2;
        char *grown = realloc(output->text, capacity);
        if (!grown) {
            output->truncated = true;
            return;
        }
        output->text = grown;
        output->capacity = capacity;
    }
    memcpy(output->text + output->bytes, text, bytes);
    output->bytes += bytes;
    output->text[output->bytes] = '\0';
}
