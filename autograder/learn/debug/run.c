// Commands that let the program go on, forwards or backwards.
#include "learn/debug/debug.h"
#include "utilities/text.h"

// The count that a step may be given.
static kl_status read_count(const debug_words *words, uint64_t *out_count, kl_error *err) {
    *out_count = 1;
    if (words->text[0] == '\0' || ladder_parse_uint(words->text, 1000000000, out_count))
        return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "How often? `%s` is no number.", words->text);
}

// Steps until something else stops it.
static kl_status step_often(debug_terminal *t, const debug_words *words, sim_debug_way way,
                            sim_debug_step step, kl_error *err) {
    uint64_t count;
    TRY(read_count(words, &count, err));
    for (uint64_t i = 0; i < count; i++) {
        TRY(debug_go(t, way, step, 0, err));
        if (!t->client.stopped || t->client.stop.reason != SIM_DEBUG_STEPPED) break;
    }
    return KL_OK;
}

#define STEP(identifier, way, step)                                                                \
    kl_status debug_cmd_##identifier(debug_terminal *t, const debug_words *words, kl_error *err) { \
        return step_often(t, words, SIM_DEBUG_##way, SIM_DEBUG_##step, err);                       \
    }
STEP(step, FORWARDS, LINE)
STEP(next, FORWARDS, LINE_OVER)
STEP(stepi, FORWARDS, INSTRUCTION)
STEP(nexti, FORWARDS, INSTRUCTION_OVER)
STEP(reverse_step, BACKWARDS, LINE)
STEP(reverse_next, BACKWARDS, LINE_OVER)
STEP(reverse_stepi, BACKWARDS, INSTRUCTION)
STEP(reverse_nexti, BACKWARDS, INSTRUCTION_OVER)

kl_status debug_cmd_run(debug_terminal *t, const debug_words *words, kl_error *err) {
    if (words->text[0])
        return kl_fail(err, KL_ERROR_INPUT,
                       "Arguments of the program stand on the command line, behind `--`.");
    printf("Starting program: %s\n", debug_path_from_here(t->argv[0]));
    return debug_start(t, err);
}

kl_status debug_cmd_kill(debug_terminal *t, const debug_words *words, kl_error *err) {
    (void)words;
    if (!t->running) return kl_fail(err, KL_ERROR_INPUT, "The program is not being run.");
    debug_end(t);
    puts("[The program was ended]");
    return KL_OK;
}

kl_status debug_cmd_continue(debug_terminal *t, const debug_words *words, kl_error *err) {
    (void)words;
    if (debug_is_stopped(t, err)) puts("Continuing.");
    return debug_go(t, SIM_DEBUG_FORWARDS, SIM_DEBUG_CONTINUE, 0, err);
}

kl_status debug_cmd_reverse_continue(debug_terminal *t, const debug_words *words, kl_error *err) {
    (void)words;
    if (debug_is_stopped(t, err)) puts("Going back.");
    return debug_go(t, SIM_DEBUG_BACKWARDS, SIM_DEBUG_CONTINUE, 0, err);
}

static kl_status leave(debug_terminal *t, sim_debug_way way, kl_error *err) {
    sim_debug_place frames[SIM_DEBUG_FRAMES];
    uint32_t count;
    if (!debug_frames(t, frames, &count, err)) return KL_ERROR_INPUT;
    if (count < 2)
        return kl_fail(err, KL_ERROR_INPUT, "\"%s\" not meaningful in the outermost frame.",
                       way == SIM_DEBUG_FORWARDS ? "finish" : "reverse-finish");
    return debug_go(t, way, SIM_DEBUG_OUT, 0, err);
}

kl_status debug_cmd_finish(debug_terminal *t, const debug_words *words, kl_error *err) {
    (void)words;
    return leave(t, SIM_DEBUG_FORWARDS, err);
}

kl_status debug_cmd_reverse_finish(debug_terminal *t, const debug_words *words, kl_error *err) {
    (void)words;
    return leave(t, SIM_DEBUG_BACKWARDS, err);
}

kl_status debug_cmd_until(debug_terminal *t, const debug_words *words, kl_error *err) {
    sim_debug_place frames[SIM_DEBUG_FRAMES], place;
    sim_debug_point point = {.kind = SIM_DEBUG_AT_LINE};
    uint64_t line = 0;
    uint32_t count;
    if (!debug_frames(t, frames, &count, err)) return KL_ERROR_INPUT;
    if (words->text[0] && (!ladder_parse_uint(words->text, UINT32_MAX, &line) || line == 0))
        return kl_fail(err, KL_ERROR_INPUT, "Until which line? A number, of this file.");
    if (line) { // which has code, or the next one that has
        point.line = (uint32_t)line;
        snprintf(point.name, sizeof point.name, "%s", frames[0].file);
        if (sim_debug_resolve(&t->client, &point, &place, err) != SIM_OK)
            return kl_fail(err, KL_ERROR_INPUT, "Line %s: no code there or behind it.",
                           words->text);
        line = place.line;
    }
    return debug_go(t, SIM_DEBUG_FORWARDS, SIM_DEBUG_UNTIL, line, err);
}

kl_status debug_cmd_when(debug_terminal *t, const debug_words *words, kl_error *err) {
    uint64_t times[64];
    uint32_t count;
    (void)words;
    if (!debug_is_stopped(t, err)) return KL_ERROR_INPUT;
    printf("Time %" PRIu64 " of kernel %u", t->client.stop.time, t->client.stop.launch);
    if (sim_debug_times(&t->client, times, 64, &count, err) == SIM_OK && count > 0)
        printf("; %u snapshot%s, the last at %" PRIu64, count, count == 1 ? "" : "s",
               times[count - 1]);
    putchar('\n');
    return KL_OK;
}

kl_status debug_cmd_goto(debug_terminal *t, const debug_words *words, kl_error *err) {
    uint64_t time;
    if (!debug_is_stopped(t, err)) return KL_ERROR_INPUT;
    if (!ladder_parse_uint(words->text, UINT64_MAX, &time))
        return kl_fail(err, KL_ERROR_INPUT, "Which time? `when` tells that of now.");
    return debug_go(t, SIM_DEBUG_TO_TIME, SIM_DEBUG_CONTINUE, time, err);
}
