// Profiles: running a program on a counting engine and taking its reports. See profile.h.
#include "show/profile/profile.h"
#include "grade/rubric/lab_files.h"

static kl_status ladder_profile_fetch(sim_engine *control, ladder_profile *out_profile,
                                      kl_error *err) {
    ladder_profile *p = out_profile;
    memset(p, 0, sizeof *p);
    uint32_t count = 0;
    if (sim_launch_count(control, &count, err) != SIM_OK)
        return kl_fail_from(err, KL_ERROR_SYSTEM, "the simulator does not answer");
    p->device = *sim_engine_device(control);
    snprintf(p->device_name, sizeof p->device_name, "%s", p->device.name);
    p->left_out = count > LADDER_LAUNCHES_MAX ? count - LADDER_LAUNCHES_MAX : 0;
    for (uint32_t i = 0; i < count - p->left_out; i++) {
        if (sim_launch_report_get(control, i, &p->launches[i], err) != SIM_OK)
            return kl_fail_from(err, KL_ERROR_SYSTEM, "no report of launch %u", i);
        p->count = i + 1;
    }
    return KL_OK;
}

void ladder_profile_free(ladder_profile *profile) {
    for (uint32_t i = 0; i < profile->count; i++) sim_launch_report_free(profile->launches[i]);
    profile->count = 0;
}

void ladder_profile_totals(const ladder_profile *profile, sim_counters *out_totals,
                           double *out_time_us) {
    memset(out_totals, 0, sizeof *out_totals);
    *out_time_us = 0;
    for (uint32_t i = 0; i < profile->count; i++) {
        *out_time_us += profile->launches[i]->time_us;
        for (int c = 0; c < SIM_COUNTER_COUNT; c++)
            out_totals->value[c] += profile->launches[i]->totals.value[c];
    }
}

kl_status ladder_program_run(const ladder_kit *kit, char *const *argv, bool foreground,
                             const ladder_engine_options *options, const char *spans,
                             ladder_program_take *take, void *context, int *out_exit,
                             kl_error *err) {
    static const char variable[] = "LADDER_SIM_SPANS";
    ladder_session session;
    kl_record record, once;
    memset(&once, 0, sizeof once);
    kl_status status = ladder_session_start_engine(&session, kit, options, err);
    setenv(variable, spans, 1);
    if (status == KL_OK)
        status = ladder_session_start_program(&session, kit, argv, foreground, err);
    unsetenv(variable);
    if (status == KL_OK) {
        ladder_process *both[] = {&session.program, &session.engine};
        ladder_process_wait(both, 2);
        ladder_session_end_program(&session);
        const ladder_process *p = &session.program;
        *out_exit = p->end == LADDER_END_EXITED ? p->code : 128 + p->code;
        if (!foreground && *out_exit != 0) fwrite(p->output, 1, p->output_bytes, stderr);
        for (uint32_t i = 0; kl_record_at(session.records, i, &record); i++)
            if (record.kind == KL_RECORD_PREPARATION) once = record;
            else if (record.kind == KL_RECORD_CRASH)
                fprintf(stderr, "simulator: %s", record.is.crash);
        status = take(context, session.control, &once, err);
    }
    ladder_session_close(&session);
    return status;
}

kl_status ladder_spans_take(sim_engine *control, const kl_record *once, sim_spans *out_spans,
                            uint32_t *out_first, kl_error *err) {
    uint32_t end = once->is.once.end_span, ignored;
    if (sim_spans_get(control, out_spans, &ignored, err) != SIM_OK)
        return kl_fail_from(err, KL_ERROR_SYSTEM, "the simulator does not answer");
    for (; end && out_spans->count > end; out_spans->count--)
        free(out_spans->items[out_spans->count - 1].text);
    *out_first = once->is.once.first_span;
    return KL_OK;
}

static kl_status take_profile(void *context, sim_engine *control, const kl_record *once,
                              kl_error *err) {
    ladder_profile *profile = context;
    sim_spans spans;
    uint32_t first;
    TRY(ladder_profile_fetch(control, profile, err));
    profile->prepare_launches = once->is.once.launches;
    profile->wrong = once->is.once.wrong;
    TRY(ladder_spans_take(control, once, &spans, &first, err));
    sim_status summed = sim_spans_totals(&spans, first, &profile->call, err);
    sim_spans_free(&spans);
    return summed == SIM_OK ? KL_OK : kl_fail_from(err, KL_ERROR_MEMORY, "no sums of the call");
}

kl_status ladder_profile_program(const ladder_kit *kit, char *const *argv, bool foreground,
                                 const ladder_profile_request *request, ladder_profile *out_profile,
                                 int *out_exit, kl_error *err) {
    static const double answer_s = 120; // reports of a large program take their time
    ladder_engine_options options = {.answer_s = answer_s, .records = !foreground};
    if (request && request->timelines) options.timelines = LADDER_TIMELINES_MAX;
    if (request && request->codes) options.codes = LADDER_CODES_MAX;
    if (request && request->maps) options.maps = LADDER_MAPS_MAX;
    memset(out_profile, 0, sizeof *out_profile);
    return ladder_program_run(kit, argv, foreground, &options, "1", take_profile, out_profile,
                              out_exit, err);
}

kl_status ladder_profile_step(const ladder_kit *kit, const ladder_lab *lab, int step, bool solution,
                              const char *size, const char *family,
                              const ladder_profile_request *request, ladder_profile *out_profile,
                              kl_error *err) {
    bool failed = false;
    memset(out_profile, 0, sizeof *out_profile);
    TRY(ladder_kit_build_lab(kit, lab, &step, 1, solution, false, &failed, err));
    if (failed) return kl_fail(err, KL_ERROR_INPUT, "step %d does not compile", step);
    kl_ticker_say("counting");
    kl_status status = ladder_profile_built_step(kit, lab, step, solution, size, family, request,
                                                 out_profile, err);
    kl_ticker_say("");
    return status;
}

void ladder_profile_args(ladder_program_args *args, const char *program, const char *device,
                         int step, bool solution, const char *size, const char *family) {
    ladder_args_begin(args, program);
    ladder_args_number(args, "--launch-once", step);
    ladder_args_text(args, "--device", device);
    ladder_args_flag(args, "--solution", solution);
    ladder_args_text(args, "--size", size);
    ladder_args_text(args, "--case", family);
}

kl_status ladder_profile_fail(const ladder_kit *kit, const ladder_lab *lab, int step,
                              kl_error *err) {
    char path[LADDER_PATH], why[512];
    const kl_step_info *info = kl_problem_step(lab->problem, step);
    if (ladder_kit_step_file(kit, lab, info, false, path, NULL) == KL_OK &&
        kl_step_file_forgotten(path, why, sizeof why))
        return kl_fail(err, KL_ERROR_INPUT, "step %d did not run: %s", step, why);
    return kl_fail(err, KL_ERROR_INPUT, "step %d did not run (see its message above)", step);
}

kl_status ladder_profile_built_step(const ladder_kit *kit, const ladder_lab *lab, int step,
                                    bool solution, const char *size, const char *family,
                                    const ladder_profile_request *request,
                                    ladder_profile *out_profile, kl_error *err) {
    char program[LADDER_PATH];
    memset(out_profile, 0, sizeof *out_profile);
    TRY(ladder_kit_lab_program(kit, lab, program, err));
    ladder_program_args args;
    ladder_profile_args(&args, program, "sim", step, solution, size, family);
    int code = 0;
    TRY(ladder_profile_program(kit, args.argv, false, request, out_profile, &code, err));
    bool faulty = out_profile->count > 0 &&
                  out_profile->launches[out_profile->count - 1]->fault.kind != SIM_OK;
    if (code != 0 && !faulty) return ladder_profile_fail(kit, lab, step, err);
    return KL_OK;
}

// ---- the quantities of rows.def -----------------------------------------------------------------

const ladder_profile_row ladder_profile_rows[] = {
#define LADDER_PROFILE_ROW(counter, divisor, label, decimals, term)                                \
    {SIM_COUNTER_##counter, SIM_COUNTER_##divisor, label, decimals, term},
#include "show/profile/rows.def"
#undef LADDER_PROFILE_ROW
};
const int ladder_profile_row_count = sizeof ladder_profile_rows / sizeof ladder_profile_rows[0];

const ladder_hit_rate ladder_hit_rates[LADDER_HIT_RATES] = {
    {"L1 sectors that hit, %", "L1 cache", sim_l1_hit_percent},
    {"L2 sectors read that hit, %", "L2 cache", sim_l2_hit_percent},
};

double ladder_profile_row_value(const ladder_profile_row *row, const sim_counters *counters) {
    double value = (double)counters->value[row->counter];
    if (row->divisor == SIM_COUNTER_COUNT) return value;
    double divisor = (double)counters->value[row->divisor];
    return divisor > 0 ? value / divisor : NAN;
}

bool ladder_profile_row_applies(const ladder_profile_row *row, const sim_counters *counters) {
    return counters->value[row->counter] != 0 && !isnan(ladder_profile_row_value(row, counters));
}

const char *ladder_profile_row_text(const ladder_profile_row *row, double value, char *text,
                                    size_t text_bytes) {
    if (isnan(value)) snprintf(text, text_bytes, "-");
    else if (row->decimals > 0) snprintf(text, text_bytes, "%.*f", row->decimals, value);
    else kl_format_count(value, text, text_bytes);
    return text;
}
