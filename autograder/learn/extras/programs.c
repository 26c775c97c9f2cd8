// ladder run LAB --micro, --grid, ..: programs of a lab beside its ladder; programs.def lists them.
#include "learn/extras/extras.h"
#include "sandbox/process/kit_build.h"

// Options that a program takes, as bits.
enum {
#define RUN_OPTION(member, takes, reads, name, argument, help) AT_##member,
#define LAB_OPTION(member, takes, reads, name, argument, help)
#include "run_options.def"
#undef RUN_OPTION
    GIVEN_OPTIONS,
#define RUN_OPTION(member, takes, reads, name, argument, help) OF_##member = 1 << AT_##member,
#include "run_options.def"
#undef RUN_OPTION
#undef LAB_OPTION
    OF_STEPS = 1 << GIVEN_OPTIONS,
    OF_AFTER = OF_STEPS << 1
};

static const struct {
    const char *name; // as an option of `run` and as the ending of the program's name
    const char *what;
    unsigned takes;
} programs[LADDER_OTHER_PROGRAMS] = {
#define OTHER_PROGRAM(name, what, takes, help) {#name, what, (takes) | OF_json_file},
#include "learn/extras/programs.def"
#undef OTHER_PROGRAM
};

typedef struct given_option {
    const char *name;
    bool set;
    const char *value; // NULL: a flag
} given_option;

static void list_given(const ladder_run_options *o, given_option out_given[GIVEN_OPTIONS]) {
#define GIVEN_FLAG(member) o->member, NULL
#define GIVEN_TEXT(member) o->member != NULL, o->member
#define RUN_OPTION(member, takes, reads, name, argument, help)                                     \
    out_given[AT_##member] = (given_option){name, GIVEN_##takes(member)};
#define LAB_OPTION(member, takes, reads, name, argument, help)
#include "run_options.def"
#undef RUN_OPTION
#undef LAB_OPTION
}

kl_status ladder_run_other_choose(const ladder_run_options *o, ladder_other_program *out_program,
                                  kl_error *err) {
    given_option given[GIVEN_OPTIONS];
    int chosen = LADDER_OTHER_PROGRAMS;
    for (int i = 0; i < LADDER_OTHER_PROGRAMS; i++) {
        if (!o->other[i]) continue;
        if (chosen != LADDER_OTHER_PROGRAMS)
            return kl_fail(err, KL_ERROR_USAGE, "--%s and --%s are different programs; choose one",
                           programs[chosen].name, programs[i].name);
        chosen = i;
    }
    *out_program = (ladder_other_program)chosen;
    if (chosen == LADDER_OTHER_PROGRAMS) {
        if (o->after_count == 0) return KL_OK;
        return kl_fail(err, KL_ERROR_USAGE, "what follows -- is for the lab's application (--app)");
    }
    const char *name = programs[chosen].name;
    unsigned takes = programs[chosen].takes;
    list_given(o, given);
    for (int i = 0; i < GIVEN_OPTIONS; i++)
        if (given[i].set && (takes & 1U << i) == 0)
            return kl_fail(err, KL_ERROR_USAGE, "%s has no meaning with --%s", given[i].name, name);
    if (o->step_count > 0 && (takes & OF_STEPS) == 0)
        return kl_fail(err, KL_ERROR_USAGE, "--%s takes no step", name);
    if (o->after_count > 0 && (takes & OF_AFTER) == 0)
        return kl_fail(err, KL_ERROR_USAGE, "--%s takes nothing after --", name);
    return KL_OK;
}

static bool lab_has(const ladder_kit *kit, const ladder_lab *lab, const char *name) {
    char source[LADDER_PATH];
    return ladder_path(source, NULL, "%s/labs/%s/%s.c", kit->source, lab->folder, name) == KL_OK &&
           ladder_file_exists(source);
}

static kl_status fail_without(const ladder_kit *kit, const ladder_lab *lab, const char *name,
                              const char *what, kl_error *err) {
    kl_fail(err, KL_ERROR_USAGE, "lab %s has no %s", lab->folder, what);
    const char *before = "; labs with --";
    for (int i = 0; i < ladder_lab_count; i++) {
        if (!lab_has(kit, &ladder_labs[i], name)) continue;
        if (before[0] == ';') kl_error_append(err, "%s%s: ", before, name);
        else kl_error_append(err, "%s", before);
        kl_error_append(err, "%s", ladder_labs[i].problem->name);
        before = ", ";
    }
    return KL_ERROR_USAGE;
}

kl_status ladder_run_arguments(const ladder_run_options *o, unsigned takes,
                               ladder_program_args *args, kl_error *err) {
    given_option given[GIVEN_OPTIONS];
    list_given(o, given);
    for (int i = 0; i < o->step_count; i++) ladder_args_number(args, "--step", o->steps[i]);
    for (int i = 0; i < GIVEN_OPTIONS; i++) {
        if ((takes & 1U << i) == 0) continue;
        if (!given[i].value) ladder_args_flag(args, given[i].name, given[i].set);
        else ladder_args_text(args, given[i].name, given[i].value);
    }
    ladder_args_text(args, "--device", ladder_device_for_program(o->device));
    for (int i = 0; i < o->after_count; i++) ladder_args_flag(args, o->after_dashes[i], true);
    if (args->count == LADDER_PROGRAM_ARGS) // some may have been left out
        return kl_fail(err, KL_ERROR_USAGE, "more than %d arguments", LADDER_PROGRAM_ARGS - 1);
    return KL_OK;
}

kl_status ladder_run_other_start(const ladder_kit *kit, const ladder_lab *lab,
                                 ladder_other_program chosen, const ladder_run_options *o,
                                 kl_error *err) {
    const char *name = programs[chosen].name;
    char program[LADDER_PATH], target[LADDER_PATH];
    const char *targets[] = {target};
    ladder_program_args args;
    bool failed = false;
    if (!lab_has(kit, lab, name)) return fail_without(kit, lab, name, programs[chosen].what, err);
    if ((programs[chosen].takes & OF_solution) != 0)
        TRY(ladder_kit_build_lab(kit, lab, o->steps, o->step_count, o->solution,
                                 ladder_device_may_be_gpu(o->device), &failed, err));
    TRY(ladder_path(target, err, "%s_%s", lab->problem->name, name));
    TRY(ladder_path(program, err, "%s/labs/%s/%s", kit->build, lab->folder, target));
    TRY(ladder_kit_build(kit, targets, 1, &failed, err));
    ladder_args_begin(&args, program);
    TRY(ladder_run_arguments(o, programs[chosen].takes, &args, err));
    fflush(NULL);
    execv(program, args.argv);
    return kl_fail(err, KL_ERROR_SYSTEM, "%s cannot be started: %s", program, strerror(errno));
}

// ---- bugs ---------------------------------------------------------------------------------------
// Bug hunts of a lab: see extras.h.

kl_status ladder_bug_build(const ladder_kit *kit, const ladder_lab *lab, const char *stem,
                           bool solution, char *out_program, kl_error *err) {
    ladder_devices_default(lab->problem->devices);
    char target[LADDER_PATH];
    const char *targets[] = {target};
    bool failed = false;
    char file[LADDER_PATH];
    TRY(ladder_path(file, err, "bugs/%s.cu", stem));
    if (solution) TRY(ladder_kit_require_solution_file(kit, lab, file, err));
    TRY(ladder_path(target, err, "%s_%s_bug_%s", lab->problem->name,
                    solution ? "solution" : "skeleton", stem));
    TRY(ladder_path(out_program, err, "%s/labs/%s/bugs/%s%s", kit->build, lab->folder,
                    solution ? "solution/" : "", stem));
    TRY(ladder_kit_build(kit, targets, 1, &failed, err));
    if (!failed) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "%s.cu does not compile", stem);
}
