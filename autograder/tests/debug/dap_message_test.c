// What an editor may send by mistake: each damaged message is an error or ends the session, none
// hangs or crashes it, and whatever is answered is JSON.
// where: LADDER_HAVE_JANSSON
#include <sys/mman.h>

#include "learn/dap/internal.h"
#include "suite.h"

static const char launch[] =
    "{\"seq\": 7, \"type\": \"request\", \"command\": \"launch\", \"arguments\": "
    "{\"lab\": \"a\\u00e9\\ud83d\\ude00\\n\", \"step\": 3, \"rate\": -1.5e3, "
    "\"args\": [\"x\", {}, [], null], \"solution\": true}}";

// ---- JSON ---------------------------------------------------------------------------------------

static bool is_read(const char *text, size_t bytes) {
    json_t *value;
    kl_error err = {KL_OK, ""};
    kl_status status = dap_parse(text, bytes, &value, &err);
    ck_assert((status == KL_OK) == (value != NULL));
    if (status != KL_OK) ck_assert_ptr_nonnull(strstr(err.text, "no JSON"));
    json_decref(value);
    return status == KL_OK;
}

KL_TEST(members_are_read_by_type) {
    json_t *message;
    kl_error err;
    ck_assert_int_eq(dap_parse(launch, strlen(launch), &message, &err), KL_OK);
    const json_t *given = json_object_get(message, "arguments");
    ck_assert_uint_eq(dap_uint(message, "seq", 0), 7);
    ck_assert_str_eq(dap_text(given, "lab", ""), "a\xc3\xa9\xf0\x9f\x98\x80\n");
    ck_assert(dap_flag(given, "solution", false));
    // Missing, or of another type.
    ck_assert_str_eq(dap_text(given, "step", "none"), "none");
    ck_assert_uint_eq(dap_uint(given, "lab", 5), 5);
    ck_assert_uint_eq(dap_uint(given, "rate", 5), 5);
    ck_assert(dap_flag(given, "step", true) && !dap_flag(given, "nothing", false));
    ck_assert_uint_eq(dap_uint(json_object_get(given, "args"), "x", 5), 5);
    ck_assert_uint_eq(dap_uint(NULL, "x", 5), 5);
    ck_assert_ptr_null(dap_text(NULL, "x", NULL));
    json_decref(message);
}

KL_TEST(numbers_fit_or_read_as_nothing) {
    static const struct {
        const char *text;
        uint64_t want;
    } rows[] = {{"3", 3},     {"3.0", 3},    {"9007199254740992", 9007199254740992},
                {"-1", 99},   {"1e30", 99},  {"9007199254740994", 99},
                {"true", 99}, {"\"3\"", 99}, {"9223372036854775807", 99}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64];
        json_t *value;
        kl_error err;
        int bytes = snprintf(text, sizeof text, "{\"n\": %s}", rows[i].text);
        ck_assert_int_eq(dap_parse(text, (size_t)bytes, &value, &err), KL_OK);
        ck_assert_uint_eq(dap_uint(value, "n", 99), rows[i].want);
        json_decref(value);
    }
}

KL_TEST(a_part_of_a_message_is_none) {
    ck_assert(is_read(launch, strlen(launch)));
    for (size_t bytes = 0; bytes < strlen(launch); bytes++) {
        char *part = malloc(bytes > 0 ? bytes : 1); // a sanitizer sees what is read behind it
        memcpy(part, launch, bytes);
        ck_assert_msg(!is_read(part, bytes), "%zu bytes", bytes);
        free(part);
    }
}

KL_TEST(what_is_no_json_is_refused) {
    static const char *const texts[] = {"",
                                        " ",
                                        "{]}",
                                        "[1,]",
                                        "{\"a\":}",
                                        "{\"a\" 1}",
                                        "{a: 1}",
                                        "{'a': 1}",
                                        "{} {}",
                                        "nul",
                                        "[01]",
                                        "[0x10]",
                                        "[1e999]",
                                        "[99999999999999999999]",
                                        "[NaN]",
                                        "[-]",
                                        "[\"\\q\"]",
                                        "[\"\\u12\"]",
                                        "[\"\\ud83d\"]",
                                        "[\"\\udc00\"]",
                                        "[\"\\u0000\"]",
                                        "[\"\x01\"]",
                                        "[\"\n\"]",
                                        "[\"\xff\"]",
                                        "[\"\xc0\x80\"]",
                                        "[\"\xed\xa0\x80\"]",
                                        "\"text\"",
                                        "3",
                                        "// a\n{}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_msg(!is_read(texts[i], strlen(texts[i])), "%s", texts[i]);
    ck_assert(!is_read("{\"a\": 1\0}", 9));
    ck_assert(!is_read("{\"a\0b\": 1}", 10));
    ck_assert(!is_read("{}\0", 3));
}

KL_TEST(deep_nesting_is_refused) {
    enum { LEVELS = 1 << 20 };
    static const char *const opening[] = {"[", "{\"a\":", "[{\"a\":"};
    for (size_t i = 0; i < sizeof opening / sizeof *opening; i++) {
        size_t length = strlen(opening[i]), bytes = LEVELS * length;
        char *text = malloc(bytes);
        for (size_t k = 0; k < bytes; k++) text[k] = opening[i][k % length];
        ck_assert(!is_read(text, bytes));
        free(text);
    }
}

// ---- Heads --------------------------------------------------------------------------------------

// A session of which only the streams are there. `sent`: [bytes], as one part each time.
static dap_server *receive(const char *sent, size_t bytes, size_t part) {
    int ends[2];
    dap_server *s = calloc(1, sizeof *s);
    ck_assert_int_eq(pipe(ends), 0);
    s->in = ends[0];
    s->out = memfd_create("answers", MFD_CLOEXEC);
    for (size_t at = 0; at < bytes; at += part) {
        size_t more = bytes - at < part ? bytes - at : part;
        ck_assert_int_eq((int)write(ends[1], sent + at, more), (int)more);
        dap_receive(s);
    }
    close(ends[1]);
    return s;
}

static void release(dap_server *s) {
    close(s->in);
    close(s->out);
    free(s->buffer);
    free(s);
}

KL_TEST(messages_arrive_in_any_parts) {
    static const char sent[] = "Content-Length: 2\r\n\r\n{}"
                               "X-Other: 1\r\ncontent-length:4\r\nX-More: 2\r\n\r\n[10]"
                               "Content-Length: 0\r\n\r\n"
                               "Content-Length: 5\r\n\r\na\0b\0c";
    static const char *const want[] = {"{}", "[10]", "", "a\0b\0c"};
    static const size_t lengths[] = {2, 4, 0, 5};
    for (size_t part = 1; part < sizeof sent; part++) {
        dap_server *s = receive(sent, sizeof sent - 1, part);
        for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
            size_t bytes = 99;
            char *text = dap_next(s, &bytes);
            ck_assert_ptr_nonnull(text);
            ck_assert_uint_eq(bytes, lengths[i]);
            ck_assert_mem_eq(text, want[i], bytes + 1); // terminated
            free(text);
        }
        size_t bytes;
        ck_assert_ptr_null(dap_next(s, &bytes));
        ck_assert(!s->broken);
        dap_receive(s);
        ck_assert(s->broken); // the end
        release(s);
    }
}

KL_TEST(a_wrong_head_ends_the_session) {
    static const char *const heads[] = {"nonsense",
                                        "Content-Length",
                                        "Content-Length:",
                                        "Content-Length: ",
                                        "Content-Length: x",
                                        "Content-Length: -5",
                                        "Content-Length: +5",
                                        "Content-Length: 5x",
                                        "Content-Length: 0x5",
                                        "Content-Length: 5.0",
                                        "Content-Length: 5 5",
                                        "Content-Length: 8388609",
                                        "Content-Length: 4294967298",
                                        "Content-Length: 18446744073709551618",
                                        "Content-Length: 99999999999999999999999999",
                                        "Content-Length:\r\n2",
                                        "Content-Type: Content-Length: 2",
                                        " Content-Length: 2",
                                        "Content-Length 2"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        char sent[128];
        size_t bytes;
        int length = snprintf(sent, sizeof sent, "%s\r\n\r\n{}", heads[i]);
        dap_server *s = receive(sent, (size_t)length, (size_t)length);
        ck_assert_msg(!dap_next(s, &bytes) && s->broken, "%s", heads[i]);
        ck_assert_msg(lseek(s->out, 0, SEEK_END) > 0, "%s: it says nothing", heads[i]);
        release(s);
    }
}

KL_TEST(an_endless_head_ends_the_session) {
    char sent[5000];
    size_t bytes;
    for (int i = 0; i < 2; i++) {
        memset(sent, i == 0 ? 'x' : '\0', sizeof sent);
        dap_server *s = receive(sent, sizeof sent, sizeof sent);
        ck_assert(!dap_next(s, &bytes) && s->broken);
        release(s);
    }
    static const char hidden[] = "X: \0\r\nContent-Length: 2\r\n\r\n{}";
    dap_server *s = receive(hidden, sizeof hidden - 1, sizeof hidden);
    ck_assert(!dap_next(s, &bytes) && s->broken);
    release(s);
}

// ---- Whole sessions -----------------------------------------------------------------------------

static kl_status prepare_none(void *context, const ladder_dap_launch *wanted,
                              char *const **out_argv, kl_error *err) {
    (void)context;
    (void)out_argv;
    return kl_fail(err, KL_ERROR_INPUT, "%s", wanted->program ? wanted->program : "nothing");
}

// Serves what is in the file `in` in a process of its own; *out_bytes of answers.
static char *serve(int in, size_t *out_bytes) {
    static const ladder_kit kit;
    static const ladder_dap_options options = {.prepare = prepare_none};
    int out = memfd_create("answers", MFD_CLOEXEC), status;
    lseek(in, 0, SEEK_SET);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        kl_error err;
        dup2(in, STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        _exit(ladder_dap(&kit, &options, &err) == KL_OK ? 0 : 1);
    }
    ck_assert(waitpid(child, &status, 0) == child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", (unsigned)status);
    *out_bytes = (size_t)lseek(out, 0, SEEK_END);
    char *text = calloc(1, *out_bytes + 1);
    ck_assert_int_eq((int)pread(out, text, *out_bytes, 0), (int)*out_bytes);
    close(out);
    close(in);
    return text;
}

static void put(int file, const char *text, size_t bytes) {
    dprintf(file, "Content-Length: %zu\r\n\r\n", bytes);
    ck_assert_int_eq((int)write(file, text, bytes), (int)bytes);
}

static void put_text(int file, const char *text) { put(file, text, strlen(text)); }

// Each answer is read again, and counted.
static int count_responses(const char *text, size_t bytes) {
    int count = 0;
    for (const char *at = text, *end = text + bytes; at < end;) {
        size_t length;
        json_error_t why;
        ck_assert_int_eq(sscanf(at, "Content-Length: %zu", &length), 1);
        at = strstr(at, "\r\n\r\n") + 4;
        ck_assert(length <= (size_t)(end - at));
        json_t *message = json_loadb(at, length, 0, &why);
        ck_assert_msg(message != NULL, "%s: %.*s", why.text, (int)length, at);
        count += strcmp(dap_text(message, "type", ""), "response") == 0;
        json_decref(message);
        at += length;
    }
    return count;
}

static const char initialize[] = "{\"seq\": 1, \"type\": \"request\", \"command\": \"initialize\"}";

KL_TEST(arguments_of_any_type_are_answered) {
    static const char *const commands[] = {
#define DAP_REQUEST(identifier, command, stopped) command,
#include "learn/dap/requests.def"
#undef DAP_REQUEST
    };
    static const char *const values[] = {"null",
                                         "true",
                                         "-1",
                                         "1e300",
                                         "\"text\"",
                                         "[]",
                                         "{}",
                                         "[[], {}, null, 3, \"x\"]",
                                         "{\"a\": {\"b\": []}}"};
    static const char *const keys[] = {"source",
                                       "breakpoints",
                                       "filters",
                                       "args",
                                       "env",
                                       "cwd",
                                       "step",
                                       "program",
                                       "threadId",
                                       "frameId",
                                       "name",
                                       "expression",
                                       "variablesReference",
                                       "arguments",
                                       "path"};
    int in = memfd_create("requests", MFD_CLOEXEC), sent = 1;
    char text[512];
    size_t bytes;
    put_text(in, initialize);
    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++) {
        if (strcmp(commands[c], "disconnect") == 0) continue;
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            snprintf(text, sizeof text,
                     "{\"type\": \"request\", \"command\": \"%s\", \"arguments\": %s}", commands[c],
                     values[v]);
            put_text(in, text);
            sent++;
            for (size_t k = 0; k < sizeof keys / sizeof *keys; k++, sent++) {
                snprintf(
                    text, sizeof text,
                    "{\"type\": \"request\", \"command\": \"%s\", \"arguments\": {\"%s\": %s, "
                    "\"source\": {\"path\": \"/a.cu\"}, \"breakpoints\": [%s, {\"line\": %s}]}}",
                    commands[c], keys[k], values[v], values[v], values[v]);
                put_text(in, text);
            }
        }
    }
    char *answers = serve(in, &bytes);
    ck_assert_int_eq(count_responses(answers, bytes), sent);
    free(answers);
}

KL_TEST(a_damaged_message_does_not_end_the_session) {
    enum { LONG = 1 << 20 };
    static const char *const damaged[] = {
        "{]}",
        "[]",
        "{}",
        "",
        "[\"\xff\xfe\"]",
        "{\"\xc3\": \"\xf0\x9f\"}",
        "{\"type\": 3}",
        "{\"type\": \"event\"}",
        "{\"type\": \"request\", \"command\": 4, \"seq\": \"x\"}"};
    int in = memfd_create("requests", MFD_CLOEXEC), sent = 2;
    size_t bytes;
    char *text = malloc(LONG);
    put_text(in, initialize);
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++, sent++) put_text(in, damaged[i]);
    memset(text, '[', LONG);
    put(in, text, LONG);
    // A name that is cut in the answer, at each of its bytes: no half of a character remains.
    for (int shift = 0; shift < 4; shift++, sent++) {
        size_t used = (size_t)snprintf(text, LONG, "{\"type\": \"request\", \"command\": \"%.*s",
                                       shift, "abc");
        for (int i = 0; i < 2000; i++, used += 4) memcpy(text + used, "\xf0\x9f\x98\x80", 4);
        memcpy(text + used, "\"}", 2);
        put(in, text, used + 2);
    }
    char *answers = serve(in, &bytes);
    ck_assert_int_eq(count_responses(answers, bytes), sent);
    free(answers);
    free(text);
}

KL_TEST(a_session_may_end_anywhere) {
    static const char whole[] = "Content-Length: 55\r\n\r\n"
                                "{\"seq\": 1, \"type\": \"request\", \"command\": \"initialize\"}"
                                "Content-Length: 47\r\n\r\n";
    for (size_t part = 0; part < sizeof whole; part += 7) {
        int in = memfd_create("requests", MFD_CLOEXEC);
        size_t bytes;
        ck_assert_int_eq((int)write(in, whole, part), (int)part);
        char *answers = serve(in, &bytes);
        ck_assert_int_le(count_responses(answers, bytes), 1);
        free(answers);
    }
}

KL_TEST_MAIN("dap_message")
