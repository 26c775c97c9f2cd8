// Spaces of configurations: see tune.h.
#include "learn/tune/tune.h"
#include <strings.h>

enum { WORD = 256 };

void ladder_tune_filter_all(const ladder_tune_space *space, ladder_tune_filter *out_filter) {
    memset(out_filter, 0, sizeof *out_filter);
    for (int p = 0; p < space->parameter_count; p++)
        out_filter->allowed[p] = (UINT32_C(1) << space->parameters[p].value_count) - 1;
}

int ladder_tune_parameter_find(const ladder_tune_space *space, const char *name) {
    for (int p = 0; p < space->parameter_count; p++)
        if (strcasecmp(space->parameters[p].name, name) == 0) return p;
    return -1;
}

static kl_status no_such_parameter(const ladder_tune_space *space, const char *name,
                                   kl_error *err) {
    const char *names[LADDER_TUNE_PARAMETERS];
    char plain[WORD];
    for (int p = 0; p < space->parameter_count; p++) names[p] = space->parameters[p].name;
    const char *meant = ladder_suggest(name, names, (size_t)space->parameter_count);
    ladder_plain(name, false, plain, sizeof plain);
    return kl_fail(err, KL_ERROR_USAGE, "there is no parameter '%s'%s%s%s; --list shows them",
                   plain, meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "");
}

static int value_index(const ladder_tune_parameter *parameter, const char *text) {
    char *end = NULL;
    long value = strtol(text, &end, 10);
    for (int v = 0; v < parameter->value_count && end != text && *end == '\0'; v++)
        if (parameter->values[v] == value) return v;
    return -1;
}

static kl_status no_such_value(const ladder_tune_parameter *parameter, const char *text,
                               kl_error *err) {
    char plain[WORD], values[WORD] = "";
    for (int v = 0; v < parameter->value_count; v++) {
        size_t used = strlen(values);
        snprintf(values + used, sizeof values - used, "%s%d", v > 0 ? ", " : "",
                 parameter->values[v]);
    }
    ladder_plain(text, false, plain, sizeof plain);
    return kl_fail(err, KL_ERROR_USAGE, "%s has no value '%s'; it takes %s", parameter->name, plain,
                   values);
}

// One word of a restriction: "NAME=VALUE[,VALUE..]".
static kl_status narrow_by_word(const ladder_tune_space *space, char *word,
                                ladder_tune_filter *filter, kl_error *err) {
    char *equals = strchr(word, '=');
    if (!equals || equals == word || equals[1] == '\0') {
        char plain[WORD];
        return kl_fail(err, KL_ERROR_USAGE, "'%s': expected NAME=VALUE or NAME=VALUE,VALUE",
                       ladder_plain(word, false, plain, sizeof plain));
    }
    *equals = '\0';
    int p = ladder_tune_parameter_find(space, word);
    if (p < 0) return no_such_parameter(space, word, err);
    uint32_t allowed = 0;
    char *rest = NULL;
    for (char *v = strtok_r(equals + 1, ",", &rest); v; v = strtok_r(NULL, ",", &rest)) {
        int index = value_index(&space->parameters[p], v);
        if (index < 0) return no_such_value(&space->parameters[p], v, err);
        allowed |= UINT32_C(1) << index;
    }
    filter->allowed[p] &= allowed;
    return KL_OK;
}

kl_status ladder_tune_filter_narrow(const ladder_tune_space *space, const char *only,
                                    ladder_tune_filter *filter, kl_error *err) {
    char *copy = strdup(only), *rest = NULL;
    if (!copy) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a restriction");
    kl_status status = KL_OK;
    for (char *word = strtok_r(copy, " \t", &rest); word && status == KL_OK;
         word = strtok_r(NULL, " \t", &rest))
        status = narrow_by_word(space, word, filter, err);
    free(copy);
    return status;
}

kl_status ladder_tune_filter_set(const ladder_tune_space *space, const char *name,
                                 ladder_tune_filter *filter, kl_error *err) {
    if (name && strcmp(name, "all") == 0) return KL_OK;
    char names[WORD] = "all";
    for (int s = 0; s < space->set_count; s++) {
        const ladder_tune_set *set = &space->sets[s];
        if (!name || strcmp(set->name, name) == 0)
            return ladder_tune_filter_narrow(space, set->only, filter, err);
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, ", %s", set->name);
    }
    if (!name) return KL_OK; // a table without sets
    char plain[WORD];
    return kl_fail(err, KL_ERROR_USAGE, "--set %s: there is no such set; there are %s",
                   ladder_plain(name, false, plain, sizeof plain), names);
}

// ---- enumeration -------------------------------------------------------------------------------

typedef struct walk {
    const ladder_tune_space *space;
    const ladder_tune_filter *filter;
    ladder_tune_configs *found;
    size_t capacity;
    ladder_tune_config now;
} walk;

static kl_status take(walk *w, kl_error *err) {
    ladder_tune_configs *found = w->found;
    if (found->count == LADDER_TUNE_CONFIGS) {
        return kl_fail(err, KL_ERROR_LIMIT, "more than %d configurations; narrow them with --only",
                       LADDER_TUNE_CONFIGS);
    }
    if (found->count == w->capacity) {
        size_t capacity = w->capacity > 0 ? 2 * w->capacity : 256;
        ladder_tune_config *items = realloc(found->items, capacity * sizeof *items);
        if (!items) return kl_fail(err, KL_ERROR_MEMORY, "no memory for configurations");
        found->items = items;
        w->capacity = capacity;
    }
    found->items[found->count++] = w->now;
    return KL_OK;
}

static kl_status visit(walk *w, int p, kl_error *err) {
    if (p == w->space->parameter_count)
        return !w->space->misfit(w->now.values) ? take(w, err) : KL_OK;
    const ladder_tune_parameter *parameter = &w->space->parameters[p];
    for (int v = 0; v < parameter->value_count; v++) {
        if ((w->filter->allowed[p] >> v & 1) == 0) continue;
        w->now.values[p] = parameter->values[v];
        TRY(visit(w, p + 1, err));
    }
    return KL_OK;
}

static kl_status count_combinations(const ladder_tune_space *space,
                                    const ladder_tune_filter *filter, size_t *out_count,
                                    kl_error *err) {
    size_t count = 1;
    for (int p = 0; p < space->parameter_count; p++) {
        count *= (size_t)__builtin_popcount(filter->allowed[p]);
        if (count > LADDER_TUNE_COMBINATIONS) {
            return kl_fail(err, KL_ERROR_LIMIT,
                           "more than %d combinations; narrow them with --set or --only",
                           LADDER_TUNE_COMBINATIONS);
        }
    }
    *out_count = count;
    return KL_OK;
}

kl_status ladder_tune_enumerate(const ladder_tune_space *space, const ladder_tune_filter *filter,
                                size_t limit, ladder_tune_configs *out_configs, kl_error *err) {
    memset(out_configs, 0, sizeof *out_configs);
    TRY(count_combinations(space, filter, &out_configs->combinations, err));
    walk w = {.space = space, .filter = filter, .found = out_configs};
    TRY(visit(&w, 0, err));
    out_configs->sensible = out_configs->count;
    if (out_configs->count == 0) {
        return kl_fail(err, KL_ERROR_USAGE,
                       "no configuration is left of %zu combinations; --list shows the rules' "
                       "parameters, --set all lifts the default restriction",
                       out_configs->combinations);
    }
    if (limit > 0 && limit < out_configs->count) {
        for (size_t i = 0; i < limit; i++)
            out_configs->items[i] = out_configs->items[i * out_configs->count / limit];
        out_configs->count = limit;
    }
    return KL_OK;
}

void ladder_tune_configs_free(ladder_tune_configs *configs) {
    free(configs->items);
    memset(configs, 0, sizeof *configs);
}

// ---- text --------------------------------------------------------------------------------------

bool ladder_tune_same(const ladder_tune_space *space, const ladder_tune_config *a,
                      const ladder_tune_config *b) {
    return memcmp(a->values, b->values, (size_t)space->parameter_count * sizeof a->values[0]) == 0;
}

char *ladder_tune_config_text(const ladder_tune_space *space, const ladder_tune_config *config,
                              uint32_t which, char *text, size_t text_bytes) {
    size_t used = 0;
    text[0] = '\0';
    for (int p = 0; p < space->parameter_count && used < text_bytes; p++) {
        if ((which >> p & 1) == 0) continue;
        int length = snprintf(text + used, text_bytes - used, "%s%s=%d", used > 0 ? " " : "",
                              space->parameters[p].name, config->values[p]);
        used += length > 0 ? (size_t)length : 0;
    }
    return text;
}

uint32_t ladder_tune_varying(const ladder_tune_space *space, const ladder_tune_config *items,
                             size_t count) {
    uint32_t varying = 0;
    for (size_t i = 1; i < count; i++) {
        for (int p = 0; p < space->parameter_count; p++)
            if (items[i].values[p] != items[0].values[p]) varying |= UINT32_C(1) << p;
    }
    return varying;
}
