// Steps through a launch and writes down what warps do: a moment is what a warp executes until it
// comes to another line, or with other lanes.
#include "learn/debug/internal.h"
#include "memory/access.h"

// ---- Places and rows ----------------------------------------------------------------------------

static void record_addresses(FILE *out, const sim_debug_instruction *instr) {
    char numbers[SIM_DEBUG_LANES][24];
    const char *texts[SIM_DEBUG_LANES];
    uint32_t count = 0;
    for (uint32_t rest = instr->touching; rest; rest &= rest - 1, count++) {
        snprintf(numbers[count], sizeof numbers[0], "%" PRIu64,
                 instr->addresses[__builtin_ctz(rest)]);
        texts[count] = numbers[count];
    }
    record_runs(out, texts, count);
}

static size_t record_folder_bytes(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) : 0;
}

// Files of the kit, and those beside the kernel's: not headers of the toolkit.
static bool record_is_own(const recorder *r, const char *file) {
    const char *kit = r->t->kit->source;
    if (file[0] == '\0') return false;
    if (r->file_count == 0 || file[0] != '/') return true;
    if (strncmp(file, kit, strlen(kit)) == 0) return true;
    size_t folder = record_folder_bytes(r->files[0]);
    return record_folder_bytes(file) == folder && strncmp(file, r->files[0], folder) == 0;
}

// Number of an own file on the page; -1: not own, or there are too many.
static int record_file(recorder *r, const sim_debug_thread *thread, uint32_t file) {
    const uint32_t most = sizeof r->file_ids / sizeof *r->file_ids;
    sim_debug_place frames[SIM_DEBUG_FRAMES];
    uint32_t count = 0;
    kl_error ignored;
    if (file >= most) return -1;
    if (r->file_ids[file] > 0) return (int)r->file_ids[file] - 2;
    if (sim_debug_frames(&r->t->client, thread, frames, &count, &ignored) != SIM_OK || count == 0)
        return -1;
    r->file_ids[file] = 1;
    if (r->file_count == RECORD_FILES || !record_is_own(r, frames[0].file)) return -1;
    snprintf(r->files[r->file_count], sizeof r->files[0], "%s", frames[0].file);
    r->file_ids[file] = 2 + r->file_count++;
    return (int)r->file_ids[file] - 2;
}

static uint32_t record_line_of(const recorder *r, const sim_debug_lane *lane) {
    const uint32_t most = sizeof r->file_ids / sizeof *r->file_ids;
    return lane->file < most && r->file_ids[lane->file] > 1 ? lane->line : 0;
}

// ---- States of lanes ----------------------------------------------------------------------------

static void record_read_lanes(recorder *r, const sim_debug_thread *thread,
                              sim_debug_lane lanes[SIM_DEBUG_LANES]) {
    kl_error ignored;
    if (sim_debug_lanes(&r->t->client, thread, lanes, &ignored) == SIM_OK) return;
    memset(lanes, 0, SIM_DEBUG_LANES * sizeof *lanes); // its block has ended
    for (uint32_t i = 0; i < SIM_DEBUG_LANES; i++) lanes[i].state = SIM_DEBUG_EXITED;
}

// Lanes that do the same at the same line are one group: [mask, state, line].
static void record_states(recorder *r, uint32_t warp, const sim_debug_lane *lanes) {
    char *text = NULL, **last = &r->last_states[warp];
    size_t bytes;
    uint32_t told = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out) return;
    for (uint32_t i = 0; i < SIM_DEBUG_LANES; i++) {
        uint32_t mask = 0;
        if (told >> i & 1) continue;
        for (uint32_t k = i; k < SIM_DEBUG_LANES; k++)
            if (lanes[k].state == lanes[i].state && lanes[k].line == lanes[i].line) mask |= 1u << k;
        fprintf(out, "%s[%u,%u,%u]", told ? "," : "", mask, lanes[i].state,
                record_line_of(r, &lanes[i]));
        told |= mask;
    }
    fclose(out);
    if (*last && strcmp(*last, text) == 0) {
        free(text);
        return;
    }
    fprintf(record_row(&r->states), "%u,%u,%s]", r->moment_count, warp, text);
    free(*last);
    *last = text;
}

static sim_debug_thread record_thread_of(const recorder *r, uint32_t warp) {
    return (sim_debug_thread){r->first_block + warp / r->warps, warp % r->warps, 0};
}

// The warps of the block under way, and variables of the one that has just executed something.
static void record_what_changed(recorder *r, const sim_debug_thread *thread) {
    sim_debug_lane lanes[SIM_DEBUG_LANES];
    uint32_t own = record_warp_of(r, thread);
    for (uint32_t warp = 0; warp < r->warps * r->asked->blocks; warp++) {
        sim_debug_thread of = record_thread_of(r, warp);
        bool executed = r->moment_count > 0 && warp == r->now.warp;
        bool is_new = warp == own && !r->last_scopes[warp];
        if (!executed && warp != own && own == r->now.warp) continue;
        if (of.block != thread->block && !executed) continue;
        record_read_lanes(r, &of, lanes);
        record_states(r, warp, lanes);
        if (executed || is_new) record_values(r, &of, lanes, r->moment_count);
    }
    record_shared(r, thread, r->moment_count);
}

// ---- Moments ------------------------------------------------------------------------------------

static void record_cut(recorder *r, const char *why) {
    r->is_cut = true;
    snprintf(r->cut, sizeof r->cut, "%s", why);
}

// begins: a step.
static bool record_fits(recorder *r, bool begins) {
    const record_part *parts[] = {&r->moments, &r->accesses, &r->states, &r->values,
                                  &r->scopes,  &r->shared,   &r->events};
    const size_t rest = 300000; // for scripts, style and source
    size_t bytes = rest;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i]->out) fflush(parts[i]->out);
        bytes += parts[i]->bytes;
    }
    if (bytes > LADDER_DEBUG_PAGE_BYTES) record_cut(r, "the page would be larger than 2 MB");
    else if (begins && r->moment_count >= LADDER_DEBUG_PAGE_MOMENTS)
        record_cut(r, "a page holds 6,000 steps");
    else if (r->instructions >= LADDER_DEBUG_PAGE_INSTRUCTIONS)
        record_cut(r, "150,000 warp instructions are recorded at most");
    return !r->is_cut;
}

static bool record_begins(const recorder *r, const record_moment *here, uint32_t pc) {
    const record_moment *now = &r->now;
    return r->moment_count == 0 || now->warp != here->warp || now->lanes != here->lanes ||
           now->line != here->line || now->file != here->file || now->depth != here->depth ||
           pc <= now->last_pc; // the next iteration of a loop on one line
}

static void record_access(recorder *r, const sim_debug_instruction *instr) {
    uint32_t cost, least;
    if (instr->access == SIM_DEBUG_NO_ACCESS || !instr->touching) return;
    if (instr->space == PTX_SPACE_LOCAL) return;
    bool atomic = instr->access == SIM_DEBUG_ATOMIC;
    if (instr->space == PTX_SPACE_SHARED) {
        sim_bank_use use = sim_access_banks(instr->addresses, instr->touching, instr->bytes);
        cost = atomic ? sim_access_atomic_passes(instr->addresses, instr->touching, instr->bytes)
                      : use.wavefronts;
        least = use.conflict_free;
    } else {
        cost = atomic ? sim_access_atomic_sectors(instr->addresses, instr->touching, instr->bytes)
                      : sim_access_sectors(instr->addresses, instr->touching, instr->bytes);
        uint32_t bytes = (uint32_t)__builtin_popcount(instr->touching) * instr->bytes;
        least = (bytes + SIM_SECTOR_BYTES - 1) / SIM_SECTOR_BYTES;
    }
    FILE *out = record_row(&r->accesses);
    fprintf(out, "%u,%u,%d,%u,%u,", r->moment_count - 1, instr->access,
            instr->space == PTX_SPACE_SHARED, instr->bytes, instr->touching);
    record_addresses(out, instr);
    fprintf(out, ",%u,%u]", cost, least < cost ? least : cost);
}

static kl_status record_instruction(recorder *r, kl_error *err) {
    sim_debug_instruction instr;
    uint64_t time = r->t->client.stop.time;
    if (sim_debug_next_instruction(&r->t->client, &instr, err) != SIM_OK)
        return kl_fail_from(err, KL_ERROR_SYSTEM, "the simulator does not answer");
    if (r->moment_count > 0 && time == r->last_time) return KL_OK; // it went back to a finding
    r->last_time = time;
    r->instructions++;
    int file = record_file(r, &instr.thread, instr.at.file);
    record_moment here = {.time = time,
                          .warp = record_warp_of(r, &instr.thread),
                          .line = instr.at.line,
                          .function = instr.at.function,
                          .depth = instr.depth,
                          .lanes = instr.lanes,
                          .last_pc = instr.at.pc};
    here.file = file < 0 ? 0 : (uint32_t)file;
    bool continues = r->moment_count > 0 && r->now.warp == here.warp;
    if (file < 0 || here.line == 0) { // code of the compiler, or of the toolkit's headers
        if (!continues) return KL_OK;
    } else if (record_begins(r, &here, instr.at.pc)) {
        record_what_changed(r, &instr.thread);
        if (!record_fits(r, true)) return KL_OK;
        fprintf(record_row(&r->moments), "%" PRIu64 ",%u,%u,%u,%u]",
                time - (r->moment_count ? r->now.time : 0), here.warp, here.file, here.line,
                here.lanes);
        r->now = here;
        r->moment_count++;
    } else if (!record_fits(r, false)) { // a step may be long
        return KL_OK;
    }
    if (here.line && file >= 0) r->now.last_pc = instr.at.pc;
    record_access(r, &instr);
    return KL_OK;
}

static void record_event(recorder *r, bool is_finding) {
    const sim_debug_stop *stop = &r->t->client.stop;
    char text[KL_ERROR_TEXT + 64];
    if (is_finding)
        snprintf(text, sizeof text, "%s: %s", sim_check_name(stop->finding.kind),
                 stop->finding.text);
    else snprintf(text, sizeof text, "%s", stop->text);
    FILE *out = record_row(&r->events);
    fprintf(out, "%u,", r->moment_count ? r->moment_count - 1 : 0);
    record_string(out, text);
    fputc(']', out);
    r->findings++;
}

// ---- The launch ---------------------------------------------------------------------------------

// The next stop; *out_ended: the program is over.
static kl_status record_wait(recorder *r, bool *out_ended, kl_error *err) {
    debug_terminal *t = r->t;
    ladder_process *both[] = {&t->session.program, &t->session.engine};
    *out_ended = false;
    for (;;) {
        const double look_s = 0.1;
        if (ladder_process_wait_readable(both, 2, t->client.descriptor, kl_now_s() + look_s)) {
            if (sim_debug_wait(&t->client, err) == SIM_OK) return KL_OK;
            return kl_fail(err, KL_ERROR_SYSTEM, "The simulator's engine has ended: %s",
                           t->session.engine.output ? t->session.engine.output : "");
        }
        *out_ended = t->session.program.end != LADDER_END_RUNNING;
        if (*out_ended) return KL_OK;
    }
}

static kl_status record_go(recorder *r, const sim_debug_plan *plan, bool *out_ended,
                           kl_error *err) {
    if (sim_debug_go(&r->t->client, plan, err) != SIM_OK)
        return kl_fail_from(err, KL_ERROR_SYSTEM, "the simulator does not answer");
    return record_wait(r, out_ended, err);
}

// To the beginning of the launch that was asked for.
static kl_status record_find_launch(recorder *r, kl_error *err) {
    const sim_debug_plan on = {.way = SIM_DEBUG_FORWARDS};
    const sim_debug_stop *stop = &r->t->client.stop;
    bool ended;
    uint32_t launches = 0;
    TRY(debug_launch_program(r->t, err));
    TRY(record_wait(r, &ended, err));
    while (!ended && !(stop->reason == SIM_DEBUG_LAUNCH && stop->launch == r->asked->launch)) {
        launches += stop->reason == SIM_DEBUG_LAUNCH;
        TRY(record_go(r, &on, &ended, err));
    }
    if (!ended) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "there is no launch %u: the program launched %u kernel%s",
                   r->asked->launch, launches, launches == 1 ? "" : "s");
}

static kl_status record_begin(recorder *r, kl_error *err) {
    const sim_debug_stop *stop = &r->t->client.stop;
    const sim_dim3 *grid = &stop->grid, *block = &stop->block;
    uint64_t blocks = (uint64_t)grid->x * grid->y * grid->z;
    uint32_t warps = (block->x * block->y * block->z + SIM_DEBUG_LANES - 1) / SIM_DEBUG_LANES;
    if (r->asked->block + r->asked->blocks > blocks)
        return kl_fail(err, KL_ERROR_INPUT, "the launch has %" PRIu64 " block%s, from 0 on", blocks,
                       blocks == 1 ? "" : "s");
    uint32_t most = LADDER_DEBUG_PAGE_WARPS / r->asked->blocks;
    r->warps = r->asked->warps && r->asked->warps < warps ? r->asked->warps : warps;
    if (r->warps > most) r->warps = most;
    r->first_block = r->asked->block;
    r->grid = *grid;
    r->block = *block;
    snprintf(r->kernel, sizeof r->kernel, "%s", stop->kernel);
    return KL_OK;
}

static bool record_follows(const recorder *r) {
    const sim_debug_thread *thread = &r->t->client.stop.thread;
    return thread->block - r->first_block < r->asked->blocks && thread->warp < r->warps;
}

kl_status record_launch(recorder *r, kl_error *err) {
    const sim_debug_stop *stop = &r->t->client.stop;
    bool ended = false;
    TRY(record_find_launch(r, err));
    TRY(record_begin(r, err));
    const sim_debug_plan step = {.way = SIM_DEBUG_FORWARDS,
                                 .step = SIM_DEBUG_ANY_OF,
                                 .thread = {r->first_block, 0, 0},
                                 .blocks = r->asked->blocks,
                                 .warps = r->warps};
    const sim_debug_plan away = {
        .way = SIM_DEBUG_TO_TIME, .time = r->asked->from, .thread = step.thread};
    TRY(record_go(r, &step, &ended, err));
    if (!ended && stop->reason == SIM_DEBUG_STEPPED && stop->time < r->asked->from)
        TRY(record_go(r, &away, &ended, err));
    while (!ended && stop->reason != SIM_DEBUG_END && !r->is_cut) {
        if (stop->reason == SIM_DEBUG_FINDING) record_event(r, true);
        if (stop->reason == SIM_DEBUG_FAULT) {
            record_event(r, false);
            break;
        }
        bool is_instruction =
            stop->reason == SIM_DEBUG_STEPPED || stop->reason == SIM_DEBUG_REACHED;
        if (is_instruction && record_follows(r)) TRY(record_instruction(r, err));
        if (!r->is_cut) TRY(record_go(r, &step, &ended, err));
    }
    if (r->moment_count > 0) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT,
                   "nothing was recorded: the kernel has no source lines, or ends before");
}
