// Breakpoints and watchpoints.
#include "learn/debug/debug.h"
#include "utilities/text.h"

debug_row *debug_row_of(debug_terminal *t, uint32_t number) {
    for (uint32_t i = 0; number && i < SIM_DEBUG_POINTS; i++)
        if (t->rows[i].point.number == number) return &t->rows[i];
    return NULL;
}

kl_status debug_new_row(debug_terminal *t, debug_row **out_row, kl_error *err) {
    for (uint32_t i = 0; i < SIM_DEBUG_POINTS; i++) {
        if (t->rows[i].point.number) continue;
        *out_row = &t->rows[i];
        memset(*out_row, 0, sizeof **out_row);
        (*out_row)->enabled = true;
        return KL_OK;
    }
    return kl_fail(err, KL_ERROR_LIMIT, "There are %d breakpoints already.", SIM_DEBUG_POINTS);
}

// Takes " if CONDITION" off the end.
static void split_condition(char *what, char *condition, size_t bytes) {
    char *at = strstr(what, " if ");
    if (!at) return;
    snprintf(condition, bytes, "%s", at + strlen(" if "));
    while (at > what && at[-1] == ' ') at--;
    *at = '\0';
}

static kl_status parse_place(debug_terminal *t, debug_row *row, kl_error *err) {
    sim_debug_point *point = &row->point;
    char *colon = strrchr(row->what, ':');
    const char *digits = colon ? colon + 1 : row->what;
    uint64_t line;
    if (ladder_parse_uint(digits, UINT32_MAX, &line) && line > 0) {
        point->kind = SIM_DEBUG_AT_LINE;
        point->line = (uint32_t)line;
        int length = colon ? (int)(colon - row->what) : 0;
        snprintf(point->name, sizeof point->name, "%.*s", length, row->what);
        if (!colon) snprintf(point->name, sizeof point->name, "%s", t->list_file);
        return KL_OK;
    }
    if (row->what[0] == '\0' || strpbrk(row->what, " \t"))
        return kl_fail(err, KL_ERROR_INPUT, "Where? LINE, FILE:LINE or the name of a kernel.");
    point->kind = SIM_DEBUG_AT_FUNCTION;
    snprintf(point->name, sizeof point->name, "%s", row->what);
    return KL_OK;
}

static void say_placed(debug_terminal *t, debug_row *row) {
    sim_debug_place place;
    kl_error err;
    const char *kind = row->once ? "Temporary breakpoint" : "Breakpoint";
    if (!t->client.stopped) {
        printf("%s %u (%s) pending until a kernel is launched.\n", kind, row->point.number,
               row->what);
    } else if (sim_debug_resolve(&t->client, &row->point, &place, &err) != SIM_OK) {
        printf("%s %u (%s): no code there in the kernels of this program.\n", kind,
               row->point.number, row->what);
    } else if (place.line) {
        printf("%s %u: file %s, line %u.\n", kind, row->point.number,
               debug_path_from_here(place.file), place.line);
    } else {
        printf("%s %u: PTX line %u.\n", kind, row->point.number, place.ptx_line);
    }
}

static kl_status add_breakpoint(debug_terminal *t, const debug_words *words, bool once,
                                kl_error *err) {
    debug_row *row;
    TRY(debug_new_row(t, &row, err));
    snprintf(row->what, sizeof row->what, "%s", words->text);
    split_condition(row->what, row->condition, sizeof row->condition);
    row->once = once;
    if (row->what[0] == '\0' && t->list_line)
        snprintf(row->what, sizeof row->what, "%u", t->list_line);
    TRY(parse_place(t, row, err));
    row->point.number = ++t->next_number;
    say_placed(t, row);
    return KL_OK;
}

kl_status debug_cmd_break(debug_terminal *t, const debug_words *words, kl_error *err) {
    return add_breakpoint(t, words, false, err);
}

kl_status debug_cmd_tbreak(debug_terminal *t, const debug_words *words, kl_error *err) {
    return add_breakpoint(t, words, true, err);
}

kl_status debug_watch(debug_terminal *t, debug_row *row, sim_debug_point_kind kind, kl_error *err) {
    sim_variables_value value;
    if (debug_evaluate(t, t->focus.lane, row->what, NULL, &value, err) != SIM_OK)
        return KL_ERROR_INPUT;
    bool watchable =
        value.in_memory && (value.space == PTX_SPACE_GLOBAL || value.space == PTX_SPACE_SHARED ||
                            value.space == PTX_SPACE_LOCAL);
    bool fits = value.bytes > 0 && value.bytes <= SIM_DEBUG_WATCHED_BYTES;
    row->point = (sim_debug_point){.kind = kind,
                                   .space = value.space,
                                   .address = value.address,
                                   .bytes = (uint32_t)value.bytes,
                                   .thread = t->focus};
    row->is_float = value.is_float;
    sim_variables_value_free(&value);
    if (!watchable)
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s does not lie in memory. Watch a variable, or an address: "
                       "*(@global int *) 0x..",
                       row->what);
    if (!fits)
        return kl_fail(err, KL_ERROR_INPUT, "At most %d bytes can be watched: watch an element.",
                       SIM_DEBUG_WATCHED_BYTES);
    return KL_OK;
}

static kl_status add_watchpoint(debug_terminal *t, const debug_words *words,
                                sim_debug_point_kind kind, kl_error *err) {
    debug_row *row;
    if (!debug_is_stopped(t, err)) return KL_ERROR_INPUT;
    TRY(debug_new_row(t, &row, err));
    snprintf(row->what, sizeof row->what, "%s", words->text);
    split_condition(row->what, row->condition, sizeof row->condition);
    TRY(debug_watch(t, row, kind, err));
    row->point.number = ++t->next_number;
    printf("%s %u: %s\n", debug_watch_name(row), row->point.number, row->what);
    return KL_OK;
}

kl_status debug_cmd_watch(debug_terminal *t, const debug_words *words, kl_error *err) {
    return add_watchpoint(t, words, SIM_DEBUG_ON_WRITE, err);
}

kl_status debug_cmd_rwatch(debug_terminal *t, const debug_words *words, kl_error *err) {
    return add_watchpoint(t, words, SIM_DEBUG_ON_READ, err);
}

kl_status debug_cmd_awatch(debug_terminal *t, const debug_words *words, kl_error *err) {
    return add_watchpoint(t, words, SIM_DEBUG_ON_ACCESS, err);
}

kl_status debug_cmd_delete(debug_terminal *t, const debug_words *words, kl_error *err) {
    const char *at = words->text;
    if (*at == '\0')
        for (uint32_t i = 0; i < SIM_DEBUG_POINTS; i++) t->rows[i].point.number = 0;
    while (*at) {
        char *end;
        debug_row *row = debug_row_of(t, (uint32_t)strtoul(at, &end, 10));
        if (end == at || !row)
            return kl_fail(err, KL_ERROR_INPUT, "No breakpoint number %.*s.", (int)strcspn(at, " "),
                           at);
        row->point.number = 0;
        at = end + strspn(end, " ");
    }
    return KL_OK;
}

static kl_status set_enabled(debug_terminal *t, const debug_words *words, bool enabled,
                             kl_error *err) {
    uint64_t number = 0;
    bool read = ladder_parse_uint(words->text, UINT32_MAX, &number);
    debug_row *row = read ? debug_row_of(t, (uint32_t)number) : NULL;
    if (!row) return kl_fail(err, KL_ERROR_INPUT, "No breakpoint number %s.", words->text);
    row->enabled = enabled;
    return KL_OK;
}

kl_status debug_cmd_enable(debug_terminal *t, const debug_words *words, kl_error *err) {
    return set_enabled(t, words, true, err);
}

kl_status debug_cmd_disable(debug_terminal *t, const debug_words *words, kl_error *err) {
    return set_enabled(t, words, false, err);
}
