// Threads, places, watchpoints and lines of source as text.
#include "learn/debug/debug.h"
#include "utilities/text.h"

sim_dim3 debug_block_of(const debug_terminal *t, uint64_t block) {
    const sim_dim3 *size = &t->client.stop.grid;
    return (sim_dim3){(uint32_t)(block % size->x), (uint32_t)(block / size->x % size->y),
                      (uint32_t)(block / size->x / size->y)};
}

sim_dim3 debug_thread_at(const debug_terminal *t, uint32_t warp, uint32_t lane) {
    const sim_dim3 *size = &t->client.stop.block;
    uint32_t thread = warp * SIM_DEBUG_LANES + lane;
    return (sim_dim3){thread % size->x, thread / size->x % size->y, thread / size->x / size->y};
}

const char *debug_dim_text(sim_dim3 dim) {
    enum { BUFFERS = 8 };
    static char texts[BUFFERS][48];
    static int next;
    char *text = texts[next++ % BUFFERS];
    snprintf(text, sizeof texts[0], "(%u,%u,%u)", dim.x, dim.y, dim.z);
    return text;
}

void debug_kernel_text(const debug_terminal *t, const char *mangled, bool with_sizes, char *text,
                       size_t bytes) {
    int length;
    const char *name = sim_kernel_name(mangled, &length);
    const sim_debug_stop *stop = &t->client.stop;
    if (with_sizes)
        snprintf(text, bytes, "%.*s<<<%s,%s>>>", length, name, debug_dim_text(stop->grid),
                 debug_dim_text(stop->block));
    else snprintf(text, bytes, "%.*s", length, name);
}

const char *debug_watch_name(const debug_row *row) {
    switch (row->point.kind) {
    case SIM_DEBUG_ON_WRITE: return "Watchpoint";
    case SIM_DEBUG_ON_READ: return "Read watchpoint";
    case SIM_DEBUG_ON_ACCESS: return "Access watchpoint";
    default: return NULL;
    }
}

bool debug_is_stopped(const debug_terminal *t, kl_error *err) {
    if (t->running && t->client.stopped) return true;
    kl_fail(err, KL_ERROR_INPUT, "%s",
            t->running ? "No kernel is stopped." : "The program is not being run.");
    return false;
}

// Functions of the toolkit's headers, which the engine leaves out of a place, come before the first
// one of the user's: they were called at the place, and stand in another file.
static uint32_t first_of_user(const debug_terminal *t, const sim_debug_place *place,
                              const sim_variables_frame *inlined, uint32_t count) {
    char path[SIM_DEBUG_NAME];
    uint32_t first = 0;
    for (uint32_t i = 0; i < count && inlined[i].is_inlined; i++) {
        if (inlined[i].call_line != place->line) continue;
        if (sim_variables_file(t->variables, inlined[i].file, path, sizeof path) &&
            strcmp(path, place->file) == 0)
            continue;
        if (sim_variables_file(t->variables, inlined[i].call_file, path, sizeof path) &&
            strcmp(path, place->file) == 0)
            first = i + 1;
    }
    return first;
}

// A call as the functions in it, innermost first; returns how many.
static uint32_t split_call(const debug_terminal *t, uint32_t number, const sim_debug_place *call,
                           sim_debug_place *out, uint32_t most) {
    sim_variables_frame inlined[SIM_VARIABLES_MAX_FRAMES];
    uint32_t used = 0, count = 0;
    if (t->variables) count = sim_variables_frames(t->variables, call->ptx_line, inlined);
    sim_debug_place row = *call;
    row.call = number;
    uint32_t i = first_of_user(t, call, inlined, count);
    for (; i < count && inlined[i].is_inlined && used + 1 < most; i++) {
        row.inlined = i;
        snprintf(row.kernel, sizeof row.kernel, "%s", inlined[i].name);
        out[used++] = row;
        row.line = inlined[i].call_line;
        sim_variables_file(t->variables, inlined[i].call_file, row.file, sizeof row.file);
    }
    row.inlined = i;
    snprintf(row.kernel, sizeof row.kernel, "%s", i < count ? inlined[i].name : call->kernel);
    out[used++] = row;
    return used;
}

bool debug_frames_of(debug_terminal *t, const sim_debug_thread *thread,
                     sim_debug_place frames[SIM_DEBUG_FRAMES], uint32_t *out_count, kl_error *err) {
    sim_debug_place calls[SIM_DEBUG_FRAMES];
    uint32_t count, used = 0;
    *out_count = 0;
    if (!debug_is_stopped(t, err)) return false;
    if (sim_debug_frames(&t->client, thread, calls, &count, err) != SIM_OK) return false;
    for (uint32_t i = 0; i < count && used < SIM_DEBUG_FRAMES; i++)
        used += split_call(t, i, &calls[i], frames + used, SIM_DEBUG_FRAMES - used);
    *out_count = used;
    if (used > 0) return true;
    kl_fail(err, KL_ERROR_INPUT, "The thread has ended.");
    return false;
}

bool debug_frames(debug_terminal *t, sim_debug_place frames[SIM_DEBUG_FRAMES], uint32_t *out_count,
                  kl_error *err) {
    return debug_frames_of(t, &t->focus, frames, out_count, err);
}

uint32_t debug_call(debug_terminal *t) {
    sim_debug_place frames[SIM_DEBUG_FRAMES];
    uint32_t count;
    kl_error ignored;
    if (t->frame == 0 || !debug_frames(t, frames, &count, &ignored)) return 0;
    return frames[t->frame < count ? t->frame : count - 1].call;
}

void debug_say_focus(const debug_terminal *t) {
    printf("[Switching focus to kernel %u, block %s, thread %s, warp %u, lane %u]\n", t->launch,
           debug_dim_text(debug_block_of(t, t->focus.block)),
           debug_dim_text(debug_thread_at(t, t->focus.warp, t->focus.lane)), t->focus.warp,
           t->focus.lane);
}

const char *debug_path_from_here(const char *path) {
    char folder[LADDER_PATH];
    if (!getcwd(folder, sizeof folder)) return path;
    size_t bytes = strlen(folder);
    bool inside = strncmp(path, folder, bytes) == 0 && path[bytes] == '/';
    return inside ? path + bytes + 1 : path;
}

void debug_show_function(const debug_terminal *t, const sim_debug_place *place, bool is_kernel) {
    char name[SIM_DEBUG_NAME + 96];
    debug_kernel_text(t, place->kernel, is_kernel, name, sizeof name);
    printf("%s", name);
    if (place->line) printf(" at %s:%u", debug_path_from_here(place->file), place->line);
    putchar('\n');
}

// A file of the kit may be named as seen from its root.
static FILE *open_source(const debug_terminal *t, const char *file) {
    char path[2 * LADDER_PATH];
    FILE *found = fopen(file, "r");
    if (found || file[0] == '/') return found;
    snprintf(path, sizeof path, "%s/%s", t->kit->source, file);
    return fopen(path, "r");
}

bool debug_show_lines(const debug_terminal *t, const char *file, uint32_t first, uint32_t end) {
    FILE *source = open_source(t, file);
    char *text = NULL, head[16], clean[4096];
    size_t capacity = 0;
    bool any = false;
    ssize_t length;
    for (uint32_t line = 1;
         source && line < end && (length = getline(&text, &capacity, source)) >= 0; line++) {
        if (line < first) continue;
        while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
            text[--length] = '\0';
        ladder_plain(text, true, clean, sizeof clean);
        int used = printf("%s", (snprintf(head, sizeof head, "%-6u  ", line), head));
        kl_print_source(stdout, &t->style, used, clean, (int)strlen(clean));
        any = true;
    }
    free(text);
    if (source) fclose(source);
    return any;
}

// Of the PTX, its line and its text.
static void show_ptx_line(const debug_terminal *t, uint32_t number) {
    const char *at = t->text, *end = t->text + t->text_bytes;
    for (uint32_t line = 1; at && line < number; line++) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (at) at++;
    }
    int length = at ? (int)strcspn(at, "\n") : 0;
    while (length > 0 && (*at == ' ' || *at == '\t')) at++, length--;
    printf("PTX line %u: %.*s\n", number, length, at ? at : "");
}

void debug_show_line(debug_terminal *t, const sim_debug_place *place) {
    snprintf(t->list_file, sizeof t->list_file, "%s", place->file);
    t->list_line = place->line;
    if (place->line == 0) show_ptx_line(t, place->ptx_line);
    else if (!debug_show_lines(t, place->file, place->line, place->line + 1))
        printf("%-6u  in %s\n", place->line, debug_path_from_here(place->file));
}
