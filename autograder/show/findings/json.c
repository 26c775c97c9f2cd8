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
    kl_json_object(json, NULL);
    kl_json_string(json, "action", actions[side->action]);
    kl_json_string(json, "file", side->file[0] != '\0' ? side->file : NULL);
    kl_json_uint(json, "line", side->line);
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
    kl_json_object(json, "case");
    kl_json_string(json, "family", c->family);
    kl_json_int(json, "size", c->size);
    kl_json_uint(json, "seed", c->seed);
    kl_json_end(json);
}

static void write_finding(kl_json *json, const ladder_checks *checks, const sim_finding *f,
                          const char *order) {
    char kernel[512];
    kl_json_object(json, NULL);
    kl_json_string(json, "class", sim_check_name(f->kind));
    kl_json_bool(json, "warning", sim_check_is_warning(f->kind));
    kl_json_uint(json, "count", f->count);
    kl_json_string(json, "order", order);
    kl_json_string(json, "kernel",
                   f->kernel[0] != '\0' ? ladder_demangle(f->kernel, kernel, sizeof kernel) : NULL);
    kl_json_uint(json, "launch", f->launch);
    kl_json_string(json, "space", f->space[0] != '\0' ? f->space : NULL);
    kl_json_uint(json, "address", f->address);
    kl_json_uint(json, "bytes", f->bytes);
    kl_json_uint(json, "allocation", f->allocation);
    kl_json_uint(json, "argument", f->argument);
    kl_json_uint(json, "allocation_bytes", f->allocation_bytes);
    kl_json_uint(json, "allocation_offset", f->allocation_offset);
    kl_json_string(json, "variable", f->variable[0] != '\0' ? f->variable : NULL);
    kl_json_array(json, "sides");
    for (int i = 0; i < 2; i++)
        if (f->sides[i].line != 0 || f->sides[i].action != SIM_ACTION_NONE)
            write_side(json, &f->sides[i]);
    kl_json_end(json);
    kl_json_string(json, "text", f->text);
    write_case(json, ladder_checks_case(checks, f));
    kl_json_end(json);
}

static void write_checks(kl_json *json, const ladder_checks *checks, const char *subject) {
    const sim_check_report *r = checks->report;
    kl_json_object(json, NULL);
    kl_json_string(json, "subject", subject);
    kl_json_int(json, "exit_status", checks->exit_code);
    kl_json_bool(json, "implemented", !checks->unwritten);
    kl_json_string(json, "forgotten", checks->forgotten[0] != '\0' ? checks->forgotten : NULL);
    kl_json_string(json, "order", checks->order);
    kl_json_bool(json, "results_differ", checks->differing_read != 0);
    kl_json_uint(json, "launches", r->launches);
    kl_json_uint(json, "warp_instructions", r->warp_instructions);
    kl_json_number(json, "seconds", r->host_seconds);
    kl_json_bool(json, "races_not_searched_to_the_end", r->times_exhausted);
    kl_json_uint(json, "left_out",
                 r->left_out + (checks->permuted ? checks->permuted->left_out : 0));
    kl_json_array(json, "findings");
    for (uint32_t i = 0; i < r->count; i++) write_finding(json, checks, &r->findings[i], "forward");
    for (uint32_t i = 0; checks->permuted && i < checks->permuted->count; i++)
        write_finding(json, checks, &checks->permuted->findings[i], checks->order);
    kl_json_end(json);
    kl_json_end(json);
}

kl_status ladder_checks_json(const ladder_checks *checks, const char *const *subjects, int count,
                             FILE *out, kl_error *err) {
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_object(&json, NULL);
    kl_json_string(&json, "schema", "ladder.check/1");
    kl_json_array(&json, "subjects");
    for (int i = 0; i < count; i++) write_checks(&json, &checks[i], subjects[i]);
    kl_json_end(&json);
    kl_json_end(&json);
    return kl_json_finish(&json, err);
}
