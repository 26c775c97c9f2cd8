// What a stopped launch looks like: info, cuda, list, backtrace, frames.
#include "learn/debug/debug.h"
#include "utilities/text.h"

enum { BLOCKS_SHOWN = 512, LIST_LINES = 10 };

// ---- The focus ----------------------------------------------------------------------------------

// "1,2,0" or "(1,2,0)" or "1"; coordinates that are left out are 0.
static bool parse_dim(const char **at, sim_dim3 *out) {
    uint32_t numbers[3] = {0, 0, 0};
    bool bracket = **at == '(';
    if (bracket) ++*at;
    for (int i = 0; i < 3; i++) {
        char *end;
        if (!isdigit((unsigned char)**at)) return false;
        numbers[i] = (uint32_t)strtoul(*at, &end, 10);
        *at = end + strspn(end, " ");
        if (**at != ',') break;
        ++*at;
        *at += strspn(*at, " ");
    }
    if (bracket && **at == ')') ++*at;
    *at += strspn(*at, " ");
    *out = (sim_dim3){numbers[0], numbers[1], numbers[2]};
    return true;
}

static bool is_inside(sim_dim3 at, const sim_dim3 *size) {
    return at.x < size->x && at.y < size->y && at.z < size->z;
}

static bool starts_with(const char **at, const char *word) {
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0) return false;
    *at += length;
    *at += strspn(*at, " ");
    return true;
}

static void focus_on_thread(debug_terminal *t, sim_dim3 thread, sim_debug_thread *out) {
    const sim_dim3 *size = &t->client.stop.block;
    uint32_t linear = thread.x + size->x * (thread.y + size->y * thread.z);
    out->warp = linear / SIM_DEBUG_LANES;
    out->lane = linear % SIM_DEBUG_LANES;
}

// Words of `cuda`, one after the other. False: not understood, or not there.
static bool parse_focus(debug_terminal *t, const char *at, sim_debug_thread *out) {
    const sim_debug_stop *stop = &t->client.stop;
    sim_dim3 dim;
    while (*at) {
        if (starts_with(&at, "block")) {
            if (!parse_dim(&at, &dim) || !is_inside(dim, &stop->grid)) return false;
            out->block = dim.x + (uint64_t)stop->grid.x * (dim.y + (uint64_t)stop->grid.y * dim.z);
        } else if (starts_with(&at, "thread")) {
            if (!parse_dim(&at, &dim) || !is_inside(dim, &stop->block)) return false;
            focus_on_thread(t, dim, out);
        } else if (starts_with(&at, "warp")) {
            if (!parse_dim(&at, &dim)) return false;
            out->warp = dim.x;
        } else if (starts_with(&at, "lane")) {
            if (!parse_dim(&at, &dim) || dim.x >= SIM_DEBUG_LANES) return false;
            out->lane = dim.x;
        } else if (starts_with(&at, "kernel")) {
            if (!parse_dim(&at, &dim) || dim.x != t->launch) return false;
        } else {
            return false;
        }
    }
    return true;
}

kl_status debug_cmd_cuda(debug_terminal *t, const debug_words *words, kl_error *err) {
    sim_debug_place frames[SIM_DEBUG_FRAMES];
    sim_debug_thread wanted = t->focus;
    const sim_debug_thread old = t->focus;
    uint32_t count;
    if (!debug_is_stopped(t, err)) return KL_ERROR_INPUT;
    if (words->text[0] == '\0' || !parse_focus(t, words->text, &wanted)) {
        if (words->text[0])
            return kl_fail(err, KL_ERROR_INPUT,
                           "Request cannot be satisfied. CUDA focus unchanged.");
        debug_say_focus(t);
        return KL_OK;
    }
    t->focus = wanted;
    t->frame = 0;
    if (!debug_frames(t, frames, &count, err)) {
        kl_error why = *err;
        t->focus = old;
        return kl_fail(err, KL_ERROR_INPUT, "%s\nCUDA focus unchanged.", why.text);
    }
    debug_say_focus(t);
    debug_show_function(t, &frames[0], count == 1);
    debug_show_line(t, &frames[0]);
    return KL_OK;
}

// ---- Calls --------------------------------------------------------------------------------------

static void show_frame(debug_terminal *t, uint32_t number, const sim_debug_place *place,
                       bool is_last) {
    char name[SIM_DEBUG_NAME + 96];
    debug_kernel_text(t, place->kernel, is_last, name, sizeof name);
    printf("#%u  %s", number, name);
    if (place->line) printf(" at %s:%u\n", debug_path_from_here(place->file), place->line);
    else printf(" at PTX line %u\n", place->ptx_line);
}

kl_status debug_cmd_backtrace(debug_terminal *t, const debug_words *words, kl_error *err) {
    sim_debug_place frames[SIM_DEBUG_FRAMES];
    uint32_t count;
    (void)words;
    if (!debug_frames(t, frames, &count, err)) return KL_ERROR_INPUT;
    for (uint32_t i = 0; i < count; i++) show_frame(t, i, &frames[i], i + 1 == count);
    return KL_OK;
}

static kl_status select_frame(debug_terminal *t, uint64_t number, kl_error *err) {
    sim_debug_place frames[SIM_DEBUG_FRAMES];
    uint32_t count;
    if (!debug_frames(t, frames, &count, err)) return KL_ERROR_INPUT;
    if (number >= count)
        return kl_fail(err, KL_ERROR_INPUT, "No frame at level %" PRIu64 ".", number);
    t->frame = (uint32_t)number;
    show_frame(t, t->frame, &frames[t->frame], t->frame + 1 == count);
    debug_show_line(t, &frames[t->frame]);
    return KL_OK;
}

kl_status debug_cmd_frame(debug_terminal *t, const debug_words *words, kl_error *err) {
    uint64_t number = t->frame;
    if (words->text[0] && !ladder_parse_uint(words->text, UINT32_MAX, &number))
        return kl_fail(err, KL_ERROR_INPUT, "Which frame? A number, as backtrace shows it.");
    return select_frame(t, number, err);
}

kl_status debug_cmd_up(debug_terminal *t, const debug_words *words, kl_error *err) {
    (void)words;
    return select_frame(t, (uint64_t)t->frame + 1, err);
}

kl_status debug_cmd_down(debug_terminal *t, const debug_words *words, kl_error *err) {
    (void)words;
    if (t->frame == 0)
        return kl_fail(err, KL_ERROR_INPUT,
                       "Bottom (innermost) frame selected; you cannot go "
                       "down.");
    return select_frame(t, t->frame - 1, err);
}

kl_status debug_cmd_list(debug_terminal *t, const debug_words *words, kl_error *err) {
    const char *colon = strrchr(words->text, ':');
    uint64_t line = t->list_line;
    if (words->text[0]) {
        if (!ladder_parse_uint(colon ? colon + 1 : words->text, UINT32_MAX, &line))
            return kl_fail(err, KL_ERROR_INPUT, "Which lines? LINE or FILE:LINE.");
        if (colon)
            snprintf(t->list_file, sizeof t->list_file, "%.*s", (int)(colon - words->text),
                     words->text);
        line = line > LIST_LINES / 2 ? line - LIST_LINES / 2 : 1;
    } else if (t->client.stopped && line == t->list_line && !t->listed) {
        line = line > LIST_LINES / 2 ? line - LIST_LINES / 2 : 1;
    }
    if (t->list_file[0] == '\0')
        return kl_fail(err, KL_ERROR_INPUT, "Which file? No place with a source line was shown.");
    uint32_t first = (uint32_t)line;
    if (!debug_show_lines(t, t->list_file, first, first + LIST_LINES))
        return kl_fail(err, KL_ERROR_INPUT, "Line number %u out of range, or %s cannot be read.",
                       first, t->list_file);
    t->list_line = first + LIST_LINES;
    t->listed = true;
    return KL_OK;
}

// ---- info ---------------------------------------------------------------------------------------

// As gdb has them.
static const char *kind_of(const debug_row *row) {
    switch (row->point.kind) {
    case SIM_DEBUG_ON_WRITE: return "watchpoint";
    case SIM_DEBUG_ON_READ: return "read watchpoint";
    case SIM_DEBUG_ON_ACCESS: return "acc watchpoint";
    default: return "breakpoint";
    }
}

static kl_status info_breakpoints(debug_terminal *t, kl_error *err) {
    bool any = false;
    (void)err;
    for (uint32_t i = 0; i < SIM_DEBUG_POINTS; i++) any |= t->rows[i].point.number != 0;
    puts(any ? "Num     Type           Disp Enb What" : "No breakpoints or watchpoints.");
    for (uint32_t number = 1; number <= t->next_number; number++) {
        const debug_row *row = debug_row_of(t, number);
        if (!row) continue;
        printf("%-7u %-14s %-4s %-3s %s\n", number, kind_of(row), row->once ? "del" : "keep",
               row->enabled ? "y" : "n", row->what);
        if (row->condition[0]) printf("\tstop only if %s\n", row->condition);
        if (row->hits)
            printf("\tbreakpoint already hit %u time%s\n", row->hits, row->hits == 1 ? "" : "s");
    }
    return KL_OK;
}

static kl_status info_kernels(debug_terminal *t, kl_error *err) {
    char name[SIM_DEBUG_NAME];
    if (!debug_is_stopped(t, err)) return KL_ERROR_INPUT;
    const sim_debug_stop *stop = &t->client.stop;
    debug_kernel_text(t, stop->kernel, false, name, sizeof name);
    printf("  Kernel  GridDim          BlockDim         Shared  Time        Name\n");
    printf("* %-7u %-16s %-16s %-7u %-11" PRIu64 " %s\n", stop->launch, debug_dim_text(stop->grid),
           debug_dim_text(stop->block), stop->dynamic_shared_bytes, stop->time, name);
    return KL_OK;
}

static kl_status info_blocks(debug_terminal *t, kl_error *err) {
    sim_debug_block blocks[BLOCKS_SHOWN];
    uint32_t count;
    if (!debug_is_stopped(t, err)) return KL_ERROR_INPUT;
    if (sim_debug_blocks(&t->client, blocks, BLOCKS_SHOWN, &count, err) != SIM_OK)
        return KL_ERROR_INPUT;
    printf("  BlockIdx         Warps  Threads  Shared bytes\n");
    for (uint32_t i = 0; i < count; i++)
        printf("%c %-16s %-6u %-8u %u%s\n", blocks[i].block == t->focus.block ? '*' : ' ',
               debug_dim_text(debug_block_of(t, blocks[i].block)), blocks[i].warps,
               blocks[i].threads, blocks[i].shared_bytes, blocks[i].runs ? "  runs now" : "");
    return KL_OK;
}

const char *debug_lane_text(uint32_t state) {
    static const char *const texts[] = {[SIM_DEBUG_ABSENT] = "no thread",
                                        [SIM_DEBUG_ACTIVE] = "active",
                                        [SIM_DEBUG_DIVERGED] = "divergent",
                                        [SIM_DEBUG_RECONVERGING] = "reconverging",
                                        [SIM_DEBUG_AT_BARRIER] = "at a barrier",
                                        [SIM_DEBUG_AT_SYNC] = "at a warp sync",
                                        [SIM_DEBUG_EXITED] = "exited"};
    return texts[state];
}

static void place_text(const sim_debug_lane *lane, char *text, size_t bytes) {
    if (lane->state == SIM_DEBUG_EXITED || lane->state == SIM_DEBUG_ABSENT)
        snprintf(text, bytes, "-");
    else if (lane->line) snprintf(text, bytes, "line %u", lane->line);
    else snprintf(text, bytes, "PTX line %u", lane->ptx_line);
}

static bool is_alike(const sim_debug_lane *a, const sim_debug_lane *b) {
    return a->state == b->state && a->pc == b->pc && a->function == b->function;
}

// One row for each place at which lanes of the warp are.
static void show_warp(debug_terminal *t, uint32_t warp, const sim_debug_lane *lanes) {
    uint32_t told = 0;
    for (uint32_t i = 0; i < SIM_DEBUG_LANES; i++) {
        uint32_t mask = 0;
        char place[48];
        if (told >> i & 1 || lanes[i].state == SIM_DEBUG_ABSENT) continue;
        for (uint32_t k = i; k < SIM_DEBUG_LANES; k++)
            if (is_alike(&lanes[i], &lanes[k])) mask |= 1u << k;
        told |= mask;
        place_text(&lanes[i], place, sizeof place);
        bool focus = warp == t->focus.warp && mask >> t->focus.lane & 1;
        printf("%c %-5u 0x%08x  %-7d %-15s %s\n", focus ? '*' : ' ', warp, mask,
               __builtin_popcount(mask), debug_lane_text(lanes[i].state), place);
    }
}

static kl_status info_warps(debug_terminal *t, kl_error *err) {
    sim_debug_thread thread = t->focus;
    if (!debug_is_stopped(t, err)) return KL_ERROR_INPUT;
    const sim_dim3 *size = &t->client.stop.block;
    uint32_t warps = (size->x * size->y * size->z + SIM_DEBUG_LANES - 1) / SIM_DEBUG_LANES;
    printf("Block %s\n  Warp  Lanes       Threads State           At\n",
           debug_dim_text(debug_block_of(t, thread.block)));
    for (thread.warp = 0; thread.warp < warps; thread.warp++) {
        sim_debug_lane lanes[SIM_DEBUG_LANES];
        if (sim_debug_lanes(&t->client, &thread, lanes, err) != SIM_OK) return KL_ERROR_INPUT;
        show_warp(t, thread.warp, lanes);
    }
    return KL_OK;
}

static kl_status info_lanes(debug_terminal *t, kl_error *err) {
    sim_debug_lane lanes[SIM_DEBUG_LANES];
    if (!debug_is_stopped(t, err)) return KL_ERROR_INPUT;
    if (sim_debug_lanes(&t->client, &t->focus, lanes, err) != SIM_OK) return KL_ERROR_INPUT;
    printf("Block %s, warp %u\n  Lane  ThreadIdx        State           At\n",
           debug_dim_text(debug_block_of(t, t->focus.block)), t->focus.warp);
    for (uint32_t i = 0; i < SIM_DEBUG_LANES; i++) {
        char place[48];
        if (lanes[i].state == SIM_DEBUG_ABSENT) continue;
        place_text(&lanes[i], place, sizeof place);
        printf("%c %-5u %-16s %-15s %s\n", i == t->focus.lane ? '*' : ' ', i,
               debug_dim_text(debug_thread_at(t, t->focus.warp, i)),
               debug_lane_text(lanes[i].state), place);
    }
    return KL_OK;
}

static kl_status info_registers(debug_terminal *t, kl_error *err) {
    char *names;
    uint32_t column = 0;
    if (!debug_is_stopped(t, err)) return KL_ERROR_INPUT;
    const uint32_t call = debug_call(t);
    if (sim_debug_names(&t->client, &t->focus, call, &names, err) != SIM_OK) return KL_ERROR_INPUT;
    for (const char *name = names; *name; name += strlen(name) + 1) {
        sim_debug_register all;
        char text[48];
        if (sim_debug_read_register(&t->client, &t->focus, call, name, &all, err) != SIM_OK) break;
        uint64_t value = all.values[t->focus.lane];
        snprintf(text, sizeof text, all.bytes > 0 ? "%-7s 0x%" PRIx64 : "%-7s %" PRIu64, name,
                 value);
        printf("%-26s%s", text, ++column % 3 ? "" : "\n");
    }
    if (column % 3) putchar('\n');
    free(names);
    return KL_OK;
}

static bool show_variable(void *context, const sim_variable_row *row) {
    debug_terminal *t = context;
    sim_variables_value value;
    kl_error err;
    if (row->is_hidden || row->kind == SIM_VARIABLE_MODULE) return true;
    if (debug_evaluate(t, t->focus.lane, row->name, NULL, &value, &err) == SIM_OK) {
        printf("%s = %s\n", row->name, value.text);
        sim_variables_value_free(&value);
    } else {
        printf("%s = <%s>\n", row->name, err.text);
    }
    return true;
}

static kl_status info_locals(debug_terminal *t, kl_error *err) {
    sim_debug_place frames[SIM_DEBUG_FRAMES];
    uint32_t count;
    if (!debug_frames(t, frames, &count, err)) return KL_ERROR_INPUT;
    const char *missing = t->variables ? sim_variables_missing(t->variables) : NULL;
    if (missing) return kl_fail(err, KL_ERROR_INPUT, "%s", missing);
    const sim_debug_place *at = &frames[t->frame < count ? t->frame : 0];
    sim_variables_list(t->variables, at->ptx_line, at->inlined, show_variable, t);
    return KL_OK;
}

static kl_status info_display(debug_terminal *t, kl_error *err) {
    (void)err;
    for (uint32_t i = 0; i < DEBUG_DISPLAYS; i++)
        if (t->displays[i].number)
            printf("%u:   %s\n", t->displays[i].number, t->displays[i].expression);
    return KL_OK;
}

static kl_status info_line(debug_terminal *t, kl_error *err) {
    sim_debug_place frames[SIM_DEBUG_FRAMES];
    uint32_t count;
    if (!debug_frames(t, frames, &count, err)) return KL_ERROR_INPUT;
    show_frame(t, t->frame, &frames[t->frame < count ? t->frame : 0], t->frame + 1 >= count);
    return KL_OK;
}

kl_status debug_cmd_info(debug_terminal *t, const debug_words *words, kl_error *err) {
    static const struct {
        const char *name;
        kl_status (*show)(debug_terminal *t, kl_error *err);
    } kinds[] = {{"breakpoints", info_breakpoints},
                 {"watchpoints", info_breakpoints},
                 {"locals", info_locals},
                 {"registers", info_registers},
                 {"display", info_display},
                 {"line", info_line},
                 {"source", info_line},
                 {"cuda kernels", info_kernels},
                 {"cuda blocks", info_blocks},
                 {"cuda warps", info_warps},
                 {"cuda threads", info_warps},
                 {"cuda lanes", info_lanes}};
    size_t length = strlen(words->text);
    for (size_t i = 0; length && i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(kinds[i].name, words->text, length) == 0) return kinds[i].show(t, err);
    return kl_fail(err, KL_ERROR_INPUT,
                   "info breakpoints, locals, registers, display, line,\n"
                   "or cuda kernels, blocks, warps, lanes, threads.");
}
