// Variables of a warp by lane, and shared memory, of a recording: what changed since the last time.
#include "learn/debug/internal.h"

// ---- Arrays -------------------------------------------------------------------------------------

static char record_kind(const char *type) {
    if (!type) return 'x';
    const char *at = strrchr(type, ')');
    at = strncmp(type, "@", 1) == 0 ? strchr(type, ' ') : at;
    at = at ? at + 1 : type;
    if (strncmp(at, "const ", 6) == 0) at += 6;
    if (strncmp(at, "float", 5) == 0) return 'f';
    if (strncmp(at, "unsigned", 8) == 0 || strncmp(at, "uint", 4) == 0) return 'u';
    if (strncmp(at, "int", 3) == 0) return 'i';
    return 'x';
}

static bool record_has_region(const record_region *regions, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(regions[i].name, name) == 0) return true;
    return false;
}

static void record_add_region(record_region *regions, uint32_t *count, const char *name,
                              const sim_variables_value *value) {
    if (*count == RECORD_REGIONS || record_has_region(regions, *count, name)) return;
    record_region *region = &regions[(*count)++];
    snprintf(region->name, sizeof region->name, "%s", name);
    region->address = value->address;
    region->bytes = value->bytes;
    region->element = value->element_bytes ? (uint32_t)value->element_bytes : 4;
    region->kind = record_kind(value->type);
}

// ---- Variables ----------------------------------------------------------------------------------

// One reading of a warp: whose, and what is visible there.
typedef struct record_reading {
    recorder *r;
    const sim_debug_thread *thread;
    const sim_debug_lane *lanes;
    uint32_t moment, warp, leader; // leader: the lane that says what is in scope
    uint32_t inlined;              // function under way
    const char *function;
    uint32_t visible[RECORD_VARIABLES], visible_count;
} record_reading;

static record_variable *record_variable_of(record_reading *at, const char *name, bool parameter) {
    recorder *r = at->r;
    for (uint32_t i = 0; i < r->variable_count; i++)
        if (strcmp(r->variables[i].name, name) == 0 &&
            strcmp(r->variables[i].function, at->function) == 0)
            return &r->variables[i];
    if (r->variable_count == RECORD_VARIABLES) {
        r->left_variables = true;
        return NULL;
    }
    record_variable *variable = &r->variables[r->variable_count++];
    snprintf(variable->name, sizeof variable->name, "%s", name);
    snprintf(variable->function, sizeof variable->function, "%s", at->function);
    variable->is_parameter = parameter;
    return variable;
}

static bool record_evaluate(record_reading *at, uint32_t lane, const char *expression,
                            sim_variables_value *out) {
    const sim_variables_format format = {.without_type = true, .most_elements = 8};
    sim_debug_thread thread = *at->thread;
    kl_error ignored;
    thread.lane = lane;
    return debug_evaluate_at(at->r->t, &thread, 0, at->lanes[lane].ptx_line, at->inlined,
                             expression, &format, out, &ignored) == SIM_OK;
}

// What lies in shared memory, or points to global memory. True: it is shown there, not by lane.
static bool record_region_of(record_reading *at, const char *name, bool is_parameter) {
    recorder *r = at->r;
    sim_variables_value value;
    char target[80];
    if (!record_evaluate(at, at->leader, name, &value)) return false;
    bool is_shared = value.in_memory && value.space == PTX_SPACE_SHARED;
    bool is_pointer = is_parameter && value.is_number && value.type && strchr(value.type, '*');
    if (is_shared) record_add_region(r->tiles, &r->tile_count, name, &value);
    sim_variables_value_free(&value);
    if (!is_pointer || record_has_region(r->arrays, r->array_count, name)) return is_shared;
    snprintf(target, sizeof target, "*%s", name);
    if (!record_evaluate(at, at->leader, target, &value)) return is_shared;
    if (value.in_memory && value.space == PTX_SPACE_GLOBAL)
        record_add_region(r->arrays, &r->array_count, name, &value);
    sim_variables_value_free(&value);
    return is_shared;
}

// Values of all lanes, as text. NULL: a lane has none.
static void record_lane_texts(record_reading *at, const char *name, char *texts[SIM_DEBUG_LANES]) {
    for (uint32_t lane = 0; lane < SIM_DEBUG_LANES; lane++) {
        uint32_t state = at->lanes[lane].state;
        sim_variables_value value;
        texts[lane] = NULL;
        if (state == SIM_DEBUG_ABSENT || state == SIM_DEBUG_EXITED) continue;
        if (at->lanes[lane].function != at->lanes[at->leader].function) continue;
        if (!record_evaluate(at, lane, name, &value)) continue;
        if (value.has_value && strcmp(value.text, "<never written>") != 0)
            texts[lane] = strndup(value.text, RECORD_VALUE);
        sim_variables_value_free(&value);
    }
}

static void record_one_variable(record_reading *at, const char *name, bool parameter) {
    char *texts[SIM_DEBUG_LANES], *coded = NULL;
    size_t bytes;
    record_variable *variable = record_variable_of(at, name, parameter);
    if (!variable) return;
    at->visible[at->visible_count++] = (uint32_t)(variable - at->r->variables);
    record_lane_texts(at, name, texts);
    FILE *out = open_memstream(&coded, &bytes);
    if (out) {
        record_runs(out, (const char *const *)texts, SIM_DEBUG_LANES);
        fclose(out);
    }
    for (int lane = 0; lane < SIM_DEBUG_LANES; lane++) free(texts[lane]);
    char **last = &variable->last[at->warp];
    if (!coded || (*last && strcmp(*last, coded) == 0)) {
        free(coded);
        return;
    }
    fprintf(record_row(&at->r->values), "%u,%u,%u,%s]", at->moment, at->warp,
            (uint32_t)(variable - at->r->variables), coded);
    free(*last);
    *last = coded;
}

static bool record_listed(void *context, const sim_variable_row *row) {
    record_reading *at = context;
    bool parameter = row->kind == SIM_VARIABLE_PARAMETER;
    if (row->is_hidden || at->visible_count == RECORD_VARIABLES) return true;
    if (record_region_of(at, row->name, parameter)) return true;
    if (row->kind != SIM_VARIABLE_MODULE) record_one_variable(at, row->name, parameter);
    return true;
}

static void record_scope(record_reading *at) {
    char *text = NULL, **last = &at->r->last_scopes[at->warp];
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out) return;
    for (uint32_t i = 0; i < at->visible_count; i++)
        fprintf(out, "%s%u", i ? "," : "", at->visible[i]);
    fclose(out);
    if (*last && strcmp(*last, text) == 0) {
        free(text);
        return;
    }
    fprintf(record_row(&at->r->scopes), "%u,%u,[%s]]", at->moment, at->warp, text);
    free(*last);
    *last = text;
}

void record_values(recorder *r, const sim_debug_thread *thread, const sim_debug_lane *lanes,
                   uint32_t moment) {
    sim_variables_frame frames[SIM_VARIABLES_MAX_FRAMES];
    record_reading at = {.r = r,
                         .thread = thread,
                         .lanes = lanes,
                         .moment = moment,
                         .warp = record_warp_of(r, thread),
                         .leader = SIM_DEBUG_LANES};
    for (uint32_t lane = SIM_DEBUG_LANES; lane-- > 0;)
        if (lanes[lane].state == SIM_DEBUG_ACTIVE) at.leader = lane;
    for (uint32_t lane = SIM_DEBUG_LANES; at.leader == SIM_DEBUG_LANES && lane-- > 0;)
        if (lanes[lane].state != SIM_DEBUG_ABSENT && lanes[lane].state != SIM_DEBUG_EXITED)
            at.leader = lane;
    if (at.leader == SIM_DEBUG_LANES) return; // all have ended: the last values stay
    debug_forget(r->t);
    if (!r->t->variables) return;
    uint32_t line = lanes[at.leader].ptx_line;
    uint32_t count = sim_variables_frames(r->t->variables, line, frames);
    for (at.inlined = 0; at.inlined < count; at.inlined++) {
        at.function = frames[at.inlined].name;
        sim_variables_list(r->t->variables, line, at.inlined, record_listed, &at);
    }
    record_scope(&at);
}

void record_free_values(recorder *r) {
    for (uint32_t i = 0; i < r->variable_count; i++)
        for (uint32_t w = 0; w < LADDER_DEBUG_PAGE_WARPS; w++) free(r->variables[i].last[w]);
    for (uint32_t w = 0; w < LADDER_DEBUG_PAGE_WARPS; w++) {
        free(r->last_states[w]);
        free(r->last_scopes[w]);
    }
    free(r->memory);
}

// ---- Shared memory ------------------------------------------------------------------------------

static uint32_t record_word(const uint8_t *memory, uint32_t at) {
    uint32_t word;
    memcpy(&word, memory + at, sizeof word);
    return word;
}

// Words [first, end) of a run of changed ones, as "index:word,word*count".
static void record_words(FILE *out, const uint8_t *memory, uint32_t first, uint32_t end) {
    fprintf(out, "%x:", first);
    for (uint32_t i = first; i < end;) {
        uint32_t word = record_word(memory, 4 * i), next = i + 1;
        while (next < end && record_word(memory, 4 * next) == word) next++;
        fprintf(out, i == first ? "%x" : ",%x", word);
        if (next - i > 1) fprintf(out, "*%x", next - i);
        i = next;
    }
}

static bool record_read_shared(recorder *r, const sim_debug_thread *thread, uint8_t *out) {
    kl_error ignored;
    sim_debug_block blocks[256];
    uint32_t count;
    if (r->shared_bytes == 0) {
        if (sim_debug_blocks(&r->t->client, blocks, 256, &count, &ignored) != SIM_OK) return false;
        for (uint32_t i = 0; i < count; i++)
            if (blocks[i].block == thread->block) r->shared_bytes = blocks[i].shared_bytes;
        r->memory_bytes = r->shared_bytes < LADDER_DEBUG_PAGE_SHARED ? r->shared_bytes & ~3u
                                                                     : LADDER_DEBUG_PAGE_SHARED;
    }
    return r->memory_bytes > 0 && sim_debug_read_memory(&r->t->client, thread, PTX_SPACE_SHARED, 0,
                                                        out, r->memory_bytes, &ignored) == SIM_OK;
}

void record_shared(recorder *r, const sim_debug_thread *thread, uint32_t moment) {
    static uint8_t fresh[LADDER_DEBUG_PAGE_SHARED];
    bool is_new = !r->has_memory || r->memory_block != thread->block;
    if (!record_read_shared(r, thread, fresh)) return;
    if (!r->memory) r->memory = malloc(LADDER_DEBUG_PAGE_SHARED);
    if (!r->memory || (!is_new && memcmp(fresh, r->memory, r->memory_bytes) == 0)) return;
    FILE *out = record_row(&r->shared);
    const char *separator = "";
    uint32_t words = r->memory_bytes / 4;
    fprintf(out, "%u,%" PRIu64 ",\"", moment, thread->block - r->first_block);
    for (uint32_t i = 0; i < words;) {
        uint32_t end = i;
        while (end < words &&
               (is_new || record_word(fresh, 4 * end) != record_word(r->memory, 4 * end)))
            end++;
        if (end > i) {
            fputs(separator, out);
            record_words(out, fresh, i, end);
            separator = ";";
        }
        i = end > i ? end : i + 1;
    }
    fputs("\"]", out);
    memcpy(r->memory, fresh, r->memory_bytes);
    r->memory_block = thread->block;
    r->has_memory = true;
}

// ---- rows of a recording as JSON, values of lanes as runs ---------------------------------------

uint32_t record_warp_of(const recorder *r, const sim_debug_thread *thread) {
    return (uint32_t)(thread->block - r->first_block) * r->warps + thread->warp;
}

FILE *record_row(record_part *part) {
    if (!part->out) part->out = open_memstream(&part->text, &part->bytes);
    fputs(part->rows++ ? ",\n[" : "[", part->out);
    return part->out;
}

void record_string(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') fputc('\\', out);
        if (c < 0x20 || c == '<') // "</script>" would end the data
            fprintf(out, "\\u%04x", c);
        else fputc(c, out);
    }
    fputc('"', out);
}

static bool record_is_integer(const char *text, int64_t *out) {
    char canonical[32], *end;
    const int64_t most = INT64_C(1) << 53; // exact in JavaScript
    if (!text || !*text) return false;
    *out = strtoll(text, &end, 10);
    snprintf(canonical, sizeof canonical, "%" PRId64, *out);
    return strcmp(canonical, text) == 0 && *out > -most && *out < most;
}

static bool record_equal(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void record_single(FILE *out, const char *text) {
    int64_t ignored;
    if (!text) fputs("null", out);
    else if (record_is_integer(text, &ignored)) fputs(text, out);
    else record_string(out, text);
}

// Length of an arithmetic sequence from `first` on.
static uint32_t record_sequence(const char *const *texts, uint32_t count, int64_t *out_first,
                                int64_t *out_step) {
    int64_t before, next;
    if (count < 3 || !record_is_integer(texts[0], out_first) || !record_is_integer(texts[1], &next))
        return 0;
    *out_step = next - *out_first;
    uint32_t length = 2;
    for (before = next; length < count && record_is_integer(texts[length], &next); length++) {
        if (next - before != *out_step) break;
        before = next;
    }
    return length;
}

void record_runs(FILE *out, const char *const *texts, uint32_t count) {
    fputc('[', out);
    for (uint32_t i = 0; i < count;) {
        uint32_t same = 1;
        int64_t first, step;
        while (i + same < count && record_equal(texts[i], texts[i + same])) same++;
        uint32_t length = same > 1 ? 0 : record_sequence(texts + i, count - i, &first, &step);
        if (i > 0) fputc(',', out);
        if (length >= 3) {
            fprintf(out, "[%" PRId64 ",%" PRId64 ",%u]", first, step, length);
            i += length;
            continue;
        }
        if (same > 1) fputc('[', out);
        record_single(out, texts[i]);
        if (same > 1) fprintf(out, ",%u]", same);
        i += same;
    }
    fputc(']', out);
}
