// Program `ladder-engine`: one simulated device in a process of its own, between a runner that may
// be hostile and the judge. It gets its two connections as open descriptors and needs nothing else
// from the system once it serves.
#include "debug/debugger.h"
#include "remote/remote.h"
#include <sys/mman.h>
#include <unistd.h>

static const char usage[] =
    "usage: ladder-engine --runner-fd N [--control-fd M] [--mode functional|count|check]\n"
    "                     [--device NAME] [--devices N] [--threads N] [--memory BYTES]\n"
    "                     [--max-instructions N] [--max-block-instructions N] [--progress-fd N]\n"
    "                     [--order forward|reverse|hurried|alternating|random:SEED]\n"
    "                     [--resident all|earlier] [--timelines N]\n"
    "                     [--codes N] [--maps N] [--judged yes|no] [--caches yes|no]\n"
    "                     [--debug-fd N]\n"
    "Serves a simulated device to the program at descriptor N; descriptor M may fetch reports.\n";

typedef struct arguments {
    int runner, control, debug;
    sim_options options;
    bool help;
} arguments;

static bool parse_number(const char *text, uint64_t most, uint64_t *out_value) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || end == text || *end || *text == '-' || value > most) return false;
    *out_value = value;
    return true;
}

static bool parse_mode(const char *text, sim_mode *out_mode) {
    static const char *const names[] = {"functional", "count", "check"};
    for (int i = SIM_MODE_FUNCTIONAL; i <= SIM_MODE_CHECK; i++) {
        if (strcmp(text, names[i]) != 0) continue;
        *out_mode = (sim_mode)i;
        return true;
    }
    return false;
}

static bool map_progress(int descriptor, sim_progress **out_progress) {
    void *at = mmap(NULL, sizeof **out_progress, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    *out_progress = at != MAP_FAILED ? at : NULL;
    return at != MAP_FAILED;
}

static bool parse_option(const char *name, const char *value, arguments *out) {
    uint64_t number = 0;
    if (strcmp(name, "--mode") == 0) return parse_mode(value, &out->options.mode);
    if (strcmp(name, "--order") == 0) return sim_schedule_parse(value, &out->options.schedule);
    if (strcmp(name, "--judged") == 0) {
        out->options.judged = strcmp(value, "yes") == 0;
        return out->options.judged || strcmp(value, "no") == 0;
    }
    if (strcmp(name, "--caches") == 0) {
        out->options.uncached = strcmp(value, "no") == 0;
        return out->options.uncached || strcmp(value, "yes") == 0;
    }
    if (strcmp(name, "--resident") == 0) {
        out->options.resident = strcmp(value, "all") == 0;
        return out->options.resident || strcmp(value, "earlier") == 0;
    }
    if (strcmp(name, "--device") == 0) {
        out->options.device = value;
        return true;
    }
    bool is_descriptor = strcmp(name, "--runner-fd") == 0 || strcmp(name, "--control-fd") == 0 ||
                         strcmp(name, "--progress-fd") == 0 || strcmp(name, "--debug-fd") == 0;
    bool is_threads = strcmp(name, "--threads") == 0 || strcmp(name, "--devices") == 0,
         is_count = strcmp(name, "--timelines") == 0 || strcmp(name, "--codes") == 0 ||
                    strcmp(name, "--maps") == 0;
    uint64_t most = is_descriptor || is_count ? INT32_MAX : is_threads ? 65536 : UINT64_MAX;
    if (!parse_number(value, most, &number)) return false;
    if (strcmp(name, "--runner-fd") == 0) out->runner = (int)number;
    else if (strcmp(name, "--control-fd") == 0) out->control = (int)number;
    else if (strcmp(name, "--debug-fd") == 0) out->debug = (int)number;
    else if (strcmp(name, "--devices") == 0) out->options.devices = (uint32_t)number;
    else if (is_threads) out->options.threads = (uint32_t)number;
    else if (strcmp(name, "--timelines") == 0) out->options.timelines = (uint32_t)number;
    else if (strcmp(name, "--codes") == 0) out->options.codes = (uint32_t)number;
    else if (strcmp(name, "--maps") == 0) out->options.maps = (uint32_t)number;
    else if (strcmp(name, "--memory") == 0) out->options.memory_bytes = number;
    else if (strcmp(name, "--max-instructions") == 0) out->options.max_instructions = number;
    else if (strcmp(name, "--most-elements") == 0) out->options.most_elements = number;
    else if (strcmp(name, "--max-block-instructions") == 0)
        out->options.max_block_instructions = number;
    else if (strcmp(name, "--progress-fd") == 0)
        return map_progress((int)number, &out->options.progress);
    else return false;
    return true;
}

static bool parse(int count, char **values, arguments *out) {
    *out = (arguments){.runner = -1,
                       .control = -1,
                       .debug = -1,
                       .options.mode = SIM_MODE_COUNT,
                       .options.serves_others = true};
    for (int i = 1; i < count; i++) {
        if (strcmp(values[i], "--help") == 0) {
            out->help = true;
            return true;
        }
        if (i + 1 == count || !parse_option(values[i], values[i + 1], out)) {
            fprintf(stderr, "ladder-engine: bad option or value: %s\n", values[i]);
            return false;
        }
        i++;
    }
    if (out->runner >= 0 && out->runner != out->control) return true;
    fprintf(stderr, "ladder-engine: --runner-fd is needed, and another descriptor for control\n");
    return false;
}

int main(int argc, char **argv) {
    arguments given;
    if (!parse(argc, argv, &given)) {
        fputs(usage, stderr);
        return 2;
    }
    if (given.help) {
        fputs(usage, stdout);
        return 0;
    }
    sim_engine *engine = NULL;
    kl_error err = {0};
    sim_status status = SIM_OK;
    if (given.debug >= 0) status = sim_debugger_new(given.debug, &given.options.debugger, &err);
    if (status == SIM_OK) status = sim_engine_open_local(&given.options, &engine, &err);
    if (status == SIM_OK) status = sim_server_run(engine, given.runner, given.control, &err);
    if (status != SIM_OK) fprintf(stderr, "ladder-engine: %s\n", err.text);
    sim_engine_close(engine);
    if (given.options.debugger) sim_debugger_exit(given.options.debugger, status != SIM_OK);
    return status == SIM_OK ? 0 : 1;
}
