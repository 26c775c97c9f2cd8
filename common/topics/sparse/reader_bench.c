// SPDX-License-Identifier: MIT
// mtx-bench: how fast matrix files are read, beside plain reading of the same file, and with how
// much memory. Every measurement runs in a process of its own, so that its peak memory is its own.
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "monotonic_clock.h"
#include "mtx_progress.h"
#include "mtx_reader.h"
#include "random.h"
#include "sparse_lookalike.h"

#ifdef KL_HAVE_ZLIB
#include <zlib.h>
#endif

enum { PATH_BYTES = 4096, READ_BYTES = 1 << 20, ROUNDS_MAX = 99, THREADS_MAX = 16 };

typedef struct bench {
    const char *file;   // NULL: make one
    const char *folder; // where it is made
    const char *json;   // NULL: none
    int64_t entries;
    int rounds;
    bool plain_only; // no compressed file
    char made[PATH_BYTES];
    kl_bar bar;
} bench;

typedef struct outcome {
    double wall_s, cpu_s;
    int64_t entries;   // 0: not a matrix reader
    double text_bytes; // that decompressing gave; 0: nothing was decompressed
    double peak_bytes; // of the process
    bool failed;
    char text[KL_ERROR_TEXT];
} outcome;

// What is measured; `threads` matters to the reader alone.
typedef kl_status measured(const bench *b, const char *path, int threads, outcome *out,
                           kl_error *err);

static double processor_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- what is measured ------------------------------------------------------------------------

static kl_status read_plainly(const bench *b, const char *path, int threads, outcome *out,
                              kl_error *err) {
    (void)b, (void)threads, (void)out;
    static char buffer[READ_BYTES];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : 1;
    while (got > 0) got = read(fd, buffer, sizeof buffer);
    if (fd >= 0) close(fd);
    return got < 0 ? kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", path, strerror(errno)) : KL_OK;
}

#ifdef KL_HAVE_ZLIB
static kl_status inflate_plainly(const bench *b, const char *path, int threads, outcome *out,
                                 kl_error *err) {
    (void)b, (void)threads;
    static char buffer[READ_BYTES];
    gzFile in = gzopen(path, "rb");
    int got = in == NULL ? -1 : 1;
    while (got > 0) {
        got = gzread(in, buffer, sizeof buffer);
        out->text_bytes += got > 0 ? got : 0;
    }
    if (in != NULL) gzclose_r(in);
    return got < 0 ? kl_fail(err, KL_ERROR_INPUT, "%s: cannot be decompressed", path) : KL_OK;
}
#endif

// Counts the lines of the mapped file.
static kl_status scan_mapped(const bench *b, const char *path, int threads, outcome *out,
                             kl_error *err) {
    (void)b, (void)threads, (void)out;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about = {0};
    void *map = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &about) == 0)
        map = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0) close(fd);
    if (map == MAP_FAILED) return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", path, strerror(errno));
    volatile int64_t lines = 0; // the count is the work
    for (const char *p = map, *end = p + about.st_size; p != NULL && p < end;) {
        p = memchr(p, '\n', (size_t)(end - p));
        if (p != NULL) p++, lines++;
    }
    munmap(map, (size_t)about.st_size);
    return KL_OK;
}

static kl_status read_matrix(const bench *b, const char *path, int threads, outcome *out,
                             kl_error *err) {
    kl_bar bar = b->bar;
    kl_mtx_how how = {.threads = threads,
                      .block_bytes = KL_MTX_BLOCK_BYTES,
                      .progress = kl_mtx_bar_show,
                      .context = &bar};
    kl_coo coo;
    TRY(kl_mtx_read_how(path, &how, &coo, NULL, err));
    kl_bar_end(&bar);
    out->entries = coo.nnz;
    kl_coo_free(&coo);
    return KL_OK;
}

// One measurement in a child.
static kl_status measure(const bench *b, measured *what, const char *path, int threads,
                         outcome *out, kl_error *err) {
    int ends[2];
    memset(out, 0, sizeof *out);
    if (pipe(ends) != 0) return kl_fail(err, KL_ERROR_SYSTEM, "pipe: %s", strerror(errno));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        kl_error failure = {KL_OK, ""};
        double wall = kl_now_s(), cpu = processor_s();
        out->failed = what(b, path, threads, out, &failure) != KL_OK;
        out->wall_s = kl_now_s() - wall;
        out->cpu_s = processor_s() - cpu;
        memcpy(out->text, failure.text, sizeof out->text);
        ssize_t sent = write(ends[1], out, sizeof *out);
        _exit(sent == (ssize_t)sizeof *out ? 0 : 1);
    }
    close(ends[1]);
    ssize_t got = child < 0 ? -1 : read(ends[0], out, sizeof *out);
    close(ends[0]);
    struct rusage usage;
    int status = 0;
    if (child > 0) wait4(child, &status, 0, &usage);
    if (got != (ssize_t)sizeof *out)
        return kl_fail(err, KL_ERROR_SYSTEM, "a measurement ended without a result");
    if (out->failed) return kl_fail(err, KL_ERROR_INPUT, "%s", out->text);
    out->peak_bytes = 1024.0 * (double)usage.ru_maxrss; // Linux: in KiB
    return KL_OK;
}

// ---- the file --------------------------------------------------------------------------------

// Rows like the Wind Tunnel's, as many as asked for; 17 digits a value, as simulations write them.
static kl_status make_file(const bench *b, const char *path, int threads, outcome *outcome_of,
                           kl_error *err) {
    (void)threads, (void)outcome_of;
    kl_lookalike like = kl_classic(kl_classic_find("Wind Tunnel"));
    double factor = (double)b->entries / (double)like.nnz;
    like.rows = (int64_t)((double)like.rows * factor) + 1;
    like.cols = like.rows > like.row_max ? like.rows : like.row_max;
    like.nnz = b->entries;
    like.locality.runs = (int64_t)((double)like.locality.runs * factor) + 1;
    like.locality.span_mean *= factor;
    like.locality.span_stddev *= factor;
    like.locality.span_max = (int64_t)(0.86 * (double)like.cols);
    kl_csr csr;
    TRY(kl_make_lookalike(&like, 1, &csr, err));
    kl_bar bar = b->bar;
    FILE *out = fopen(path, "w");
    if (out != NULL) {
        fprintf(out, "%%%%MatrixMarket matrix coordinate real general\n%lld %lld %lld\n",
                (long long)csr.rows, (long long)csr.cols, (long long)csr.nnz);
        for (int64_t i = 0; i < csr.rows && !ferror(out); i++) {
            for (int32_t k = csr.ptr[i]; k < csr.ptr[i + 1]; k++) {
                // 2^53 steps over (-1, 1): all digits of a double
                double value = (double)(int64_t)(kl_random_u64(3, (uint64_t)k) >> 10) * 0x1p-53 - 1;
                fprintf(out, "%lld %d %.16e\n", (long long)i + 1, csr.col[k] + 1, value);
            }
            if (i % 4096 == 0) kl_mtx_bar_show(&bar, (uint64_t)i, (uint64_t)csr.rows);
        }
    }
    kl_bar_end(&bar);
    kl_csr_free(&csr);
    if (out == NULL || ferror(out) || fclose(out) != 0)
        return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", path, strerror(errno));
    return KL_OK;
}

#ifdef KL_HAVE_ZLIB
static kl_status compress_file(const char *from, const char *to, kl_error *err) {
    static char buffer[READ_BYTES];
    FILE *in = fopen(from, "r");
    gzFile out = gzopen(to, "wb1");
    bool well = in != NULL && out != NULL;
    for (size_t got; well && (got = fread(buffer, 1, sizeof buffer, in)) > 0;)
        well = gzwrite(out, buffer, (unsigned)got) == (int)got;
    if (in != NULL) fclose(in);
    if (out != NULL) well = gzclose(out) == Z_OK && well;
    return well ? KL_OK : kl_fail(err, KL_ERROR_SYSTEM, "%s: cannot be written", to);
}
#endif

// ---- report ----------------------------------------------------------------------------------

typedef struct line {
    const char *what;
    measured *run;
    int threads;
    double rate, cpu_rate; // MB/s: the best of the rounds
    int64_t entries;
    double peak_bytes;
} line;

// *bytes: of the file; of its text when that is found out by decompressing it.
static kl_status fill_line(const bench *b, const char *path, double *bytes, line *l,
                           kl_error *err) {
    for (int round = 0; round < b->rounds; round++) {
        outcome out;
        TRY(measure(b, l->run, path, l->threads, &out, err));
        if (out.text_bytes > 0) *bytes = out.text_bytes;
        double rate = 1e-6 * *bytes / out.wall_s, cpu_rate = 1e-6 * *bytes / out.cpu_s;
        l->rate = rate > l->rate ? rate : l->rate;
        l->cpu_rate = cpu_rate > l->cpu_rate ? cpu_rate : l->cpu_rate;
        l->entries = out.entries;
        l->peak_bytes = out.peak_bytes;
    }
    return KL_OK;
}

static void print_line(const line *l, double plain_rate, FILE *out) {
    fprintf(out, "  %-28s %8.0f %10.2f %10.0f", l->what, l->rate, l->rate / plain_rate,
            l->cpu_rate);
    if (l->entries > 0)
        fprintf(out, " %9.0f %14.1f", 1e-6 * l->peak_bytes, l->peak_bytes / (double)l->entries);
    fputc('\n', out);
}

static kl_status write_json(const bench *b, const char *path, double bytes, const line *lines,
                            int count, kl_error *err) {
    FILE *out = fopen(b->json, "w");
    if (out == NULL) return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", b->json, strerror(errno));
    const char *slash = strrchr(path, '/');
    fprintf(out, "{\"schema\":\"ladder.reader/1\",\"file\":\"");
    for (const char *c = slash != NULL ? slash + 1 : path; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') fputc('\\', out);
        fputc((unsigned char)*c < 32 ? '?' : *c, out);
    }
    fprintf(out, "\",\"bytes\":%.0f,\"rounds\":%d,\"measured\":[", bytes, b->rounds);
    for (int i = 0; i < count; i++) {
        const line *l = &lines[i];
        fprintf(out,
                "%s\n {\"what\":\"%s\",\"threads\":%d,\"mb_per_s\":%.1f,\"cpu_mb_per_s\":%.1f,"
                "\"entries\":%lld,\"peak_bytes\":%.0f}",
                i > 0 ? "," : "", l->what, l->threads, l->rate, l->cpu_rate, (long long)l->entries,
                l->peak_bytes);
    }
    fprintf(out, "]}\n");
    if (fclose(out) != 0) return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", b->json, strerror(errno));
    return KL_OK;
}

static int choose_lines(bool compressed, int cpus, line *lines) {
    static const char *const names[] = {"matrix, 1 thread", "matrix, 2 threads",
                                        "matrix, 4 threads", "matrix, 8 threads",
                                        "matrix, 16 threads"};
    int count = 0;
#ifdef KL_HAVE_ZLIB
    if (compressed) lines[count++] = (line){"decompressing alone", inflate_plainly, 1, 0, 0, 0, 0};
#endif
    if (!compressed) {
        lines[count++] = (line){"plain reading (1 MiB blocks)", read_plainly, 1, 0, 0, 0, 0};
        lines[count++] = (line){"lines of the mapped file", scan_mapped, 1, 0, 0, 0, 0};
    }
    for (int t = 0; t < 5 && (t == 0 || 1 << t <= cpus); t++)
        lines[count++] = (line){names[t], read_matrix, 1 << t, 0, 0, 0, 0};
    return count;
}

static kl_status report(const bench *b, const char *path, kl_error *err) {
    struct stat about;
    if (stat(path, &about) != 0)
        return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", path, strerror(errno));
    size_t length = strlen(path);
    bool compressed = length > 3 && strcmp(path + length - 3, ".gz") == 0;
    double bytes = (double)about.st_size;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    int cpus = online < 1 ? 1 : online > THREADS_MAX ? THREADS_MAX : (int)online;
    line lines[8];
    int count = choose_lines(compressed, cpus, lines);
    printf("%s: %.1f MB; best of %d rounds; %d CPUs%s\n\n", path, 1e-6 * bytes, b->rounds, cpus,
           compressed ? "; MB of its text" : "");
    printf("  %-28s %8s %10s %10s %9s %14s\n", "", "MB/s", "of first", "MB/CPU s", "peak MB",
           "bytes / entry");
    for (int i = 0; i < count; i++) {
        TRY(fill_line(b, path, &bytes, &lines[i], err));
        print_line(&lines[i], lines[0].rate, stdout);
        fflush(stdout);
    }
    printf("\n  %.1f million entries (with mirrored ones); 16 bytes each are the matrix itself\n\n",
           1e-6 * (double)lines[count - 1].entries);
    bool wanted = b->json != NULL && (b->made[0] == '\0' || !compressed);
    return wanted ? write_json(b, path, bytes, lines, count, err) : KL_OK;
}

static kl_status run(bench *b, kl_error *err) {
    b->bar = kl_bar_begin(b->file != NULL ? b->file : "making a file");
    if (b->file != NULL) return report(b, b->file, err);
    outcome made;
    snprintf(b->made, sizeof b->made, "%s/mtx-bench-%lld.mtx", b->folder, (long long)b->entries);
    TRY(measure(b, make_file, b->made, 1, &made,
                err)); // in a child: its memory is not the readers'
    b->file = b->made;
    b->bar = kl_bar_begin(b->file);
    kl_status status = report(b, b->file, err);
#ifdef KL_HAVE_ZLIB
    char packed[PATH_BYTES + 8];
    snprintf(packed, sizeof packed, "%s.gz", b->file);
    bool pack = status == KL_OK && !b->plain_only;
    if (pack) status = compress_file(b->file, packed, err);
    if (pack && status == KL_OK) status = report(b, packed, err);
    unlink(packed);
#endif
    unlink(b->made);
    return status;
}

static int usage(int code) {
    fprintf(code == 0 ? stdout : stderr,
            "mtx-bench: rate and memory of reading Matrix Market files\n\n"
            "Usage: mtx-bench [options]\n"
            "Example: mtx-bench --entries 20000000\n\n"
            "  --file FILE    a file of your own (.mtx, .mtx.gz) instead of a made one\n"
            "  --entries N    entries of the made file (default 10000000, 35 bytes each)\n"
            "  --folder DIR   where to make it (default: TMPDIR, or /tmp); it is removed again\n"
            "  --rounds N     measurements of each (default 3; the best counts)\n"
            "  --no-gz        leave the compressed file out\n"
            "  --json FILE    the results of the plain file as JSON (ladder.reader/1)\n");
    return code;
}

int main(int argc, char **argv) {
    static const struct option options[] = {
        {"file", required_argument, NULL, 'f'},   {"entries", required_argument, NULL, 'e'},
        {"folder", required_argument, NULL, 'd'}, {"rounds", required_argument, NULL, 'r'},
        {"json", required_argument, NULL, 'j'},   {"no-gz", no_argument, NULL, 'n'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0},
    };
    const char *temporary = getenv("TMPDIR");
    bench b = {.folder = temporary != NULL ? temporary : "/tmp", .entries = 10000000, .rounds = 3};
    for (int code; (code = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (code) {
        case 'f': b.file = optarg; break;
        case 'e': b.entries = strtoll(optarg, NULL, 10); break;
        case 'd': b.folder = optarg; break;
        case 'r': b.rounds = atoi(optarg); break;
        case 'j': b.json = optarg; break;
        case 'n': b.plain_only = true; break;
        case 'h': return usage(0);
        default: return usage(2);
        }
    }
    if (optind < argc || b.entries < 1000 || b.entries > KL_SPARSE_MAX_ENTRIES || b.rounds < 1 ||
        b.rounds > ROUNDS_MAX) {
        fprintf(stderr,
                "mtx-bench: --entries takes 1000 to 2147483647, --rounds 1 to %d; see --help\n",
                ROUNDS_MAX);
        return 2;
    }
    kl_error err = {KL_OK, ""};
    if (run(&b, &err) != KL_OK) {
        fprintf(stderr, "mtx-bench: %s\n", err.text);
        return 1;
    }
    return 0;
}
