// SPDX-License-Identifier: MIT
// Command line of lab 04's application: see app.h.
#include "app.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A float keeps 24 bits: below this, rounding alone may keep the changes above the tolerance.
#define LEAST_TOLERANCE 2.5e-7

static kl_status read_integer(const char *name, const char *text, long long least, long long most,
                              long long *out, kl_error *err) {
    char *end = NULL;
    errno = 0;
    *out = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || *out < least || *out > most)
        return kl_fail(err, KL_ERROR_USAGE, "--%s takes a whole number from %lld to %lld, not '%s'",
                       name, least, most, text);
    return KL_OK;
}

static kl_status read_real(const char *name, const char *text, double *out, kl_error *err) {
    char *end = NULL;
    *out = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(*out))
        return kl_fail(err, KL_ERROR_USAGE, "--%s takes a number, not '%s'", name, text);
    return KL_OK;
}

static kl_status add_alpha(jacobi_options *o, const char *text, kl_error *err) {
    double alpha;
    TRY(read_real("alpha", text, &alpha, err));
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

static kl_status read_tolerance(jacobi_options *o, const char *text, kl_error *err) {
    double tolerance;
    TRY(read_real("tolerance", text, &tolerance, err));
    if (!(tolerance >= LEAST_TOLERANCE && tolerance < 1.0))
        return kl_fail(err, KL_ERROR_USAGE,
                       "--tolerance is from %g to below 1, not %s: floats have 24 bits",
                       LEAST_TOLERANCE, text);
    o->goal.tolerance = (float)tolerance;
    return KL_OK;
}

static kl_status add_step(jacobi_options *o, const char *text, kl_error *err) {
    long long number;
    TRY(read_integer("step", text, 1, JACOBI_LAST_STEP, &number, err));
    if (o->step_count == JACOBI_MOST_STEPS)
        return kl_fail(err, KL_ERROR_USAGE, "at most %d steps", JACOBI_MOST_STEPS);
    o->steps[o->step_count++] = (int)number;
    return KL_OK;
}

static kl_status take(int code, const char *text, jacobi_options *o, kl_error *err) {
    long long number = 0;
    switch (code) {
    case 'a': return add_alpha(o, text, err);
    case 'd': return kl_device_parse(text, &o->wish, err);
    case 'e': return read_tolerance(o, text, err);
    case 'g': o->pageable = true; return KL_OK;
    case 'h': o->help = true; return KL_OK;
    case 'l':
        TRY(read_integer("limit", text, 1, JACOBI_MOST_ITERATIONS, &number, err));
        o->goal.limit = (int)number;
        return KL_OK;
    case 'm': o->matrix_file = text; return KL_OK;
    case 'n': return add_step(o, text, err);
    case 'q': o->quick = true; return KL_OK;
    case 'r':
        TRY(read_integer("repeat", text, 1, 1000, &number, err));
        o->repeat = (int)number;
        return KL_OK;
    case 's': o->solution = true; return KL_OK;
    case 't':
        TRY(read_integer("threads", text, 1, 256, &number, err));
        o->threads = (int)number;
        return KL_OK;
    case 'x':
        TRY(read_integer("seed", text, 0, INT64_MAX, &number, err));
        o->seed = (uint64_t)number;
        return KL_OK;
    case 'j': o->json_file = text; return KL_OK;
    case 'p': o->plot_folder = text; return KL_OK;
    case 'z':
        TRY(read_integer("size", text, 1, JACOBI_MOST_ORDER, &number, err));
        if (o->order_count == JACOBI_MOST_ORDERS)
            return kl_fail(err, KL_ERROR_USAGE, "--size is given more than %d times",
                           JACOBI_MOST_ORDERS);
        o->orders[o->order_count++] = number;
        return KL_OK;
    default: return kl_fail(err, KL_ERROR_USAGE, "--help lists the options");
    }
}

kl_status jacobi_options_parse(int argc, char **argv, jacobi_options *out, kl_error *err) {
    static const struct option options[] = {{"alpha", required_argument, NULL, 'a'},
                                            {"device", required_argument, NULL, 'd'},
                                            {"tolerance", required_argument, NULL, 'e'},
                                            {"pageable", no_argument, NULL, 'g'},
                                            {"help", no_argument, NULL, 'h'},
                                            {"matrix", required_argument, NULL, 'm'},
                                            {"limit", required_argument, NULL, 'l'},
                                            {"json", required_argument, NULL, 'j'},
                                            {"plots", required_argument, NULL, 'p'},
                                            {"step", required_argument, NULL, 'n'},
                                            {"quick", no_argument, NULL, 'q'},
                                            {"repeat", required_argument, NULL, 'r'},
                                            {"solution", no_argument, NULL, 's'},
                                            {"threads", required_argument, NULL, 't'},
                                            {"seed", required_argument, NULL, 'x'},
                                            {"size", required_argument, NULL, 'z'},
                                            {NULL, 0, NULL, 0}};
    *out = (jacobi_options){.seed = 1, .goal = {.tolerance = 1e-6f, .limit = JACOBI_LIMIT}};
    for (int code; (code = getopt_long(argc, argv, "", options, NULL)) != -1;)
        TRY(take(code, optarg, out, err));
    if (optind < argc)
        return kl_fail(err, KL_ERROR_USAGE, "'%s' is no option; --help lists them", argv[optind]);
    if (out->matrix_file != NULL && (out->order_count > 0 || out->alpha_count > 0))
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
