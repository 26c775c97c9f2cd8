// What is told of the findings: those that have one cause as one, none that only follows from
// another one, leaks last.
#include "check/rules.h"

static bool is_side(const sim_finding *finding, const sim_check_side *side) {
    for (int i = 0; i < 2; i++)
        if (finding->sides[i].line == side->line && strcmp(finding->sides[i].file, side->file) == 0)
            return true;
    return false;
}

static bool is_race(const sim_finding *finding) {
    return finding->kind == SIM_CHECK_RACE || finding->kind == SIM_CHECK_BLOCK_RACE;
}

// Whether threads of the same kernel miss a barrier; of an exited-barrier: that one, and some
// return afterwards.
static bool has_missed(const sim_checker *checker, const sim_finding *finding) {
    for (uint32_t i = 0; i < checker->finding_count; i++) {
        const sim_finding *f = &checker->findings[i];
        bool same_line = f->sides[0].line != 0 && f->sides[0].line == finding->sides[0].line;
        if (f->kind == SIM_CHECK_DIVERGENT_BARRIER && strcmp(f->kernel, finding->kernel) == 0 &&
            (finding->kind != SIM_CHECK_EXITED_BARRIER || same_line))
            return true;
    }
    return false;
}

static bool has_lines_of(const sim_finding *finding, const sim_finding *other) {
    return other->sides[0].line && is_side(finding, &other->sides[0]) &&
           is_side(finding, &other->sides[1]);
}

// Whether two lines that race within a block do so between blocks, too: what orders blocks, as no
// barrier does, orders the threads of each.
static bool is_of_blocks(const sim_checker *checker, const sim_finding *race) {
    for (uint32_t i = 0; i < checker->finding_count; i++) {
        const sim_finding *f = &checker->findings[i];
        if (f->kind == SIM_CHECK_BLOCK_RACE && strcmp(f->kernel, race->kernel) == 0 &&
            has_lines_of(f, race) && has_lines_of(race, f))
            return true;
    }
    return false;
}

// A read of what nothing has written at a line that races with the write: the race says it all. A
// barrier that threads miss leaves shared memory in no order at all.
static bool is_consequence(const sim_checker *checker, const sim_finding *finding) {
    const sim_check_side *read = &finding->sides[0];
    bool of_memory = finding->kind == SIM_CHECK_RACE || finding->kind == SIM_CHECK_UNINITIALISED;
    bool follows = finding->kind == SIM_CHECK_EXITED_BARRIER ||
                   (of_memory && strcmp(finding->space, "shared") == 0);
    if (follows && has_missed(checker, finding)) return true;
    if (finding->kind == SIM_CHECK_RACE && is_of_blocks(checker, finding))
        return checker->notes[finding - checker->findings].pattern != CHECK_UPDATE;
    if (finding->kind != SIM_CHECK_UNINITIALISED || read->line == 0) return false;
    for (uint32_t i = 0; i < checker->finding_count; i++) {
        const sim_finding *f = &checker->findings[i];
        bool of_grids = f->kind == SIM_CHECK_GRID_RACE;
        if (!is_race(f) && !of_grids) continue;
        if (strcmp(f->kernel, finding->kernel) != 0 && !of_grids) continue;
        if (strcmp(f->space, finding->space) == 0 && is_side(f, read)) return true;
    }
    return false;
}

// Whether what removes the race `first` removes `other`, too.
static bool has_one_cause(const sim_checker *checker, uint32_t first, uint32_t other) {
    const sim_finding *a = &checker->findings[first], *b = &checker->findings[other];
    const check_note *note = &checker->notes[first];
    if (!is_race(a) || !is_race(b) || strcmp(a->kernel, b->kernel) != 0) return false;
    if (note->pattern != CHECK_UPDATE)
        return check_pattern_has_same_cause(note, &checker->notes[other]);
    return has_lines_of(a, b);
}

// After what the first finding says: what else lacks that barrier.
static void add_lines(sim_finding *told, const sim_finding *other) {
    size_t used = strlen(told->text);
    const sim_check_side *a = &other->sides[0], *b = &other->sides[1];
    const char *file = told->sides[0].file;
    bool one_file = strcmp(a->file, file) == 0 && strcmp(b->file, file) == 0;
    if (is_side(told, a) && is_side(told, b)) return;
    if (!one_file) {
        const char *slash_a = strrchr(a->file, '/'), *slash_b = strrchr(b->file, '/');
        snprintf(told->text + used, sizeof told->text - used,
                 ".\nThe same barrier is missing for %.80s:%" PRIu32 " and %.80s:%" PRIu32,
                 slash_a ? slash_a + 1 : a->file, a->line, slash_b ? slash_b + 1 : b->file,
                 b->line);
    } else if (a->line == b->line) {
        snprintf(told->text + used, sizeof told->text - used,
                 ".\nThe same barrier is missing in line %" PRIu32, a->line);
    } else {
        uint32_t first = a->line < b->line ? a->line : b->line;
        snprintf(told->text + used, sizeof told->text - used,
                 ".\nThe same barrier is missing for lines %" PRIu32 " and %" PRIu32, first,
                 a->line + b->line - first);
    }
}

// A call that the simulator does not support, and what may follow from it, since it did nothing.
typedef struct refusal {
    uint32_t at;       // index of the finding; UINT32_MAX: there was none
    uint32_t affected; // the first launch after it that met what it may not have done
} refusal;

static bool is_refused_call(const sim_finding *finding) {
    return finding->kind == SIM_CHECK_REFUSED && finding->kernel[0] == '\0';
}

// Whether a stage of a pipeline that its launch has waited for, and that never came, may be the
// reason.
static bool may_follow(const sim_checker *checker, uint32_t i) {
    for (uint32_t k = 0; checker->notes[i].of_stage && k < checker->finding_count; k++)
        if (checker->findings[k].kind == SIM_CHECK_DEADLOCK &&
            checker->findings[k].launch == checker->findings[i].launch)
            return true;
    return false;
}

// Whether a finding is of the program's own code, whatever a call before it did not do: its address
// is beside memory that there is, or nothing but the kernel's own threads takes part. What a call
// may not have set, made, or waited for is not.
static bool stands_alone(const sim_finding *finding) {
    bool is_global = strcmp(finding->space, "global") == 0 || finding->space[0] == '\0';
    switch (finding->kind) {
    case SIM_CHECK_OUT_OF_BOUNDS:
    case SIM_CHECK_MISALIGNED:
    case SIM_CHECK_BAD_FREE: return finding->allocation || finding->variable[0] || !is_global;
    case SIM_CHECK_UNINITIALISED: return !is_global;
    case SIM_CHECK_LEAK:
    case SIM_CHECK_STREAM_RACE:
    case SIM_CHECK_FLAG_FENCE:
    case SIM_CHECK_HOST_RACE:
    case SIM_CHECK_DEADLOCK:
    case SIM_CHECK_RUNAWAY:
    case SIM_CHECK_STOPPED:
    case SIM_CHECK_UNCHECKED_CALL:
    case SIM_CHECK_UNCHECKED_LAUNCH:
    case SIM_CHECK_FAILED_LAUNCH:
    case SIM_CHECK_UNSET_COPY: return false;
    default: return true;
    }
}

static refusal find_refusal(const sim_checker *checker) {
    refusal found = {UINT32_MAX, UINT32_MAX};
    for (uint32_t i = 0; i < checker->finding_count; i++) {
        const sim_finding *finding = &checker->findings[i];
        if (found.at == UINT32_MAX && is_refused_call(finding)) found.at = i;
        if (i > found.at && finding->kind != SIM_CHECK_REFUSED && finding->kernel[0] &&
            !stands_alone(finding) && finding->launch < found.affected)
            found.affected = finding->launch;
    }
    return found;
}

static bool may_follow_refusal(const refusal *refusal, const sim_checker *checker, uint32_t i) {
    const sim_finding *finding = &checker->findings[i];
    if (refusal->at == UINT32_MAX || i <= refusal->at || finding->kind == SIM_CHECK_REFUSED)
        return false;
    return !stands_alone(finding) || (finding->kernel[0] && finding->launch >= refusal->affected);
}

static void say_left_out(sim_check_report *report, uint32_t count) {
    for (uint32_t i = 0; i < report->count && count > 0; i++) {
        sim_finding *finding = &report->findings[i];
        char *places = strstr(finding->text, "\nat "), after[KL_ERROR_TEXT];
        if (!is_refused_call(finding)) continue;
        snprintf(after, sizeof after, "%s", places ? places : "");
        size_t used = places ? (size_t)(places - finding->text) : strlen(finding->text);
        snprintf(finding->text + used, sizeof finding->text - used, " (%" PRIu32 " so far)%s",
                 count, after);
        return;
    }
}

// Those that may follow from another one come last; a phase that was waited for twice does follow.
static void tell(const sim_checker *checker, sim_check_report *report) {
    uint32_t told[CHECK_FINDINGS]; // by finding of the report: its index
    const refusal refusal = find_refusal(checker);
    uint32_t left_out = 0;
    for (uint32_t n = 0; n < 2 * checker->finding_count; n++) {
        uint32_t i = n % checker->finding_count, first = 0;
        const sim_finding *finding = &checker->findings[i];
        bool follows = may_follow(checker, i);
        if (may_follow_refusal(&refusal, checker, i)) {
            left_out += n < checker->finding_count;
            continue;
        }
        if (follows != (n >= checker->finding_count)) continue;
        if (follows && finding->kind == SIM_CHECK_BARRIER_PHASE) continue;
        while (first < report->count && !has_one_cause(checker, told[first], i)) first++;
        if (first < report->count) {
            sim_finding *other = &report->findings[first];
            other->count += finding->count;
            if (checker->notes[told[first]].pattern != CHECK_UPDATE) add_lines(other, finding);
        } else if (!is_consequence(checker, finding)) {
            told[report->count] = i;
            report->findings[report->count++] = *finding;
        }
    }
    say_left_out(report, left_out);
}

static void tell_leaks(const sim_checker *checker, sim_check_report *report) {
    size_t count;
    const sim_allocation *live = sim_mem_list(checker->memory, &count);
    for (size_t i = 0; i < count; i++) {
        uint32_t number = check_find_number(checker, live[i].id);
        if (!number) continue;
        if (report->count == CHECK_FINDINGS) {
            report->left_out++;
            continue;
        }
        sim_finding *finding = &report->findings[report->count++];
        memset(finding, 0, sizeof *finding);
        finding->kind = SIM_CHECK_LEAK;
        finding->count = 1;
        finding->address = live[i].base;
        finding->allocation = number;
        uint64_t bytes = live[i].kind ? live[i].whole : live[i].bytes;
        finding->allocation_bytes = bytes;
        snprintf(finding->space, sizeof finding->space, "global");
        snprintf(finding->text, sizeof finding->text,
                 "allocation %u of the program, %" PRIu64 " bytes, was never freed", number, bytes);
    }
}

sim_status sim_checker_report(sim_checker *checker, sim_check_report **out_report, kl_error *err) {
    sim_check_report *report = calloc(1, sizeof *report);
    uint32_t reads = checker->host_read_count;
    if (report) {
        report->findings = calloc(CHECK_FINDINGS, sizeof *report->findings);
        report->host_reads = calloc(reads ? reads : 1, sizeof *report->host_reads);
    }
    if (!report || !report->findings || !report->host_reads) {
        sim_check_report_free(report);
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for the findings");
    }
    tell(checker, report);
    if (reads) memcpy(report->host_reads, checker->host_reads, reads * sizeof(uint64_t));
    report->left_out = checker->left_out;
    report->host_read_count = reads;
    report->launches = checker->launches;
    report->warp_instructions = checker->warp_instructions;
    report->host_seconds = checker->host_seconds;
    report->times_exhausted = checker->times_exhausted;
    report->depends = checker->depends;
    if (!checker->faulted) tell_leaks(checker, report);
    *out_report = report;
    return SIM_OK;
}
