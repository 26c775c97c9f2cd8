// The main program of lab 14's application: trains on your last step, writes, and does the same
// again on step 0. See app.h.
#include "app.h"

#include "cuda_check.h"
#include "program.h"
#include "random.h"
#include "this_machine.h"

enum { PATH_BYTES = 4096, REPORTS = 5, HELD_OUT_BATCHES = 4, MOST_WRITTEN = 1 << 20 };

typedef struct lm_options {
    kl_device_request request;
    bool help, solution, quick, backward;
    bool steps[LM_LAST_STEP + 1]; // at most one
    const char *text;
    uint64_t seed;
    int64_t descents, written;
    double rate, temperature;
    lm_shape shape; // 0: the device's
} lm_options;

static kl_status parse(int argc, char **argv, lm_options *out, kl_error *err) {
    lm_options *o = out;
    *o = (lm_options){.seed = 1, .rate = 0.002, .temperature = 0.8, .text = LM_TEXT};
    const kl_option options[] = {
        {"device", KL_OPTION_DEVICE, &o->request, 0, 0, NULL},
        {"help", KL_OPTION_FLAG, &o->help, 0, 0, NULL},
        {"solution", KL_OPTION_FLAG, &o->solution, 0, 0, NULL},
        {"quick", KL_OPTION_FLAG, &o->quick, 0, 0, NULL},
        {"step", KL_OPTION_MARK, o->steps, 0, LM_LAST_STEP, NULL},
        {"backward", KL_OPTION_FLAG, &o->backward, 0, 0, NULL},
        {"text", KL_OPTION_TEXT, &o->text, 0, 0, NULL},
        {"seed", KL_OPTION_INT64, &o->seed, 0, INT64_MAX, NULL},
        {"size", KL_OPTION_INT64, &o->descents, 1, 1 << 20, NULL},
        {"write", KL_OPTION_INT64, &o->written, 1, MOST_WRITTEN, NULL},
        {"rate", KL_OPTION_REAL, &o->rate, 0, 1, NULL},
        {"temperature", KL_OPTION_REAL, &o->temperature, 0, 100, NULL},
        {"layers", KL_OPTION_INT64, &o->shape.layers, 1, LM_MOST_LAYERS, NULL},
        {"heads", KL_OPTION_INT64, &o->shape.heads, 1, 16, NULL},
        {"context", KL_OPTION_INT64, &o->shape.context, 2, 4096, NULL},
        {"batch", KL_OPTION_INT64, &o->shape.batch, 1, 256, NULL},
    };
    TRY(kl_program_options(argc, argv, options, (int)(sizeof options / sizeof options[0]), err));
    if (o->temperature > 0) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "--temperature takes a number above 0");
}

static void set(int64_t *value, int64_t if_none) {
    if (*value == 0) *value = if_none;
}

static void fill(lm_options *o, bool simulated) {
    set(&o->shape.layers, simulated ? 1 : 4);
    set(&o->shape.heads, simulated ? 1 : 4);
    set(&o->shape.context, simulated ? 32 : 256);
    set(&o->shape.batch, simulated ? 4 : 32);
    set(&o->descents, simulated ? (o->quick ? 10 : 60) : o->quick ? 100 : 500);
    set(&o->written, simulated ? (o->quick ? 20 : 80) : 600);
}

static void print_help(FILE *out) {
    fprintf(out,
            "usage: ladder run attention [STEP] --app [--solution] [--size N] [--seed N]\n"
            "           [--quick] [--device %s] [-- options]\n\n"
            "Trains a small transformer on the characters of a comedy and lets it write, with the\n"
            "attention of STEP (the last one that is written) and then with that of step 0. The\n"
            "other products are lab 13's last step that is written.\n\n"
            "  --size N         steps of descent; 500, or 60 on the simulator\n"
            "  --text FILE      another text; 'As You Like It' comes with the lab\n"
            "  --write N        characters to write; 600, or 80 on the simulator\n"
            "  --temperature T  below 1: likely characters become more likely; 0.8\n"
            "  --layers N       4, or 1 on the simulator\n"
            "  --heads N        of 64 channels; 4, or 1 on the simulator\n"
            "  --context N      characters that the model sees; 256, or 32 on the simulator\n"
            "  --batch N        texts of a step of descent; 32, or 4 on the simulator\n"
            "  --rate R         Adam's rate at its largest; it rises over the first tenth of\n"
            "                   the steps, and then falls; 0.002\n"
            "  --backward       check and time the backward pass, backward.cu, and train nothing\n"
            "  --seed N         other initial weights, another order of the text\n"
            "example: ./ladder run attention --app --solution -- --temperature 0.5\n",
            kl_device_words);
}

typedef struct lm_run {
    lm_options options;
    const kl_device *device;
    lm_text text;
    net_products products;
    lm_attention attention; // of the training that runs
    lm_backward backward;
    int32_t *symbols, *targets; // [batch * context]
    char *written;              // [options.written]
} lm_run;

// What a training shows.
typedef struct lm_result {
    double loss, held_out;
    double trained_per_second, written_per_second;
} lm_result;

static void next_batch(lm_run *run, bool held_out, int64_t index) {
    const lm_shape *s = &run->options.shape;
    const uint64_t seed = held_out ? kl_random_fork(1, (uint64_t)index)
                                   : kl_random_fork(run->options.seed, (uint64_t)index);
    lm_text_batch(&run->text, held_out, seed, s->batch, s->context, run->symbols, run->targets);
}

static kl_status held_out_loss(lm_run *run, lm_model *m, double *out, kl_error *err) {
    *out = 0;
    for (int b = 0; b < HELD_OUT_BATCHES; b++) {
        double loss = 0;
        next_batch(run, true, b);
        TRY(lm_model_loss(m, run->symbols, run->targets, &loss, err));
        *out += loss / HELD_OUT_BATCHES;
    }
    return KL_OK;
}

static double rate_at(const lm_options *o, int64_t step) {
    const double n = (double)o->descents, rising = fmax(1, n / 10), at = (double)step + 1;
    return at < rising ? o->rate * at / rising : o->rate * (n + 1 - at) / (n + 1 - rising);
}

// One step of descent; the loss before it.
static kl_status descend(lm_run *run, lm_model *m, int64_t step, double *out_loss, kl_error *err) {
    next_batch(run, false, step);
    TRY(lm_model_loss(m, run->symbols, run->targets, out_loss, err));
    TRY(lm_model_backward(m, err));
    return lm_model_descend(m, rate_at(&run->options, step), err);
}

static kl_status train(lm_run *run, lm_model *m, bool shown, lm_result *out, kl_error *err) {
    const lm_options *o = &run->options;
    const int64_t every = (o->descents + REPORTS - 1) / REPORTS;
    double seconds = 0, of_some = 0;
    int64_t some = 0;
    for (int64_t step = 0; step < o->descents; step++) {
        double loss = 0, begin = kl_now_s();
        TRY(descend(run, m, step, &loss, err));
        KL_CUDA(err, cudaDeviceSynchronize());
        seconds += kl_now_s() - begin;
        of_some += loss;
        some++;
        if ((step + 1) % every != 0 && step + 1 != o->descents) continue;
        TRY(held_out_loss(run, m, &out->held_out, err));
        out->loss = of_some / (double)some;
        if (shown) printf("%5lld  %8.4f  %8.4f\n", (long long)step + 1, out->loss, out->held_out);
        fflush(stdout);
        of_some = 0;
        some = 0;
    }
    out->trained_per_second = (double)(o->descents * o->shape.batch * o->shape.context) / seconds;
    return KL_OK;
}

static kl_status write_text(lm_run *run, lm_model *m, lm_result *out, kl_error *err) {
    const lm_options *o = &run->options;
    const double begin = kl_now_s();
    TRY(lm_write(m, &run->text, o->temperature, o->seed, o->written, run->written, err));
    out->written_per_second = (double)o->written / (kl_now_s() - begin);
    return KL_OK;
}

static lm_kernels kernels_of(lm_run *run) {
    return (lm_kernels){&run->attention, &run->backward, &run->products};
}

static kl_status train_and_write(lm_run *run, bool shown, lm_result *out, kl_error *err) {
    lm_model model;
    const lm_kernels kernels = kernels_of(run);
    kl_status status = lm_model_new(&run->options.shape, run->options.seed, &kernels, &model, err);
    if (status == KL_OK) status = train(run, &model, shown, out, err);
    if (status == KL_OK) status = write_text(run, &model, out, err);
    lm_model_free(&model);
    return status;
}

// ---- the program -------------------------------------------------------------------------------

static kl_status folder_of(const char *lab, const lm_options *o, char *out, size_t bytes,
                           kl_error *err) {
    char own[PATH_BYTES - 64];
    TRY(kl_device_program_folder(own, sizeof own, err));
    snprintf(out, bytes, "%s/../%s/%s", own, lab, o->solution ? "solution" : "skeleton");
    return KL_OK;
}

static kl_status open_attention(lm_run *run, int chosen, kl_error *err) {
    char folder[PATH_BYTES];
    TRY(folder_of("14_attention", &run->options, folder, sizeof folder, err));
    return lm_attention_open(folder, chosen, &run->attention, err);
}

static kl_status open_run(lm_run *run, kl_error *err) {
    const lm_options *o = &run->options;
    char folder[PATH_BYTES];
    TRY(lm_text_read(o->text, &run->text, err));
    run->options.shape.symbols = run->text.symbols;
    if (run->text.count / 10 <= o->shape.context + 1)
        return kl_fail(err, KL_ERROR_INPUT, "a tenth of the text is shorter than --context");
    const size_t rows = (size_t)(o->shape.batch * o->shape.context);
    run->symbols = malloc(sizeof(int32_t) * rows);
    run->targets = malloc(sizeof(int32_t) * rows);
    run->written = malloc((size_t)o->written);
    if (!run->symbols || !run->targets || !run->written)
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for a batch");
    TRY(folder_of("14_attention", o, folder, sizeof folder, err));
    lm_backward_open(folder, &run->backward);
    TRY(folder_of("13_tensor_gemm", o, folder, sizeof folder, err));
    return net_products_open(folder, -1, &run->products, err);
}

static void close_run(lm_run *run) {
    lm_attention_close(&run->attention);
    lm_backward_close(&run->backward);
    net_products_close(&run->products);
    lm_text_free(&run->text);
    free(run->symbols);
    free(run->targets);
    free(run->written);
}

static void print_head(const lm_run *run, double error) {
    const lm_options *o = &run->options;
    const lm_shape *s = &o->shape;
    const char *slash = strrchr(o->text, '/');
    printf("A text, character by character, 14_attention (%s)\n",
           o->solution ? "solution" : "yours");
    printf("device     %s\n", run->device->name);
    printf("text       %s: %lld characters, %d different; the last tenth is held out\n",
           slash ? slash + 1 : o->text, (long long)run->text.count, run->text.symbols);
    printf("model      layers %lld, heads %lld of %d, context %lld: %lld parameters\n",
           (long long)s->layers, (long long)s->heads, LM_HEAD, (long long)s->context,
           (long long)lm_layout_of(s).total);
    printf("descent    Adam, rate %g, %lld steps of %lld characters, seed %llu\n", o->rate,
           (long long)o->descents, (long long)(s->batch * s->context), (unsigned long long)o->seed);
    printf("attention  step %d; other products: lab 13's step %d\n", run->attention.number,
           run->products.number);
    printf("backward   %s\n", lm_backward_words(&run->backward));
    printf("gradients  right: within %.2g %% of differences of the loss\n\n", 100 * error);
    printf(" step      loss  held out\n-----  --------  --------\n");
}

static void print_text(const lm_run *run) {
    printf("\nwritten at temperature %g:\n\n%.*s\n\n", run->options.temperature,
           (int)run->options.written, run->written);
}

static void print_rates(const lm_run *run, const lm_result *results, const int *steps, int count) {
    printf("attention      loss  held out  characters per second%s\n",
           run->device->simulated ? ", simulated" : "");
    printf("                               trained on    written\n");
    printf("---------  --------  --------  ----------  ---------\n");
    for (int i = 0; i < count; i++)
        printf("step %-4d  %8.4f  %8.4f  %10.0f  %9.0f\n", steps[i], results[i].loss,
               results[i].held_out, results[i].trained_per_second, results[i].written_per_second);
}

static kl_status run_all(lm_run *run, kl_error *err) {
    lm_result results[2] = {{0}};
    int chosen = -1, steps[2] = {0, 0}, count = 1;
    double error = 0;
    for (int s = 0; s <= LM_LAST_STEP; s++) chosen = run->options.steps[s] ? s : chosen;
    TRY(open_run(run, err));
    TRY(open_attention(run, chosen, err));
    TRY(lm_backward_check(&run->backward, &error, err));
    const lm_kernels kernels = kernels_of(run);
    TRY(lm_check(&kernels, &error, err));
    steps[0] = run->attention.number;
    print_head(run, error);
    TRY(train_and_write(run, true, &results[0], err));
    print_text(run);
    if (steps[0] > 0) { // the same without it
        lm_attention_close(&run->attention);
        TRY(open_attention(run, 0, err));
        TRY(train_and_write(run, false, &results[count++], err));
    }
    print_rates(run, results, steps, count);
    return KL_OK;
}

// The problem beside the ladder alone.
static kl_status run_backward(lm_run *run, kl_error *err) {
    char folder[PATH_BYTES];
    double most = 0;
    TRY(folder_of("14_attention", &run->options, folder, sizeof folder, err));
    lm_backward_open(folder, &run->backward);
    printf("The backward pass of attention, 14_attention (%s)\n",
           run->options.solution ? "solution" : "yours");
    printf("device    %s\nbackward  %s\n", run->device->name, lm_backward_words(&run->backward));
    TRY(lm_backward_check(&run->backward, &most, err));
    printf("results   right: at most %.2f of the bound\n", most);
    if (run->device->simulated) return KL_OK;
    printf("\n");
    return lm_backward_times(&run->backward, run->device, err);
}

int main(int argc, char **argv) {
    kl_error err = {KL_OK, ""};
    kl_device device;
    lm_run run = {.products = {.number = -1}, .attention = {.number = -1}};
    if (parse(argc, argv, &run.options, &err) != KL_OK) {
        fprintf(stderr, "attention_app: %s\n", err.text);
        return 2;
    }
    if (run.options.help) {
        print_help(stdout);
        return 0;
    }
    setenv("LADDER_SIM_MODE", "functional", 0); // nobody looks at the counts of a training
    kl_status status = kl_device_select(&run.options.request, argv, &device, &err);
    if (status == KL_OK) {
        run.device = &device;
        fill(&run.options, device.simulated);
        status = run.options.backward ? run_backward(&run, &err) : run_all(&run, &err);
        close_run(&run);
    }
    if (status != KL_OK) fprintf(stderr, "attention_app: %s\n", err.text);
    return status == KL_OK ? 0 : 1;
}
