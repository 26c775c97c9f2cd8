// LADDER_SIM_MODE=check without an engine process: the findings in short, on standard error, when
// the program ends. `ladder check` shows them with their source lines and sets the exit status.
#include "runtime/state/internal.h"

static void say_side(const sim_check_side *side, const char *word) {
    static const char *const verbs[] = {"at", "read at", "write at", "atomic at"};
    static const char *const nouns[] = {"use", "read", "write", "atomic"};
    const char *slash = strrchr(side->file, '/');
    if (side->line == 0 && side->action == SIM_ACTION_NONE) return;
    if (side->call[0]) {
        fprintf(stderr, "  %s%s by %s at %s\n", word, nouns[side->action], side->call, side->file);
        return;
    }
    fprintf(stderr, "  %s%s ", word, verbs[side->action]);
    if (side->line == 0) fputs("an unknown line", stderr);
    else fprintf(stderr, "%s:%" PRIu32, slash ? slash + 1 : side->file, side->line);
    if (side->kernel[0]) {
        fprintf(stderr, ", kernel %s\n", side->kernel);
        return;
    }
    fprintf(stderr, ", thread (%u,%u,%u) of block (%u,%u,%u)\n", side->thread.x, side->thread.y,
            side->thread.z, side->block.x, side->block.y, side->block.z);
}

static void say_finding(const sim_finding *f) {
    fprintf(stderr, "simulator: %s: %s", sim_check_name(f->kind), sim_check_meaning(f->kind));
    if (f->count > 1) fprintf(stderr, " (%" PRIu64 " times)", f->count);
    fputc('\n', stderr);
    if (f->kernel[0]) fprintf(stderr, "  in kernel %s, launch %" PRIu32 "\n", f->kernel, f->launch);
    say_side(&f->sides[0], "");
    say_side(&f->sides[1], "and ");
    if (f->variable[0])
        fprintf(stderr, "  %s memory: %s + %" PRIu64 "\n", f->space, f->variable,
                f->allocation_offset);
    else if (f->allocation && f->kind != SIM_CHECK_LEAK)
        fprintf(stderr, "  %s memory: allocation %" PRIu32 " (%" PRIu64 " bytes) + %" PRIu64 "\n",
                f->space, f->allocation, f->allocation_bytes, f->allocation_offset);
    if (f->text[0]) fprintf(stderr, "  %s\n", f->text);
}

void runtime_say_findings(void) {
    sim_check_report *report;
    if (!runtime.says_findings || !runtime.engine) return;
    if (sim_check_report_get(runtime.engine, &report, NULL) != SIM_OK) return;
    for (uint32_t i = 0; i < report->count; i++) say_finding(&report->findings[i]);
    uint64_t count = report->count + report->left_out;
    fprintf(stderr, "simulator: %" PRIu64 " finding%s in %" PRIu64 " launch%s\n", count,
            count == 1 ? "" : "s", report->launches, report->launches == 1 ? "" : "es");
    sim_check_report_free(report);
}
