// Breakpoints of the editor. Each request brings all of one source, or of one kind: what there was
// of it before goes.
#include "learn/dap/internal.h"
#include "utilities/text.h"

static const char of_function[] = "function", of_data[] = "data";

static dap_point *point_of(dap_server *s, const debug_row *row) {
    return &s->points[row - s->t.rows];
}

static void release(dap_point *point) {
    free(point->owner);
    free(point->log);
    *point = (dap_point){.owner = NULL};
}

static void clear_owner(dap_server *s, const char *owner) {
    for (uint32_t i = 0; i < SIM_DEBUG_POINTS; i++) {
        dap_point *point = &s->points[i];
        if (!point->owner || (owner && strcmp(point->owner, owner) != 0)) continue;
        s->t.rows[i].point.number = 0;
        release(point);
    }
}

void dap_points_clear(dap_server *s) { clear_owner(s, NULL); }

// The compiler may have been given another path to the file: the longest end of this one counts.
static bool resolve(dap_server *s, debug_row *row, sim_debug_place *out_place) {
    sim_debug_point *point = &row->point;
    kl_error ignored;
    const char *at = row->what;
    if (point->kind == SIM_DEBUG_AT_FUNCTION)
        return sim_debug_resolve(&s->t.client, point, out_place, &ignored) == SIM_OK;
    for (;;) {
        const char *slash = strchr(at[0] == '/' ? at + 1 : at, '/');
        bool fits = strlen(at) < sizeof point->name;
        if (fits) snprintf(point->name, sizeof point->name, "%s", at);
        if (fits && sim_debug_resolve(&s->t.client, point, out_place, &ignored) == SIM_OK)
            return true;
        if (!slash) return false;
        at = slash + 1;
    }
}

// Id, whether it has code, and where.
static void put_point(dap_server *s, kl_json *body, debug_row *row) {
    sim_debug_place place;
    bool stopped = s->t.client.stopped;
    bool placed = stopped && resolve(s, row, &place);
    row->placed |= placed;
    kl_json_put(body, "id %u verified %hhd", row->point.number, placed);
    if (row->point.kind == SIM_DEBUG_AT_LINE || (placed && place.line)) {
        uint32_t line = placed ? place.line : row->point.line;
        kl_json_uint(body, "line", line - s->from_zero);
    }
    if (row->point.kind == SIM_DEBUG_AT_LINE) kl_json_put(body, "source (path %s)", row->what);
    if (!placed)
        kl_json_string(body, "message",
                       stopped ? "no code there in the kernels of this program"
                               : "pending until a kernel is launched");
}

void dap_place_all(dap_server *s) {
    for (uint32_t i = 0; i < SIM_DEBUG_POINTS; i++) {
        debug_row *row = &s->t.rows[i];
        dap_message m;
        dap_point *point = &s->points[i];
        if (!point->owner || strcmp(point->owner, of_data) == 0) continue;
        if (!row->point.number) { // it was deleted by a command
            release(point);
            continue;
        }
        if (!dap_event_begin(&m, "breakpoint")) continue;
        kl_json_put(&m.json, "reason changed breakpoint (");
        put_point(s, &m.json, row);
        kl_json_end(&m.json);
        dap_event_send(s, &m);
    }
}

static void put_refused(kl_json *body, const char *why) {
    kl_json_put(body, "(verified %hhd message %s)", false, why);
}

// "3" and ">= 3": from the third hit on; "> 3", "== 3", "<= 3", "< 3"; "% 3": each third.
static bool read_hits(const char *text, dap_point *point) {
    static const struct {
        const char *sign;
        char test;
        int more;
    } signs[] = {{">=", '>', 0}, {">", '>', 1},  {"==", '=', 0}, {"=", '=', 0},
                 {"<=", '<', 0}, {"<", '<', -1}, {"%", '%', 0},  {"", '>', 0}};
    uint64_t count;
    size_t i = 0;
    text += strspn(text, " ");
    while (strncmp(text, signs[i].sign, strlen(signs[i].sign)) != 0) i++;
    text += strlen(signs[i].sign);
    text += strspn(text, " ");
    if (!ladder_parse_uint(text, INT32_MAX, &count) || count == 0) return false;
    point->test = signs[i].test;
    point->count = (uint32_t)count + (uint32_t)signs[i].more;
    return true;
}

static bool hits_fit(const dap_point *point, uint32_t hits) {
    switch (point->test) {
    case '>': return hits >= point->count;
    case '<': return hits <= point->count;
    case '=': return hits == point->count;
    case '%': return hits % point->count == 0;
    default: return true;
    }
}

// The text with the values of the expressions in braces, for the focus.
static void write_log(dap_server *s, const char *text) {
    const sim_variables_format plain = {.without_type = true};
    char *made = NULL;
    size_t bytes;
    FILE *out = open_memstream(&made, &bytes);
    if (!out) return;
    for (const char *end; *text; text = end) {
        end = text + strcspn(text, "{");
        fwrite(text, 1, (size_t)(end - text), out);
        const char *close = strchr(end, '}');
        if (!close) fputs(end, out); // no expression
        if (!close) break;
        char *expression = strndup(end + 1, (size_t)(close - end - 1));
        sim_variables_value value;
        kl_error err = {KL_OK, ""};
        bool has = expression && debug_evaluate(&s->t, s->t.focus.lane, expression, &plain, &value,
                                                &err) == SIM_OK;
        fprintf(out, has ? "%s" : "<%s>", has ? value.text : err.text);
        if (has) sim_variables_value_free(&value);
        free(expression);
        end = close + 1;
    }
    fputc('\n', out);
    fclose(out);
    dap_output(s, "console", made);
    free(made);
}

// Backwards hits are not counted, and nothing is written.
bool dap_decide(debug_terminal *t, debug_row *row) {
    dap_server *s = (dap_server *)t;
    const dap_point *point = point_of(s, row);
    if (t->way != SIM_DEBUG_FORWARDS) return !point->log;
    bool fits = hits_fit(point, row->hits + 1), stops = fits && !point->log;
    if (fits && point->log) write_log(s, point->log);
    row->hits += !stops; // a stop is counted where it is taken
    return stops;
}

// What a breakpoint of any kind may have besides its place.
static bool take_more(const json_t *item, debug_row *row, dap_point *out, kl_json *body) {
    const char *condition = dap_text(item, "condition", "");
    const char *hits = dap_text(item, "hitCondition", "");
    const char *log = dap_text(item, "logMessage", "");
    release(out);
    if (*hits && !read_hits(hits, out)) {
        put_refused(body, "hits are counted as 3 or >= 3, > 3, == 3, < 3, <= 3, % 3");
        return false;
    }
    if (strlen(condition) >= sizeof row->condition) {
        put_refused(body, "the condition is too long");
        return false;
    }
    snprintf(row->condition, sizeof row->condition, "%s", condition);
    if (*log) out->log = strdup(log);
    row->decided = *hits || *log;
    return true;
}

static void add_point(dap_server *s, const json_t *item, const char *owner, const char *path,
                      kl_json *body) {
    debug_row *row;
    kl_error err;
    if (debug_new_row(&s->t, &row, &err) != KL_OK) {
        put_refused(body, err.text);
        return;
    }
    row->point.kind = path ? SIM_DEBUG_AT_LINE : SIM_DEBUG_AT_FUNCTION;
    row->point.line = (uint32_t)dap_uint(item, "line", 0) + s->from_zero;
    const char *name = !path ? dap_text(item, "name", "") : basename(path);
    if (*name == '\0' || (path && strlen(path) >= sizeof row->what) ||
        strlen(name) >= sizeof row->point.name || (path && row->point.line == 0)) {
        put_refused(body, "no line or name, or one that is too long");
        return;
    }
    snprintf(row->point.name, sizeof row->point.name, "%s", name);
    snprintf(row->what, sizeof row->what, "%s", path ? path : name);
    if (!take_more(item, row, point_of(s, row), body)) return;
    row->point.number = ++s->t.next_number;
    point_of(s, row)->owner = strdup(owner);
    kl_json_row(body, NULL);
    put_point(s, body, row);
    kl_json_end(body);
}

kl_status dap_on_set_breakpoints(dap_server *s, const json_t *arguments, kl_json *body,
                                 kl_error *err) {
    const char *path = dap_text(json_object_get(arguments, "source"), "path", NULL);
    const json_t *items = json_object_get(arguments, "breakpoints"), *item;
    size_t i;
    if (!path || *path == '\0')
        return kl_fail(err, KL_ERROR_INPUT, "setBreakpoints needs the path of a source.");
    clear_owner(s, path);
    kl_json_array(body, "breakpoints");
    json_array_foreach(items, i, item) add_point(s, item, path, path, body);
    kl_json_end(body);
    dap_refresh(s);
    return KL_OK;
}

kl_status dap_on_set_function_breakpoints(dap_server *s, const json_t *arguments, kl_json *body,
                                          kl_error *err) {
    const json_t *items = json_object_get(arguments, "breakpoints"), *item;
    size_t i;
    (void)err;
    clear_owner(s, of_function);
    kl_json_array(body, "breakpoints");
    json_array_foreach(items, i, item) add_point(s, item, of_function, NULL, body);
    kl_json_end(body);
    dap_refresh(s);
    return KL_OK;
}

kl_status dap_on_set_exception_breakpoints(dap_server *s, const json_t *arguments, kl_json *body,
                                           kl_error *err) {
    const json_t *filters = json_object_get(arguments, "filters"), *item;
    size_t i;
    (void)body;
    (void)err;
    s->stops_at_findings = s->stops_at_faults = false;
    json_array_foreach(filters, i, item) {
        const char *filter = json_string_value(item);
        if (!filter) continue;
        s->stops_at_findings |= strcmp(filter, "findings") == 0;
        s->stops_at_faults |= strcmp(filter, "faults") == 0;
    }
    return KL_OK;
}

// ---- Data breakpoints ---------------------------------------------------------------------------

// A place in memory as text that the editor keeps:
// "SPACE ADDRESS BYTES FLOAT BLOCK WARP LANE NAME".
static void put_id(kl_json *body, const debug_row *row) {
    char id[DEBUG_EXPRESSION + 160];
    const sim_debug_point *point = &row->point;
    snprintf(id, sizeof id, "%u %" PRIu64 " %u %d %" PRIu64 " %u %u %s", point->space,
             point->address, point->bytes, row->is_float, point->thread.block, point->thread.warp,
             point->thread.lane, row->what);
    kl_json_string(body, "dataId", id);
}

static bool read_id(const char *id, debug_row *row) {
    sim_debug_point *point = &row->point;
    int is_float, used = 0;
    if (sscanf(id, "%u %" SCNu64 " %u %d %" SCNu64 " %u %u %n", &point->space, &point->address,
               &point->bytes, &is_float, &point->thread.block, &point->thread.warp,
               &point->thread.lane, &used) != 7 ||
        used == 0)
        return false;
    point->kind = SIM_DEBUG_ON_WRITE;
    row->is_float = is_float;
    snprintf(row->what, sizeof row->what, "%s", id + used);
    bool is_space = point->space == PTX_SPACE_GLOBAL || point->space == PTX_SPACE_SHARED ||
                    point->space == PTX_SPACE_LOCAL;
    return is_space && point->bytes > 0 && point->bytes <= SIM_DEBUG_WATCHED_BYTES &&
           point->thread.lane < SIM_DEBUG_LANES;
}

// The expression of a member of what `handle` stands for.
static void name_member(const dap_handle *handle, const char *name, char *out, size_t bytes) {
    const char *of = handle->expression;
    if (!of) snprintf(out, bytes, "%s", name);
    else if (handle->kind == DAP_BY_LANE) snprintf(out, bytes, "%s", of);
    else if (name[0] == '[') snprintf(out, bytes, "(%s)%s", of, name);
    else if (name[0] == '*') snprintf(out, bytes, "*(%s)", of);
    else snprintf(out, bytes, "(%s).%s", of, name);
}

kl_status dap_on_data_breakpoint_info(dap_server *s, const json_t *arguments, kl_json *body,
                                      kl_error *err) {
    uint64_t reference = dap_uint(arguments, "variablesReference", 0);
    uint64_t number = reference ? reference : dap_uint(arguments, "frameId", 0);
    const char *name = dap_text(arguments, "name", "");
    debug_row row = {.enabled = true};
    const dap_handle *handle = number ? dap_handle_of(s, number, err) : NULL;
    if (number && !handle) return KL_ERROR_INPUT;
    if (*name == '\0') return kl_fail(err, KL_ERROR_INPUT, "A name is missing.");
    if (handle) dap_look_at(s, handle);
    if (handle && reference) name_member(handle, name, row.what, sizeof row.what);
    else snprintf(row.what, sizeof row.what, "%s", name);
    if (handle && reference && handle->kind == DAP_BY_LANE && name[0] == '[')
        s->t.focus.lane = (uint32_t)strtoul(name + 1, NULL, 10) % SIM_DEBUG_LANES;
    kl_error why;
    if (debug_watch(&s->t, &row, SIM_DEBUG_ON_WRITE, &why) != KL_OK) {
        kl_json_null(body, "dataId");
        kl_json_string(body, "description", why.text);
        return KL_OK;
    }
    put_id(body, &row);
    kl_json_put(body, "description %s accessTypes <write>", row.what);
    return KL_OK;
}

static void add_data_point(dap_server *s, const json_t *item, kl_json *body) {
    debug_row *row;
    kl_error err;
    if (debug_new_row(&s->t, &row, &err) != KL_OK) {
        put_refused(body, err.text);
    } else if (strcmp(dap_text(item, "accessType", "write"), "write") != 0) {
        put_refused(body, "writes only");
    } else if (!read_id(dap_text(item, "dataId", ""), row)) {
        put_refused(body, "no place in memory");
    } else if (take_more(item, row, point_of(s, row), body)) {
        row->point.number = ++s->t.next_number;
        point_of(s, row)->owner = strdup(of_data);
        kl_json_put(body, "(id %u verified %hhd)", row->point.number, true);
    }
}

kl_status dap_on_set_data_breakpoints(dap_server *s, const json_t *arguments, kl_json *body,
                                      kl_error *err) {
    const json_t *items = json_object_get(arguments, "breakpoints"), *item;
    size_t i;
    (void)err;
    clear_owner(s, of_data);
    kl_json_array(body, "breakpoints");
    json_array_foreach(items, i, item) add_data_point(s, item, body);
    kl_json_end(body);
    dap_refresh(s);
    return KL_OK;
}
