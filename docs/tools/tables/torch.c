// Tables of a lab's steps beside PyTorch in Markdown (its document `torch` of each
// card, as the lab's vendor_torch.py wrote them): see tables.h.
#include "measured.h"
#include "stats.h"
#include "tables/tables.h"

static const json_t *last_step(const json_t *shape) {
    const json_t *steps = json_object_get(shape, "steps");
    return json_array_get(steps, json_array_size(steps) - 1);
}

// "32 x 1024"
static void put_shape(FILE *out, const json_t *shape) {
    size_t i;
    const json_t *side;
    json_array_foreach(json_object_get(shape, "shape"), i, side)
        fprintf(out, "%s%lld", i > 0 ? " x " : "", (long long)json_integer_value(side));
}

static void put_time(FILE *out, double us) {
    if (isnan(us)) fputs(" |", out);
    else fprintf(out, " %.*f |", us < 999.95 ? 1 : 0, us);
}

// Of a step's result, or NAN when it was left out.
static double time_of_step(const json_t *shape, long long number, const char *key) {
    size_t i;
    const json_t *step;
    json_array_foreach(json_object_get(shape, "steps"), i,
                       step) if ((long long)measured_number(step, "step") ==
                                 number) return measured_number(step, key);
    return NAN;
}

// Geometric mean over the shapes of one time over the last step's, or NAN.
static double mean_gain(const json_t *shapes, const char *key) {
    size_t i, count = json_array_size(shapes);
    const json_t *shape;
    double *gains = calloc(count + 1, sizeof *gains);
    if (!gains) return NAN;
    json_array_foreach(shapes, i, shape) gains[i] =
        measured_number(shape, key) / measured_number(last_step(shape), "us");
    double mean = kl_geometric_mean(gains, count);
    free(gains);
    return mean;
}

// All steps, one column each. of_step, of_torch: which time; gains: in the last column.
static void print_steps(FILE *out, const json_t *shapes, const char *of_step, const char *of_torch,
                        bool gains) {
    size_t i, k;
    const json_t *shape, *step;
    const json_t *steps = json_object_get(json_array_get(shapes, 0), "steps");
    fputs("| rows x columns |", out);
    json_array_foreach(steps, k, step)
        fprintf(out, " %lld |", (long long)measured_number(step, "step"));
    fprintf(out, " PyTorch |%s\n|---|", gains ? " gain |" : "");
    for (k = 0; k < json_array_size(steps) + (gains ? 2 : 1); k++) fputs("---:|", out);
    fputc('\n', out);
    json_array_foreach(shapes, i, shape) {
        fputs("| ", out);
        put_shape(out, shape);
        fputs(" |", out);
        json_array_foreach(steps, k, step)
            put_time(out, time_of_step(shape, (long long)measured_number(step, "step"), of_step));
        put_time(out, measured_number(shape, of_torch));
        if (gains)
            fprintf(out, " %.2f x |",
                    measured_number(shape, of_torch) / measured_number(last_step(shape), of_step));
        fputc('\n', out);
    }
}

// The last step beside PyTorch and a copy of the same matrix.
static void print_last(FILE *out, const json_t *shapes) {
    size_t i;
    const json_t *shape;
    fprintf(
        out,
        "| rows x columns | step %lld, us | GB/s | of a copy | PyTorch, us | gain | compiled, us | "
        "gain |\n|---|---:|---:|---:|---:|---:|---:|---:|\n",
        (long long)measured_number(last_step(json_array_get(shapes, 0)), "step"));
    json_array_foreach(shapes, i, shape) {
        double us = measured_number(last_step(shape), "us"),
               compiled = measured_number(shape, "compiled_us");
        fputs("| ", out);
        put_shape(out, shape);
        fputs(" |", out);
        put_time(out, us);
        fprintf(out, " %.0f | %.0f %% |", measured_number(shape, "bytes") / us / 1e3,
                100 * measured_number(shape, "copy_us") / us);
        put_time(out, measured_number(shape, "torch_us"));
        fprintf(out, " %.2f x |", measured_number(shape, "torch_us") / us);
        put_time(out, compiled);
        if (isnan(compiled)) fputs(" |\n", out);
        else fprintf(out, " %.2f x |\n", compiled / us);
    }
}

static void put_rate(FILE *out, double ops, double us) {
    if (isnan(us)) fputs(" |", out);
    else fprintf(out, " %.0f |", ops / us / 1e6);
}

// All steps' rates, one column each, beside cuDNN's kernel and PyTorch's own.
static void print_rates(FILE *out, const json_t *shapes) {
    size_t i, k;
    const json_t *shape, *step;
    const json_t *steps = json_object_get(json_array_get(shapes, 0), "steps");
    fputs("| shape |", out);
    json_array_foreach(steps, k, step)
        fprintf(out, " %lld |", (long long)measured_number(step, "step"));
    fputs(" cuDNN | PyTorch's own | last / cuDNN |\n|---|", out);
    for (k = 0; k < json_array_size(steps) + 3; k++) fputs("---:|", out);
    fputc('\n', out);
    json_array_foreach(shapes, i, shape) {
        double ops = measured_number(shape, "ops"), library = measured_number(shape, "torch_us");
        fputs("| ", out);
        put_shape(out, shape);
        fputs(" |", out);
        json_array_foreach(steps, k, step)
            put_rate(out, ops, time_of_step(shape, (long long)measured_number(step, "step"), "us"));
        put_rate(out, ops, library);
        put_rate(out, ops, measured_number(shape, "flash_us"));
        fprintf(out, " %.2f |\n", library / measured_number(last_step(shape), "us"));
    }
}

static void print_group(FILE *out, const char *name, const json_t *shapes) {
    if (json_array_size(shapes) == 0) return;
    if (!isnan(measured_number(json_array_get(shapes, 0), "ops"))) {
        fprintf(out, "\nShapes \"%s\", TFLOP/s by step:\n\n", name);
        print_rates(out, shapes);
        return;
    }
    if (isnan(measured_number(json_array_get(shapes, 0), "torch_total_us"))) {
        fprintf(out, "\nShapes \"%s\":\n\n", name);
        print_last(out, shapes);
    } else {
        fprintf(out, "\nShapes \"%s\", kernel times in microseconds, by step:\n\n", name);
        print_steps(out, shapes, "us", "torch_us", true);
        fputs("\nThe same with the copies from and to pageable host memory:\n\n", out);
        print_steps(out, shapes, "total_us", "torch_total_us", false);
    }
    fprintf(out, "\nGain over PyTorch, geometric mean: %.2f x", mean_gain(shapes, "torch_us"));
    double compiled = mean_gain(shapes, "compiled_us");
    if (!isnan(compiled)) fprintf(out, "; over `torch.compile`: %.2f x", compiled);
    fputs(".\n", out);
}

static void print_card(FILE *out, const json_t *run) {
    const char *name;
    json_t *shapes;
    fprintf(out, "\nMeasured on %s beside PyTorch %s in one run; medians, cold L2.\n",
            measured_text(run, "device"), measured_text(run, "torch"));
    json_object_foreach(json_object_get(run, "groups"), name, shapes)
        print_group(out, name, shapes);
}

bool tables_print_torch(FILE *out, const char *root, const char *lab) {
    return tables_each_card(out, root, lab, "torch", "ladder.torch/1", print_card);
}
