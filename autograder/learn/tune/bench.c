// The bench process: see internal.h.
#include "learn/tune/internal.h"
#include "utilities/options.h"
#include <sys/socket.h>

enum { FIELDS = 10, CHILD_FD = 3, BENCH_OUTPUT = 1 << 20 };

// Why no line came.
typedef enum silence { LINE_CAME, PROGRAM_ENDED, TOO_LONG } silence;

static kl_status start_program(const ladder_tune_case *c, ladder_tune_bench *bench, kl_error *err) {
    char program[LADDER_PATH];
    ladder_program_args args;
    int ends[2];
    TRY(ladder_kit_lab_program(c->kit, c->lab, program, err));
    ladder_args_begin(&args, program);
    ladder_args_number(&args, "--trials", CHILD_FD);
    ladder_args_text(&args, "--device", ladder_device_for_program(c->device));
    ladder_args_text(&args, "--case", c->family);
    ladder_args_number(&args, "--size", c->size);
    ladder_args_text(&args, "--repeat", c->repeat);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return kl_fail(err, KL_ERROR_SYSTEM, "socketpair: %s", strerror(errno));
    ladder_process_spec spec = {.argv = (const char *const *)args.argv,
                                .environment = (const char *const *)environ,
                                .descriptors = &ends[1],
                                .descriptor_count = 1,
                                .limits = {.output_bytes = BENCH_OUTPUT}};
    kl_status status = ladder_process_start(&spec, &bench->process, err);
    close(ends[1]);
    bench->socket = ends[0];
    bench->running = true; // what stop undoes, also after a failed start
    return status;
}

// The next line without its end; the text stays valid until the next call.
static silence read_line(ladder_tune_bench *bench, double until_s, char *line) {
    ladder_process *one[] = {&bench->process};
    for (;;) {
        char *end = memchr(bench->text, '\n', bench->text_bytes);
        if (end) {
            size_t length = (size_t)(end - bench->text);
            memcpy(line, bench->text, length);
            line[length] = '\0';
            bench->text_bytes -= length + 1;
            memmove(bench->text, end + 1, bench->text_bytes);
            return LINE_CAME;
        }
        bool readable = ladder_process_wait_readable(one, 1, bench->socket, until_s);
        if (!readable && bench->process.end == LADDER_END_RUNNING) return TOO_LONG;
        ssize_t got = readable ? recv(bench->socket, bench->text + bench->text_bytes,
                                      sizeof bench->text - bench->text_bytes, MSG_DONTWAIT)
                               : 0;
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got <= 0) return PROGRAM_ENDED; // or a line that is too long
        bench->text_bytes += (size_t)got;
    }
}

static int split(char *line, char **fields) {
    int count = 0;
    for (char *at = line; at && count < FIELDS;) {
        fields[count++] = at;
        at = strchr(at, '\t');
        if (at) *at++ = '\0';
    }
    return count;
}

// What the program said last, for a message.
static const char *last_words(ladder_tune_bench *bench, char *text, size_t bytes) {
    ladder_process *one[] = {&bench->process};
    ladder_process_wait_readable(one, 1, -1, kl_now_s() + 2.0); // it may be about to end
    const char *output = bench->process.output;
    size_t length = strlen(output);
    while (length > 0 && output[length - 1] == '\n') length--;
    size_t first = length;
    while (first > 0 && output[first - 1] != '\n') first--;
    char line[LADDER_TUNE_WHY];
    snprintf(line, sizeof line, "%.*s", (int)(length - first), output + first);
    return ladder_plain(line, false, text, bytes);
}

static kl_status fail_start(ladder_tune_bench *bench, const ladder_tune_case *c, kl_error *err) {
    char said[LADDER_TUNE_WHY];
    last_words(bench, said, sizeof said);
    return kl_fail(err, KL_ERROR_SYSTEM,
                   "the program of lab %s did not get ready for size %lld: %s", c->lab->folder,
                   (long long)c->size, said[0] != '\0' ? said : "no message");
}

// CUDA's version number, 13000, as "13.0".
static void version_text(const char *number, char *out, size_t bytes) {
    int version = atoi(number);
    snprintf(out, bytes, "%d.%d", version / 1000, version % 1000 / 10);
}

kl_status ladder_tune_bench_start(const ladder_tune_case *c, ladder_tune_bench *out_bench,
                                  ladder_tune_origin *origin, kl_error *err) {
    char line[LADDER_TUNE_LINE], *fields[FIELDS];
    memset(out_bench, 0, sizeof *out_bench);
    TRY(start_program(c, out_bench, err));
    if (read_line(out_bench, kl_now_s() + c->limit_s, line) != LINE_CAME ||
        split(line, fields) != 7 || strcmp(fields[0], "device") != 0)
        return fail_start(out_bench, c, err);
    char device[sizeof origin->device];
    snprintf(device, sizeof device, "%.100s, %.6s SMs, compute capability %.6s", fields[2],
             fields[3], fields[4]);
    ladder_plain(device, false, origin->device, sizeof origin->device);
    origin->simulated = strcmp(fields[1], "sim") == 0;
    version_text(fields[5], origin->driver, sizeof origin->driver);
    version_text(fields[6], origin->runtime, sizeof origin->runtime);
    return KL_OK;
}

kl_status ladder_tune_bench_ready(ladder_tune_bench *bench, const ladder_tune_case *c,
                                  kl_error *err) {
    char line[LADDER_TUNE_LINE];
    if (read_line(bench, kl_now_s() + c->limit_s, line) == LINE_CAME && strcmp(line, "ready") == 0)
        return KL_OK;
    return fail_start(bench, c, err);
}

// ---- trials ------------------------------------------------------------------------------------

static bool is_word_of(const char *words, const char *word) {
    size_t length = strlen(word);
    for (const char *at = strstr(words, word); at; at = strstr(at + 1, word)) {
        bool begins = at == words || at[-1] == ' ';
        if (begins && (at[length] == ' ' || at[length] == '\0')) return true;
    }
    return false;
}

static void add_count(ladder_tune_record *record, const char *name, double value) {
    static const char *const counters[] = {
#define COUNTERS(column, names) names,
        LADDER_TUNE_COUNT_LIST(COUNTERS)};
    for (int i = 0; i < LADDER_TUNE_COUNTS; i++) {
        if (!is_word_of(counters[i], name)) continue;
        record->counts[i] = isnan(record->counts[i]) ? value : record->counts[i] + value;
    }
}

// "trial", state, low, median, high, samples, max_error, text.
static void take_result(char **fields, ladder_tune_record *record) {
    bool correct = strcmp(fields[1], ladder_outcome_word(LADDER_CORRECT)) == 0;
    bool wrong = strcmp(fields[1], ladder_outcome_word(LADDER_WRONG_ANSWER)) == 0;
    record->state = correct ? LADDER_TUNE_RIGHT : wrong ? LADDER_TUNE_WRONG : LADDER_TUNE_FAILED;
    record->us_low = strtod(fields[2], NULL);
    record->us = strtod(fields[3], NULL);
    record->us_high = strtod(fields[4], NULL);
    record->samples = atoi(fields[5]);
    record->max_error = strtod(fields[6], NULL);
    ladder_plain(fields[7], false, record->why, sizeof record->why);
    if (record->state == LADDER_TUNE_RIGHT && !(record->us > 0)) { // no time is no measurement
        record->state = LADDER_TUNE_FAILED;
        snprintf(record->why, sizeof record->why, "no time was measured");
    }
}

// The program has ended, or must be ended.
static void take_end(ladder_tune_bench *bench, const ladder_tune_case *c, silence why,
                     ladder_tune_record *record) {
    record->state = why == TOO_LONG ? LADDER_TUNE_TIMED_OUT : LADDER_TUNE_CRASHED;
    if (why == TOO_LONG) {
        snprintf(record->why, sizeof record->why, "no result within %g s", c->limit_s);
    } else {
        char how[128], said[96];
        last_words(bench, said, sizeof said);
        ladder_process_describe(&bench->process, how, sizeof how);
        snprintf(record->why, sizeof record->why, "the program %s%s%s", how,
                 said[0] != '\0' ? ": " : "", said);
    }
    ladder_tune_bench_stop(bench);
}

kl_status ladder_tune_bench_try(ladder_tune_bench *bench, const ladder_tune_case *c,
                                const char *symbol, const char *object, ladder_tune_record *record,
                                kl_error *err) {
    char line[2 * LADDER_PATH], *fields[FIELDS];
    int length = snprintf(line, sizeof line, "%s\t%s\n", symbol, object);
    if (length < 0 || (size_t)length >= sizeof line)
        return kl_fail(err, KL_ERROR_LIMIT, "the path of an object is too long");
    // A program that has gone is noticed when the answer is read.
    bool sent = send(bench->socket, line, (size_t)length, MSG_NOSIGNAL) == length;
    double until_s = kl_now_s() + c->limit_s;
    for (;;) {
        silence why = sent ? read_line(bench, until_s, line) : PROGRAM_ENDED;
        if (why != LINE_CAME) {
            take_end(bench, c, why, record);
            return KL_OK;
        }
        int count = split(line, fields);
        if (count == 3 && strcmp(fields[0], "count") == 0) {
            add_count(record, fields[1], strtod(fields[2], NULL));
        } else if (count == 8 && strcmp(fields[0], "trial") == 0) {
            take_result(fields, record);
            // The device may be of no more use, or unloading the object may have ended the program.
            bool goes_on =
                read_line(bench, until_s, line) == LINE_CAME && strcmp(line, "next") == 0;
            if (!goes_on) ladder_tune_bench_stop(bench);
            return KL_OK;
        } else {
            return kl_fail(err, KL_ERROR_SYSTEM, "the program of lab %s answers in another way",
                           c->lab->folder);
        }
    }
}

void ladder_tune_bench_stop(ladder_tune_bench *bench) {
    if (!bench->running) return;
    close(bench->socket);
    ladder_process_finish(&bench->process);
    ladder_process_free(&bench->process);
    bench->running = false;
}
