// Command line of lab 04's application: see app.h.
#include "app.h"
#include "program.h"

// A float keeps 24 bits: below this, rounding alone may keep the changes above the tolerance.
#define LEAST_TOLERANCE 2.5e-7

static kl_status add_alpha(const kl_option *option, const char *text, kl_error *err) {
    jacobi_options *o = option->target;
    double alpha;
    TRY(kl_option_real(option, text, &alpha, err));
    if (!(alpha > 1.0))
        return kl_fail(err, KL_ERROR_USAGE,
                       "--alpha must be above 1: with %g the bound 1 / alpha of the contraction is "
                       "%s, and the iteration need not converge",
                       alpha,
                       alpha == 1.0  ? "1"
                       : alpha > 0.0 ? "above 1"
                                     : "none");
    if (o->alpha_count == JACOBI_MOST_ALPHAS)
        return kl_fail(err, KL_ERROR_USAGE, "--alpha is given more than %d times",
                       JACOBI_MOST_ALPHAS);
    o->alphas[o->alpha_count++] = alpha;
    return KL_OK;
}

static kl_status take_tolerance(const kl_option *option, const char *text, kl_error *err) {
    jacobi_options *o = option->target;
    double tolerance;
    TRY(kl_option_real(option, text, &tolerance, err));
    if (!(tolerance >= LEAST_TOLERANCE && tolerance < 1.0))
        return kl_fail(err, KL_ERROR_USAGE,
                       "--tolerance is from %g to below 1, not %s: floats have 24 bits",
                       LEAST_TOLERANCE, text);
    o->goal.tolerance = (float)tolerance;
    return KL_OK;
}

static kl_status add_step(const kl_option *option, const char *text, kl_error *err) {
    jacobi_options *o = option->target;
    int64_t number;
    TRY(kl_option_integer(option, text, &number, err));
    if (o->step_count == JACOBI_MOST_STEPS)
        return kl_fail(err, KL_ERROR_USAGE, "at most %d steps", JACOBI_MOST_STEPS);
    o->steps[o->step_count++] = (int)number;
    return KL_OK;
}

static kl_status add_order(const kl_option *option, const char *text, kl_error *err) {
    jacobi_options *o = option->target;
    int64_t number;
    TRY(kl_option_integer(option, text, &number, err));
    if (o->order_count == JACOBI_MOST_ORDERS)
        return kl_fail(err, KL_ERROR_USAGE, "--size is given more than %d times",
                       JACOBI_MOST_ORDERS);
    o->orders[o->order_count++] = number;
    return KL_OK;
}

kl_status jacobi_options_parse(int argc, char **argv, jacobi_options *out, kl_error *err) {
    jacobi_options *o = out;
    *o = (jacobi_options){.seed = 1, .goal = {.tolerance = 1e-6f, .limit = JACOBI_LIMIT}};
    const kl_option options[] = {
        {"alpha", KL_OPTION_OTHER, o, 0, 0, add_alpha},
        {"device", KL_OPTION_DEVICE, &o->request, 0, 0, NULL},
        {"tolerance", KL_OPTION_OTHER, o, 0, 0, take_tolerance},
        {"pageable", KL_OPTION_FLAG, &o->pageable, 0, 0, NULL},
        {"help", KL_OPTION_FLAG, &o->help, 0, 0, NULL},
        {"matrix", KL_OPTION_TEXT, &o->matrix_file, 0, 0, NULL},
        {"limit", KL_OPTION_INT, &o->goal.limit, 1, JACOBI_MOST_ITERATIONS, NULL},
        {"json", KL_OPTION_TEXT, &o->json_file, 0, 0, NULL},
        {"plots", KL_OPTION_TEXT, &o->plot_folder, 0, 0, NULL},
        {"step", KL_OPTION_OTHER, o, 1, JACOBI_LAST_STEP, add_step},
        {"quick", KL_OPTION_FLAG, &o->quick, 0, 0, NULL},
        {"repeat", KL_OPTION_INT, &o->repeat, 1, 1000, NULL},
        {"solution", KL_OPTION_FLAG, &o->solution, 0, 0, NULL},
        {"threads", KL_OPTION_INT, &o->threads, 1, 256, NULL},
        {"seed", KL_OPTION_INT64, &o->seed, 0, INT64_MAX, NULL},
        {"size", KL_OPTION_OTHER, o, 1, JACOBI_MOST_ORDER, add_order},
    };
    TRY(kl_program_options(argc, argv, options, (int)(sizeof options / sizeof options[0]), err));
    if (out->matrix_file && (out->order_count > 0 || out->alpha_count > 0))
        return kl_fail(err, KL_ERROR_USAGE,
                       "the matrix of --matrix has its own order and diagonal: "
                       "leave out --size and --alpha");
    if (out->step_count == 0) out->steps[out->step_count++] = JACOBI_LAST_STEP;
    return KL_OK;
}

void jacobi_options_help(FILE *out) {
    fprintf(out,
            "usage: ladder run gemv_row [STEP..] --app [--solution] [--size N] [--repeat N]\n"
            "           [--seed N] [--quick] [--device %s] [--plots DIR]\n"
            "           [--json FILE] [-- options]\n\n"
            "Solves A x = b with Jacobi's iteration, whose products are those of the lab's step 7\n"
            "(or of up to %d steps), of the host, and of cuBLAS where there is one. A has random\n"
            "elements off the diagonal in [0, 1); its diagonal is alpha times the row's sum.\n\n"
            "  --size N         order of A, 1 to %d, up to %d times; 8192, or 128 on the\n"
            "                   simulator\n"
            "  --alpha A        above 1, up to %d times; 1.4, 1.2 and 1.1 as in the paper, and\n"
            "                   on a GPU 1.05, 1.02 and 1.01\n"
            "  --matrix FILE    a matrix of your own, in the Matrix Market format; b is random\n"
            "  --tolerance T    the iteration ends when no element of x changes by more than T\n"
            "                   times the greatest one; 1e-6\n"
            "  --limit N        iterations at most; %d\n"
            "  --threads N      of the host's solution; as many as there are processors\n"
            "  --repeat N       runs per solution, of which the median is shown; 3\n"
            "  --pageable       the matrix in ordinary host memory, not page-locked\n"
            "  --seed N         other equations\n"
            "  --plots DIR      the paper's figure 4 for each order, as SVG\n"
            "  --json FILE      results as JSON (- is standard output)\n"
            "  --quick          the smallest and the largest alpha of the list only\n"
            "example: ./ladder run gemv_row --app --solution -- --alpha 1.2 --tolerance 1e-5\n",
            kl_device_words, JACOBI_MOST_STEPS, JACOBI_MOST_ORDER, JACOBI_MOST_ORDERS,
            JACOBI_MOST_ALPHAS, JACOBI_LIMIT);
}
