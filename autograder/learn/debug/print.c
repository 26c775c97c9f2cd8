// print, display, x: values of the focus, of all lanes of its warp, of shared memory by bank.
#include "learn/debug/debug.h"
#include "utilities/text.h"

enum { BANKS = 32, BANK_BYTES = 4, ROW_COLUMNS = 78 };

static bool wants(const debug_words *words, const char *name) {
    return strcmp(words->format, name) == 0;
}

// ---- By lane ------------------------------------------------------------------------------------

typedef struct lane_texts {
    char *text[SIM_DEBUG_LANES]; // NULL: it has none
    size_t widest;
    uint32_t active;
} lane_texts;

static void free_lanes(lane_texts *all) {
    for (int i = 0; i < SIM_DEBUG_LANES; i++) free(all->text[i]);
}

static kl_status read_lanes(debug_terminal *t, const char *expression, lane_texts *out,
                            kl_error *err) {
    const sim_variables_format format = {.without_type = true};
    sim_debug_lane lanes[SIM_DEBUG_LANES];
    memset(out, 0, sizeof *out);
    if (sim_debug_lanes(&t->client, &t->focus, lanes, err) != SIM_OK) return KL_ERROR_INPUT;
    for (uint32_t i = 0; i < SIM_DEBUG_LANES; i++) {
        sim_variables_value value;
        if (lanes[i].state == SIM_DEBUG_ACTIVE) out->active |= 1u << i;
        if (lanes[i].state == SIM_DEBUG_ABSENT || lanes[i].state == SIM_DEBUG_EXITED) continue;
        if (debug_evaluate(t, i, expression, &format, &value, err) != SIM_OK) {
            free_lanes(out);
            return KL_ERROR_INPUT;
        }
        bool active = lanes[i].state == SIM_DEBUG_ACTIVE;
        size_t bytes = strlen(value.text) + 3;
        out->text[i] = malloc(bytes);
        if (out->text[i]) snprintf(out->text[i], bytes, active ? "%s" : "[%s]", value.text);
        if (bytes - 3 + (active ? 0 : 2) > out->widest) out->widest = bytes - 3 + (active ? 0 : 2);
        sim_variables_value_free(&value);
    }
    return KL_OK;
}

// As many lanes in a row as fit: 16, 8, 4, 2 or 1.
static kl_status print_lanes(debug_terminal *t, const char *expression, kl_error *err) {
    lane_texts all;
    uint32_t each = 16;
    TRY(read_lanes(t, expression, &all, err));
    while (each > 1 && 8 + each * (all.widest + 2) > ROW_COLUMNS) each /= 2;
    printf("%s by lane; active threads 0x%08x%s\n", expression, all.active,
           ~all.active ? ", [values] of the others" : "");
    for (uint32_t i = 0; i < SIM_DEBUG_LANES; i++) {
        if (i % each == 0) printf("%2u-%-2u: ", i, i + each - 1);
        printf(" %*s", (int)all.widest, all.text[i] ? all.text[i] : "-");
        if (i % each == each - 1) putchar('\n');
    }
    free_lanes(&all);
    return KL_OK;
}

// ---- By bank ------------------------------------------------------------------------------------

// One word; "-": never written, "": past the end.
static void bank_text(const uint8_t *data, uint64_t bytes, uint64_t at, bool is_float, char *text,
                      size_t text_bytes) {
    uint32_t word = 0;
    float real;
    text[0] = '\0';
    if (at + BANK_BYTES > bytes) return;
    memcpy(&word, data + at, sizeof word);
    memcpy(&real, data + at, sizeof real);
    if (word == DEBUG_NEVER_WRITTEN) snprintf(text, text_bytes, "-");
    else if (is_float) snprintf(text, text_bytes, "%.5g", (double)real);
    else snprintf(text, text_bytes, "%d", (int32_t)word);
}

// All rows of 32 banks, in parts of as many banks as fit.
static void print_bank_rows(const uint8_t *data, uint64_t bytes, bool is_float) {
    const int head = 20;
    size_t widest = 1;
    uint32_t each = BANKS;
    char text[32];
    for (uint64_t at = 0; at < bytes; at += BANK_BYTES) {
        bank_text(data, bytes, at, is_float, text, sizeof text);
        if (strlen(text) > widest) widest = strlen(text);
    }
    while (each > 1 && head + each * (widest + 1) > ROW_COLUMNS) each /= 2;
    for (uint64_t at = 0; at < bytes; at += BANK_BYTES) {
        uint32_t bank = (uint32_t)(at / BANK_BYTES % BANKS);
        if (bank % each == 0) printf("%5" PRIu64 "  banks %2u-%-2u", at, bank, bank + each - 1);
        bank_text(data, bytes, at, is_float, text, sizeof text);
        printf(" %*s", (int)widest, text);
        if (bank % each == each - 1 || at + BANK_BYTES >= bytes) putchar('\n');
    }
}

// Where an expression or a variable of the PTX lies in shared memory.
static kl_status find_shared(debug_terminal *t, const char *expression, uint64_t *out_address,
                             uint64_t *out_bytes, bool *out_is_float, kl_error *err) {
    sim_debug_symbol symbol;
    sim_variables_value value;
    *out_is_float = false;
    if (debug_evaluate(t, t->focus.lane, expression, NULL, &value, err) == SIM_OK) {
        bool shared = value.in_memory && value.space == PTX_SPACE_SHARED;
        *out_address = value.address;
        *out_bytes = value.bytes;
        *out_is_float = value.type && strncmp(value.type, "float", 5) == 0;
        sim_variables_value_free(&value);
        if (shared) return KL_OK;
    }
    if (!debug_shared_variable(t, expression, &symbol))
        return kl_fail(err, KL_ERROR_INPUT, "%s is no variable of shared memory.", expression);
    *out_address = symbol.address;
    *out_bytes = symbol.bytes;
    return KL_OK;
}

static kl_status print_banks(debug_terminal *t, const char *expression, kl_error *err) {
    enum { MOST = 4096 };
    uint64_t address = 0, bytes = 0;
    uint8_t data[MOST + BANKS * BANK_BYTES] = {0};
    bool is_float = false;
    TRY(find_shared(t, expression, &address, &bytes, &is_float, err));
    uint64_t skew = address % (BANKS * BANK_BYTES), most = bytes < MOST ? bytes : MOST;
    if (sim_debug_read_memory(&t->client, &t->focus, PTX_SPACE_SHARED, address, data + skew, most,
                              err) != SIM_OK)
        return KL_ERROR_INPUT;
    printf("%s: %" PRIu64 " bytes of shared memory at 0x%" PRIx64 "; -: never written\n",
           expression, bytes, address);
    print_bank_rows(data, skew + most, is_float);
    if (most < bytes) printf("..  (the first %d bytes)\n", MOST);
    return KL_OK;
}

// ---- print, display -----------------------------------------------------------------------------

static kl_status format_letter(const debug_words *words, char *out_letter, kl_error *err) {
    *out_letter = words->format[0];
    if (words->format[0] == '\0' || (words->format[1] == '\0' && strchr("xduotcfa", *out_letter)))
        return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT,
                   "Undefined output format \"%s\": x, d, u, o, t, c, f, a, lanes or banks.",
                   words->format);
}

kl_status debug_cmd_print(debug_terminal *t, const debug_words *words, kl_error *err) {
    sim_variables_format format = {.letter = 0};
    sim_variables_value value;
    if (!debug_is_stopped(t, err)) return KL_ERROR_INPUT;
    if (words->text[0] == '\0') return kl_fail(err, KL_ERROR_INPUT, "Print what?");
    if (wants(words, "lanes")) return print_lanes(t, words->text, err);
    if (wants(words, "banks")) return print_banks(t, words->text, err);
    TRY(format_letter(words, &format.letter, err));
    if (debug_evaluate(t, t->focus.lane, words->text, &format, &value, err) != SIM_OK)
        return KL_ERROR_INPUT;
    printf("$%u = %s\n", ++t->next_value, value.text);
    sim_variables_value_free(&value);
    return KL_OK;
}

kl_status debug_cmd_display(debug_terminal *t, const debug_words *words, kl_error *err) {
    debug_display *free_row = NULL;
    char letter;
    TRY(format_letter(words, &letter, err));
    if (words->text[0] == '\0') {
        if (debug_is_stopped(t, err)) debug_show_displays(t);
        return KL_OK;
    }
    for (uint32_t i = 0; i < DEBUG_DISPLAYS && !free_row; i++)
        if (!t->displays[i].number) free_row = &t->displays[i];
    if (!free_row) return kl_fail(err, KL_ERROR_LIMIT, "There are %d displays.", DEBUG_DISPLAYS);
    *free_row = (debug_display){.number = ++t->next_display, .format = letter};
    snprintf(free_row->expression, sizeof free_row->expression, "%s", words->text);
    if (t->client.stopped) debug_show_display(t, free_row);
    return KL_OK;
}

kl_status debug_cmd_undisplay(debug_terminal *t, const debug_words *words, kl_error *err) {
    uint64_t number = 0;
    bool any = words->text[0] == '\0', read = ladder_parse_uint(words->text, UINT32_MAX, &number);
    for (uint32_t i = 0; i < DEBUG_DISPLAYS && (any || read); i++) {
        if (words->text[0] && t->displays[i].number != number) continue;
        any |= t->displays[i].number != 0;
        t->displays[i].number = 0;
    }
    return any ? KL_OK : kl_fail(err, KL_ERROR_INPUT, "No display number %s.", words->text);
}

// ---- x ------------------------------------------------------------------------------------------

typedef struct memory_format {
    uint64_t count;
    char letter;
    uint32_t size;
} memory_format;

static kl_status parse_memory_format(const char *text, memory_format *out, kl_error *err) {
    char *end = (char *)text;
    *out = (memory_format){.count = 1, .letter = 'x', .size = 4};
    if (isdigit((unsigned char)*text)) out->count = strtoull(text, &end, 10);
    for (; *end; end++) {
        const char *size = strchr("bhwg", *end);
        if (size) out->size = 1u << (size - "bhwg");
        else if (strchr("xduotcf", *end)) out->letter = *end;
        else return kl_fail(err, KL_ERROR_INPUT, "Undefined output format \"%s\".", text);
    }
    const uint64_t most = 4096;
    if (out->count > 0 && out->count <= most) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "1 to %" PRIu64 " units of memory.", most);
}

static void put_unit(const memory_format *format, const uint8_t *at) {
    uint64_t value = 0;
    double real = 0;
    float half;
    memcpy(&value, at, format->size);
    memcpy(&real, at, format->size == 8 ? 8 : 0);
    memcpy(&half, at, sizeof half);
    unsigned shift = 64 - 8 * format->size;
    int64_t sign = (int64_t)(value << shift) >> shift;
    switch (format->letter) {
    case 'd': printf("\t%" PRId64, sign); break;
    case 'u': printf("\t%" PRIu64, value); break;
    case 'o': printf("\t0%" PRIo64, value); break;
    case 'c':
        printf("\t%" PRId64 " '%c'", sign, isprint((int)(value & 0x7F)) ? (int)value : '.');
        break;
    case 'f': printf("\t%.9g", format->size == 8 ? real : (double)half); break;
    case 't':
        putchar('\t');
        for (unsigned bit = 8 * format->size; bit-- > 0;) putchar(value >> bit & 1 ? '1' : '0');
        break;
    default: printf("\t0x%0*" PRIx64, (int)(2 * format->size), value); break;
    }
}

// The address that an expression means: that of a variable, or the value of a pointer or number.
static kl_status find_address(debug_terminal *t, const char *expression, uint32_t *out_space,
                              uint64_t *out_address, kl_error *err) {
    sim_variables_value value;
    sim_debug_symbol symbol;
    if (debug_shared_variable(t, expression, &symbol)) {
        *out_space = symbol.space;
        *out_address = symbol.address;
        return KL_OK;
    }
    if (debug_evaluate(t, t->focus.lane, expression, NULL, &value, err) != SIM_OK)
        return KL_ERROR_INPUT;
    static const struct {
        const char *word;
        ptx_space space;
    } spaces[] = {{"@shared", PTX_SPACE_SHARED},
                  {"@local", PTX_SPACE_LOCAL},
                  {"@param", PTX_SPACE_PARAM},
                  {"@global", PTX_SPACE_GLOBAL},
                  {"@const", PTX_SPACE_CONST}};
    *out_space = value.is_number ? PTX_SPACE_NONE : value.space;
    *out_address = value.is_number ? value.number : value.address;
    for (size_t i = 0; value.is_number && i < sizeof spaces / sizeof *spaces; i++)
        if (value.type && strncmp(value.type, spaces[i].word, strlen(spaces[i].word)) == 0)
            *out_space = spaces[i].space;
    bool known = value.is_number || value.in_memory;
    sim_variables_value_free(&value);
    return known ? KL_OK : kl_fail(err, KL_ERROR_INPUT, "%s is no address.", expression);
}

kl_status debug_cmd_x(debug_terminal *t, const debug_words *words, kl_error *err) {
    memory_format format;
    uint32_t space;
    uint64_t address;
    if (!debug_is_stopped(t, err)) return KL_ERROR_INPUT;
    if (words->text[0] == '\0') return kl_fail(err, KL_ERROR_INPUT, "Memory at which address?");
    TRY(parse_memory_format(words->format, &format, err));
    TRY(find_address(t, words->text, &space, &address, err));
    const uint64_t each = format.size == 8 ? 2 : format.size == 1 ? 8 : 4;
    for (uint64_t i = 0; i < format.count; i++) {
        uint8_t data[8] = {0};
        uint64_t at = address + i * format.size;
        if (sim_debug_read_memory(&t->client, &t->focus, space, at, data, format.size, err) !=
            SIM_OK) {
            if (i % each) putchar('\n');
            return KL_ERROR_INPUT;
        }
        if (i % each == 0) printf("0x%" PRIx64 ":", at);
        put_unit(&format, data);
        if (i % each == each - 1 || i + 1 == format.count) putchar('\n');
    }
    return KL_OK;
}
