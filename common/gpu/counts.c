// Counts of the simulator: see counts.h. Asked for through what its runtime library adds to CUDA's
// functions, found at run time: programs link with the runtime of the toolkit.
#include "device.h"
#include "table.h"
#include <dlfcn.h>

// sim_runtime_counter of common/simulator/runtime/api/api.h.
typedef int sim_counter_function(unsigned index, const char **out_name, double *out_total);

typedef enum count_form { KL_COUNT_AMOUNT, KL_COUNT_PERCENT, KL_COUNT_RATIO } count_form;

typedef struct count_column {
    const char *title;
    double scale;
    count_form form;
    const char *over, *under;
} count_column;

static const count_column columns[] = {
#define KL_COUNT_COLUMN(title, scale, form, over, under) {title, scale, form, over, under},
#include "counts.def"
#undef KL_COUNT_COLUMN
};

static sim_counter_function *sim_counter_find(void) {
    // POSIX lets a data pointer from dlsym be used as a function; ISO C wants the detour.
    void *symbol = dlsym(RTLD_DEFAULT, "sim_runtime_counter");
    sim_counter_function *function = NULL;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

void kl_counts_read(kl_counts *out_counts, const kl_counts *since) {
    sim_counter_function *counter = sim_counter_find();
    const char *name = NULL;
    out_counts->count = 0;
    while (counter && out_counts->count < KL_COUNTS_MAX &&
           counter((unsigned)out_counts->count, &name, &out_counts->values[out_counts->count]) == 0)
        out_counts->count++;
    for (int i = 0; since && i < out_counts->count && i < since->count; i++)
        out_counts->values[i] -= since->values[i];
}

const char *kl_counts_name(int index) {
    sim_counter_function *counter = sim_counter_find();
    const char *name = NULL;
    bool known = counter && index >= 0 && counter((unsigned)index, &name, NULL) == 0;
    return known ? name : NULL;
}

int kl_count_columns(void) { return (int)(sizeof columns / sizeof *columns); }

const char *kl_count_column_title(int column) { return columns[column].title; }

double kl_counts_sum(const kl_counts *counts, const char *names) {
    double sum = 0;
    while (*names != '\0') {
        size_t length = strcspn(names, " ");
        double value = NAN;
        for (int i = 0; i < counts->count; i++) {
            const char *name = kl_counts_name(i);
            if (name && strlen(name) == length && memcmp(name, names, length) == 0)
                value = counts->values[i];
        }
        sum += value;
        names += length;
        names += strspn(names, " ");
    }
    return sum;
}

const char *kl_count_column_text(const kl_counts *counts, int column, char *text,
                                 size_t text_bytes) {
    const count_column *c = &columns[column];
    double value = c->scale * kl_counts_sum(counts, c->over);
    if (c->under[0] != '\0') value /= kl_counts_sum(counts, c->under);
    if (!isfinite(value)) {
        snprintf(text, text_bytes, "-");
        return text;
    }
    switch (c->form) {
    case KL_COUNT_AMOUNT: return kl_format_count(value, text, text_bytes);
    case KL_COUNT_PERCENT: snprintf(text, text_bytes, "%.0f%%", value); break;
    case KL_COUNT_RATIO: snprintf(text, text_bytes, "%.2f", value); break;
    }
    return text;
}
