// What a profile is worth: see profile.h. How its instructions are known to be right is
// program/ir.h's, which of them a card may give otherwise program/inexact.def's.
#include "grade/points/counts.h"
#include "program/ir.h"
#include "show/profile/profile.h"

enum { KINDS = 512 };

// A kind of instruction that was executed, "add.f32".
typedef struct kind {
    char name[SIM_EVIDENCE_NAME];
    sim_evidence evidence;
    const char *why; // a card may give another result; NULL: it does not
    uint64_t executed;
} kind;

typedef struct kinds {
    kind rows[KINDS];
    int count;
} kinds;

static void add_kind(kinds *all, const char *text, uint64_t executed) {
    char opcode[256], name[SIM_EVIDENCE_NAME];
    const char *why = sim_inexact_text(text), *at = text;
    if (*at == '@') at += strcspn(at, " ") + strspn(at + strcspn(at, " "), " ");
    snprintf(opcode, sizeof opcode, "%.*s", (int)strcspn(at, " "), at);
    sim_evidence evidence = sim_evidence_of(opcode, name);
    int i = 0;
    while (i < all->count && (strcmp(all->rows[i].name, name) != 0 || all->rows[i].why != why ||
                              all->rows[i].evidence != evidence))
        i++;
    if (i == KINDS) return;
    if (i == all->count) {
        all->rows[all->count++] = (kind){.evidence = evidence, .why = why};
        memcpy(all->rows[i].name, name, sizeof name);
    }
    all->rows[i].executed += executed;
}

static int by_name(const void *left, const void *right) {
    return strcmp(((const kind *)left)->name, ((const kind *)right)->name);
}

// Of one launch, or of all (launch NULL). NULL without memory.
static kinds *find_kinds(const ladder_profile *profile, const sim_launch_report *launch) {
    kinds *all = calloc(1, sizeof *all);
    for (uint32_t l = 0; all && l < profile->count; l++) {
        const sim_code *code = profile->launches[l]->code;
        if (!code || (launch && launch != profile->launches[l])) continue;
        for (uint32_t i = 0; i < code->instr_count; i++)
            if (code->instrs[i].executed > 0)
                add_kind(all, code->text + code->instrs[i].text, code->instrs[i].executed);
    }
    if (all) qsort(all->rows, (size_t)all->count, sizeof all->rows[0], by_name);
    return all;
}

static void count_rules(const sim_counters *totals, int counted[SIM_RULE_COUNT]) {
    memset(counted, 0, SIM_RULE_COUNT * sizeof *counted);
    for (int i = 0; i < SIM_COUNTER_COUNT; i++)
        counted[sim_counter_rule_of((sim_counter)i)] += totals->value[i] > 0;
}

static void print_evidence(const kinds *all, sim_evidence evidence, const kl_style *style,
                           FILE *out) {
    static const char *const heads[] = {[SIM_EVIDENCE_CARD] =
                                            "compared with a card's results, bit for bit:",
                                        [SIM_EVIDENCE_PROGRAMS] = "checked by test programs:",
                                        [SIM_EVIDENCE_MANUAL] = "by the manual of PTX alone:"};
    char text[KINDS * SIM_EVIDENCE_NAME] = "";
    const char *last = "";
    for (int i = 0; i < all->count; i++) {
        const kind *k = &all->rows[i];
        if (k->evidence != evidence || strcmp(k->name, last) == 0) continue;
        kl_append(text, sizeof text, " %s", k->name);
        last = k->name;
    }
    if (text[0] == '\0') return;
    fprintf(out, "  %s\n   ", heads[evidence]);
    kl_print_wrapped(out, style, 4, text);
}

static void print_inexact(const kinds *all, uint64_t misled, const kl_style *style, FILE *out) {
    for (int i = 0; i < all->count; i++) {
        if (!all->rows[i].why) continue;
        fputs("  ", out);
        kl_print_text(out, style, 4, "inexact: %s, %llu times: %s", all->rows[i].name,
                      (unsigned long long)all->rows[i].executed, all->rows[i].why);
    }
    if (misled)
        fprintf(out,
                "  which branches and accesses may depend on these: sim__inst_misled.sum of the\n"
                "    lines in --json\n");
}

void ladder_fidelity_print(const ladder_profile *profile, const kl_style *style, FILE *out) {
    sim_counters totals;
    double time_us;
    int counted[SIM_RULE_COUNT];
    char text[1024];
    kinds *all = find_kinds(profile, NULL);
    ladder_profile_totals(profile, &totals, &time_us);
    const kl_worth worth = ladder_worth_of(&totals);
    if (!all ||
        kl_worth_text(&worth, profile->device_name, profile->lab, text, sizeof text)[0] == '\0') {
        free(all);
        return;
    }
    fputs("\nhow close this is to a card\n  ", out);
    kl_print_wrapped(out, style, 2, text);
    for (int evidence = SIM_EVIDENCE_COUNT - 1; evidence >= 0; evidence--)
        print_evidence(all, (sim_evidence)evidence, style, out);
    print_inexact(all, totals.value[SIM_COUNTER_MISLED], style, out);
    count_rules(&totals, counted);
    fputs("  ", out);
    kl_print_text(out, style, 4,
                  "counters that are not 0: %d by a rule of the hardware, equal to a card's but "
                  "for the kernels in common/validation/counters/counters.md; %d of PTX "
                  "instructions, which ptxas translates; %d modelled",
                  counted[SIM_RULE_HW], counted[SIM_RULE_PTX], counted[SIM_RULE_MODEL]);
    free(all);
}

static void write_kinds(kl_json *json, const kinds *all) {
    static const char *const words[] = {[SIM_EVIDENCE_CARD] = "card",
                                        [SIM_EVIDENCE_PROGRAMS] = "programs",
                                        [SIM_EVIDENCE_MANUAL] = "manual"};
    kl_json_array(json, "instructions");
    for (int i = 0; i < all->count; i++) {
        const kind *k = &all->rows[i];
        kl_json_put(json, "{name %s held_to %s executed %lu inexact %s}", k->name,
                    words[k->evidence], k->executed, k->why);
    }
    kl_json_end(json);
}

void ladder_fidelity_write(kl_json *json, const ladder_profile *profile,
                           const sim_launch_report *launch) {
    int counted[SIM_RULE_COUNT];
    double percent = 0;
    bool of_lab;
    kinds *all = find_kinds(profile, launch);
    if (!all) return;
    kl_json_object(json, "fidelity");
    write_kinds(json, all);
    kl_json_put(json, "inexact %lu misled %lu", launch->totals.value[SIM_COUNTER_INEXACT],
                launch->totals.value[SIM_COUNTER_MISLED]);
    count_rules(&launch->totals, counted);
    kl_json_put(json, "counters_by_rule %d counters_of_ptx %d counters_modelled %d",
                counted[SIM_RULE_HW], counted[SIM_RULE_PTX], counted[SIM_RULE_MODEL]);
    bool known = kl_worth_time_error(profile->device_name, profile->lab, &percent, &of_lab);
    kl_json_put(json, "time_error_percent %g time_error_of %s}", known ? percent : NAN,
                !known   ? NULL
                : of_lab ? "lab"
                         : "unseen kernels");
    free(all);
}
