// Findings as JSON, schema ladder.check/1: {"schema", "subjects": [{"subject", "exit_status",
// "implemented", "order" or null, "results_differ", "findings": [..], "left_out", "launches",
// ..}]}. See checks.c.
#include "show/findings/findings.h"
#include "show/profile/profile.h"

static void write_side(kl_json *json, const sim_check_side *side) {
    static const char *const actions[] = {NULL, "read", "write", "atomic"};
    char value[2 * sizeof side->value + 1] = "";
    for (uint32_t i = 0; i < side->value_bytes; i++)
        snprintf(value + 2 * (size_t)i, 3, "%02x", side->value[i]);
    kl_json_put(json, "{action %s file %s line %u", actions[side->action],
                side->file[0] != '\0' ? side->file : NULL, side->line);
    ladder_profile_write_dim(json, "block", side->block);
    ladder_profile_write_dim(json, "thread", side->thread);
    kl_json_string(json, "bytes_in_memory", side->value_bytes != 0 ? value : NULL);
    char kernel[512];
    if (side->kernel[0] != '\0')
        kl_json_string(json, "kernel", ladder_demangle(side->kernel, kernel, sizeof kernel));
    if (side->call[0] != '\0') kl_json_string(json, "call", side->call);
    kl_json_end(json);
}

static void write_case(kl_json *json, const ladder_checked_case *c) {
    if (!c) return;
    kl_json_put(json, "case {family %s size %ld seed %lu}", c->family, c->size, c->seed);
}

static void write_finding(kl_json *json, const ladder_checks *checks, const sim_finding *f,
                          const char *order) {
    char kernel[512];
    kl_json_put(json,
                "{class %s warning %hhd count %lu order %s kernel %s launch %u space %s "
                "address %lu bytes %u allocation %u argument %u allocation_bytes %lu "
                "allocation_offset %lu variable %s sides [",
                sim_check_name(f->kind), sim_check_is_warning(f->kind), f->count, order,
                f->kernel[0] != '\0' ? ladder_demangle(f->kernel, kernel, sizeof kernel) : NULL,
                f->launch, f->space[0] != '\0' ? f->space : NULL, f->address, f->bytes,
                f->allocation, f->argument, f->allocation_bytes, f->allocation_offset,
                f->variable[0] != '\0' ? f->variable : NULL);
    for (int i = 0; i < 2; i++)
        if (f->sides[i].line != 0 || f->sides[i].action != SIM_ACTION_NONE)
            write_side(json, &f->sides[i]);
    kl_json_put(json, "] text %s", f->text);
    write_case(json, ladder_checks_case(checks, f));
    kl_json_end(json);
}

static void write_checks(kl_json *json, const ladder_checks *checks, const char *subject) {
    const sim_check_report *r = checks->report;
    kl_json_put(json,
                "{subject %s exit_status %d implemented %hhd forgotten %s order %s "
                "results_differ %hhd launches %lu warp_instructions %lu seconds %g "
                "races_not_searched_to_the_end %hhd left_out %lu findings [",
                subject, checks->exit_code, !checks->unwritten,
                checks->forgotten[0] != '\0' ? checks->forgotten : NULL, checks->order,
                checks->differing_read != 0, r->launches, r->warp_instructions, r->host_seconds,
                r->times_exhausted,
                r->left_out + (checks->permuted ? checks->permuted->left_out : 0));
    for (uint32_t i = 0; i < r->count; i++) write_finding(json, checks, &r->findings[i], "forward");
    for (uint32_t i = 0; checks->permuted && i < checks->permuted->count; i++)
        write_finding(json, checks, &checks->permuted->findings[i], checks->order);
    kl_json_put(json, "]}");
}

kl_status ladder_checks_json(const ladder_checks *checks, const char *const *subjects, int count,
                             FILE *out, kl_error *err) {
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json, "{schema ladder.check/1 subjects [");
    for (int i = 0; i < count; i++) write_checks(&json, &checks[i], subjects[i]);
    kl_json_put(&json, "]}");
    return kl_json_finish(&json, err);
}
