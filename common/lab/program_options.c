// Options of a program as a table: see program.h.
#include "program.h"
#include <getopt.h>

enum { OPTIONS_MOST = 31 };

kl_status kl_option_integer(const kl_option *option, const char *text, int64_t *out_value,
                            kl_error *err) {
    char *end = NULL, got[80];
    errno = 0;
    *out_value = strtoll(text, &end, 10);
    const char *digits = text;
    if (end != text && *end == '^' && *out_value == 2) {
        digits = end + 1;
        long long bits = strtoll(digits, &end, 10);
        if (bits < 0 || bits > 62) errno = ERANGE;
        *out_value = errno ? 0 : 1LL << bits;
    }
    if (end == digits || *end != '\0' || errno != 0 || *out_value < option->least ||
        *out_value > option->most)
        return kl_fail(err, KL_ERROR_USAGE, "--%s takes a whole number from %lld to %lld, not %s",
                       option->name, (long long)option->least, (long long)option->most,
                       kl_quoted(text, got, sizeof got));
    return KL_OK;
}

kl_status kl_option_real(const kl_option *option, const char *text, double *out_value,
                         kl_error *err) {
    char *end = NULL, got[80];
    *out_value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(*out_value))
        return kl_fail(err, KL_ERROR_USAGE, "--%s takes a number, not %s", option->name,
                       kl_quoted(text, got, sizeof got));
    return KL_OK;
}

static kl_status take_real(const kl_option *option, const char *text, kl_error *err) {
    double *value = option->target;
    char got[80];
    if (kl_option_real(option, text, value, NULL) != KL_OK ||
        !(*value >= (double)option->least && *value < (double)option->most))
        return kl_fail(err, KL_ERROR_USAGE, "--%s takes a number from %lld to below %lld, not %s",
                       option->name, (long long)option->least, (long long)option->most,
                       kl_quoted(text, got, sizeof got));
    return KL_OK;
}

static kl_status take(const kl_option *option, const char *text, kl_error *err) {
    int64_t number = 0;
    switch (option->kind) {
    case KL_OPTION_FLAG: *(bool *)option->target = true; return KL_OK;
    case KL_OPTION_TEXT: *(const char **)option->target = text; return KL_OK;
    case KL_OPTION_DEVICE: return kl_device_parse(text, option->target, err);
    case KL_OPTION_REAL: return take_real(option, text, err);
    case KL_OPTION_OTHER: return option->take(option, text, err);
    case KL_OPTION_INT64: return kl_option_integer(option, text, option->target, err);
    case KL_OPTION_INT:
    case KL_OPTION_MARK:
    case KL_OPTION_WORDS: TRY(kl_option_integer(option, text, &number, err));
    }
    if (option->kind == KL_OPTION_INT) *(int *)option->target = (int)number;
    else ((bool *)option->target)[number] = true;
    return KL_OK;
}

kl_status kl_program_options(int argc, char **argv, const kl_option *options, int count,
                             kl_error *err) {
    struct option names[OPTIONS_MOST + 1] = {{NULL, 0, NULL, 0}};
    const kl_option *bare = NULL;
    for (int i = 0; i < count && i < OPTIONS_MOST; i++) {
        names[i] = (struct option){options[i].name, options[i].kind != KL_OPTION_FLAG, NULL, 0};
        if (options[i].kind == KL_OPTION_WORDS) bare = &options[i];
    }
    opterr = 0; // messages are ours
    optind = 1;
    for (int index = -1, at = 1, code; (code = getopt_long(argc, argv, ":", names, &index)) != -1;
         at = optind) {
        if (code != 0)
            return kl_fail(err, KL_ERROR_USAGE, "%s: %s; --help lists the options", argv[at],
                           code == ':' ? "a value is missing" : "unknown option");
        TRY(take(&options[index], optarg, err));
    }
    for (; optind < argc; optind++) {
        if (!bare)
            return kl_fail(err, KL_ERROR_USAGE, "'%s' is no option; --help lists them",
                           argv[optind]);
        TRY(take(bare, argv[optind], err));
    }
    return KL_OK;
}
