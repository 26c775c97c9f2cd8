// Bytes: messages to and from the editor (a head with Content-Length, then JSON), and what the
// program and the debugger itself print.
#include "learn/dap/internal.h"
#include "utilities/text.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <termios.h>

enum { MOST_BYTES = 8 << 20, PART = 8192 };

// ---- To the editor ------------------------------------------------------------------------------

static void write_all(dap_server *s, const char *data, size_t bytes) {
    while (bytes > 0 && !s->broken) {
        ssize_t put = write(s->out, data, bytes);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) {
            s->broken = true;
            return;
        }
        data += put;
        bytes -= (size_t)put;
    }
}

bool dap_message_begin(dap_message *m, const char *type) {
    m->file = open_memstream(&m->text, &m->bytes);
    if (!m->file) return false;
    kl_json_begin(&m->json, m->file);
    kl_json_put(&m->json, "(type %s", type);
    return true;
}

void dap_message_send(dap_server *s, dap_message *m) {
    char head[64];
    kl_error ignored;
    kl_json_put(&m->json, "seq %lu}", ++s->sent);
    kl_json_finish(&m->json, &ignored);
    fclose(m->file);
    int length = snprintf(head, sizeof head, "Content-Length: %zu\r\n\r\n", m->bytes);
    write_all(s, head, (size_t)length);
    write_all(s, m->text, m->bytes);
    free(m->text);
}

void dap_message_drop(dap_message *m) {
    fclose(m->file);
    free(m->text);
}

bool dap_event_begin(dap_message *m, const char *event) {
    if (!dap_message_begin(m, "event")) return false;
    kl_json_put(&m->json, "event %s body (", event);
    return true;
}

void dap_event_send(dap_server *s, dap_message *m) {
    kl_json_end(&m->json);
    dap_message_send(s, m);
}

void dap_event(dap_server *s, const char *event) {
    dap_message m;
    if (dap_event_begin(&m, event)) dap_event_send(s, &m);
}

void dap_output(dap_server *s, const char *category, const char *text) {
    dap_message m;
    if (!dap_event_begin(&m, "output")) return;
    kl_json_put(&m.json, "category %s output %s", category, text);
    dap_event_send(s, &m);
}

// ---- From the editor ----------------------------------------------------------------------------

void dap_receive(dap_server *s) {
    if (s->buffer_capacity - s->buffer_bytes < PART) {
        size_t capacity = 2 * s->buffer_capacity + PART;
        char *grown = capacity > 2 * (size_t)MOST_BYTES ? NULL : realloc(s->buffer, capacity + 1);
        if (!grown) {
            s->broken = true;
            return;
        }
        s->buffer = grown;
        s->buffer_capacity = capacity;
    }
    ssize_t got = read(s->in, s->buffer + s->buffer_bytes, s->buffer_capacity - s->buffer_bytes);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got <= 0) s->broken = true;
    else s->buffer_bytes += (size_t)got;
}

// Bytes of the message behind the head; SIZE_MAX: none is given, or too many.
static size_t read_length(const char *head) {
    static const char name[] = "Content-Length:";
    while (*head && strncasecmp(head, name, sizeof name - 1) != 0) {
        head = strstr(head, "\r\n");
        if (!head) return SIZE_MAX;
        head += 2;
    }
    if (*head == '\0') return SIZE_MAX;
    head += sizeof name - 1;
    head += strspn(head, " \t");
    char *end;
    unsigned long long bytes = strtoull(head, &end, 10);
    bool is_number = strchr("0123456789", *head) && *head && *end == '\r';
    return is_number && bytes <= MOST_BYTES ? (size_t)bytes : SIZE_MAX;
}

char *dap_next(dap_server *s, size_t *out_bytes) {
    if (s->buffer_bytes == 0) return NULL;
    s->buffer[s->buffer_bytes] = '\0';
    const char *head = memmem(s->buffer, s->buffer_bytes, "\r\n\r\n", 4);
    const size_t longest_head = 4096;
    if (!head) {
        s->broken |= s->buffer_bytes > longest_head;
        return NULL;
    }
    size_t start = (size_t)(head - s->buffer) + 4, bytes = read_length(s->buffer);
    if (bytes == SIZE_MAX) {
        dap_output(s, "stderr",
                   "A message without a head `Content-Length: N`: the session ends.\n");
        s->broken = true;
        return NULL;
    }
    if (s->buffer_bytes - start < bytes) return NULL;
    char *text = malloc(bytes + 1);
    if (!text) return NULL;
    memcpy(text, s->buffer + start, bytes);
    text[bytes] = '\0';
    s->buffer_bytes -= start + bytes;
    memmove(s->buffer, s->buffer + start + bytes, s->buffer_bytes);
    *out_bytes = bytes;
    return text;
}

// ---- The way to it ------------------------------------------------------------------------------

// Another user of this computer must not debug as this one: the socket at the other end is in the
// system's table with its owner.
static bool is_own_peer(int socket) {
    struct sockaddr_in peer, self;
    socklen_t bytes = sizeof peer;
    char *line = NULL;
    size_t capacity = 0;
    bool own = false;
    if (getpeername(socket, (struct sockaddr *)&peer, &bytes) != 0) return false;
    bytes = sizeof self;
    if (getsockname(socket, (struct sockaddr *)&self, &bytes) != 0) return false;
    FILE *table = fopen("/proc/net/tcp", "r");
    while (table && !own && getline(&line, &capacity, table) >= 0) {
        unsigned from, from_port, to, to_port, owner;
        if (sscanf(line, " %*u: %x:%x %x:%x %*x %*x:%*x %*x:%*x %*x %u", &from, &from_port, &to,
                   &to_port, &owner) != 5)
            continue;
        own = from == peer.sin_addr.s_addr && from_port == ntohs(peer.sin_port) &&
              to == self.sin_addr.s_addr && to_port == ntohs(self.sin_port) && owner == getuid();
    }
    if (table) fclose(table);
    free(line);
    return own;
}

static kl_status await_editor(int listener, dap_server *s, kl_error *err) {
    struct sockaddr_in address;
    socklen_t bytes = sizeof address;
    getsockname(listener, (struct sockaddr *)&address, &bytes);
    printf("Waits for an editor at 127.0.0.1:%u\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        int socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (socket < 0 && errno == EINTR) continue;
        if (socket < 0) return kl_fail(err, KL_ERROR_SYSTEM, "accept: %s", strerror(errno));
        if (is_own_peer(socket)) {
            s->in = s->out = socket;
            return KL_OK;
        }
        fprintf(stderr, "A connection of another user was refused.\n");
        close(socket);
    }
}

static kl_status listen_at(dap_server *s, const char *port, kl_error *err) {
    uint64_t number;
    if (!ladder_parse_uint(port, UINT16_MAX, &number))
        return kl_fail(err, KL_ERROR_USAGE, "--port %s: a number up to 65535, 0 for any", port);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)number),
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    kl_status status = KL_OK;
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, 1) != 0)
        status = kl_fail(err, KL_ERROR_SYSTEM, "port %s: %s", port, strerror(errno));
    if (status == KL_OK) status = await_editor(listener, s, err);
    if (listener >= 0) close(listener);
    return status;
}

// Standard output and error become a file, for what this program prints.
kl_status dap_connect(dap_server *s, kl_error *err) {
    s->in = s->out = s->notes = s->streams[0] = s->streams[1] = -1;
    if (s->options->port) {
        TRY(listen_at(s, s->options->port, err));
    } else {
        fflush(stdout);
        s->in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
        s->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    }
    s->notes = memfd_create("notes", MFD_CLOEXEC);
    if (s->in < 0 || s->out < 0 || s->notes < 0)
        return kl_fail(err, KL_ERROR_SYSTEM, "no descriptor for the editor: %s", strerror(errno));
    fcntl(s->notes, F_SETFL, O_APPEND);
    dup2(s->notes, STDOUT_FILENO);
    dup2(s->notes, STDERR_FILENO);
    return KL_OK;
}

void dap_disconnect(dap_server *s) {
    dap_streams_close(s);
    if (s->out >= 0 && s->out != s->in) close(s->out);
    if (s->in >= 0) close(s->in);
    free(s->buffer);
}

// ---- What is printed ----------------------------------------------------------------------------

char *dap_take_notes(dap_server *s) {
    fflush(stdout);
    off_t bytes = lseek(s->notes, 0, SEEK_END);
    if (bytes <= 0) return NULL;
    char *text = malloc((size_t)bytes + 1);
    ssize_t got = text ? pread(s->notes, text, (size_t)bytes, 0) : 0;
    if (text) text[got > 0 ? got : 0] = '\0';
    if (ftruncate(s->notes, 0) != 0) s->broken = true;
    return text;
}

void dap_show_notes(dap_server *s) {
    char *text = dap_take_notes(s);
    if (text) dap_output(s, "console", text);
    free(text);
}

// A terminal, so that what the program prints comes line by line; else a pipe.
static bool open_output(int *out_ours, int *out_theirs) {
    int ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), theirs = -1, pair[2];
    struct termios raw;
    if (ours >= 0 && grantpt(ours) == 0 && unlockpt(ours) == 0)
        theirs = open(ptsname(ours), O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (theirs >= 0 && tcgetattr(theirs, &raw) == 0) {
        cfmakeraw(&raw);
        tcsetattr(theirs, TCSANOW, &raw);
    } else {
        if (ours >= 0) close(ours);
        if (pipe2(pair, O_CLOEXEC) != 0) return false;
        ours = pair[0];
        theirs = pair[1];
    }
    *out_ours = ours;
    *out_theirs = theirs;
    return true;
}

kl_status dap_streams_open(dap_server *s, kl_error *err) {
    int theirs = -1, pair[2];
    dap_streams_close(s);
    fflush(stdout);
    if (!open_output(&s->streams[0], &theirs) || pipe2(pair, O_CLOEXEC) != 0)
        return kl_fail(err, KL_ERROR_SYSTEM, "no pipe for the program's output");
    s->streams[1] = pair[0];
    for (int i = 0; i < DAP_STREAMS; i++)
        fcntl(s->streams[i], F_SETFL, fcntl(s->streams[i], F_GETFL) | O_NONBLOCK);
    dup2(theirs, STDOUT_FILENO);
    dup2(pair[1], STDERR_FILENO);
    close(theirs);
    close(pair[1]);
    setenv("NO_COLOR", "1", 1);
    return KL_OK;
}

void dap_streams_started(dap_server *s) {
    fflush(stdout);
    dup2(s->notes, STDOUT_FILENO);
    dup2(s->notes, STDERR_FILENO);
}

void dap_streams_read(dap_server *s) {
    static const char *const names[DAP_STREAMS] = {"stdout", "stderr"};
    enum { MOST_PARTS = 64 }; // then requests are read again
    for (int i = 0; i < DAP_STREAMS; i++)
        for (int part = 0; part < MOST_PARTS && s->streams[i] >= 0; part++) {
            char text[PART + 1];
            ssize_t got = read(s->streams[i], text, PART);
            if (got <= 0) {
                bool later = got < 0 && (errno == EAGAIN || errno == EINTR);
                if (!later) close(s->streams[i]);
                if (!later) s->streams[i] = -1;
                break;
            }
            for (ssize_t k = 0; k < got; k++)
                if (text[k] == '\0') text[k] = ' ';
            text[got] = '\0';
            dap_output(s, names[i], text);
        }
}

void dap_streams_close(dap_server *s) {
    for (int i = 0; i < DAP_STREAMS; i++) {
        if (s->streams[i] >= 0) close(s->streams[i]);
        s->streams[i] = -1;
    }
}

// ---- what an editor sends -----------------------------------------------------------------------

// Jansson passes over a NUL byte behind a number: it is refused here.
kl_status dap_parse(const char *text, size_t bytes, json_t **out_value, kl_error *err) {
    json_error_t why = {.position = 0};
    const char *nul = memchr(text, '\0', bytes);
    *out_value = nul ? NULL : json_loadb(text, bytes, 0, &why);
    if (*out_value) return KL_OK;
    int at = nul ? (int)(nul - text) : why.position;
    return kl_fail(err, KL_ERROR_INPUT, "The message is no JSON: byte %d.", at);
}

const char *dap_text(const json_t *object, const char *key, const char *otherwise) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : otherwise;
}

bool dap_flag(const json_t *object, const char *key, bool otherwise) {
    const json_t *found = json_object_get(object, key);
    return json_is_boolean(found) ? json_is_true(found) : otherwise;
}

uint64_t dap_uint(const json_t *object, const char *key, uint64_t otherwise) {
    const double most = 9007199254740992.0; // 2^53: integers beyond it are not exact
    const json_t *found = json_object_get(object, key);
    double number = json_is_number(found) ? json_number_value(found) : -1;
    return number >= 0 && number <= most ? (uint64_t)number : otherwise;
}
