// ladder watch: compiles, checks and counts a step on every save. On a terminal the result stays in
// place, in at most 15 lines; elsewhere each save gives a block of plain lines.
#include "commands/command.h"
#include "learn/watch/watch.h"
#include "sandbox/process/kit_build.h"
#include "this_machine.h"
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>

static const ladder_usage usage = {
    "ladder watch LAB [STEP] [options]",
    "Looks at a step each time its file is saved: compiles it, checks it on small cases with the\n"
    "simulator's checker, and takes its counts, beside those of the save before. A save during a\n"
    "compile starts again. With STEP only its file is watched, and it is looked at once at the\n"
    "beginning. Ctrl-C ends it. `ladder run` has all cases, and times.",
    "  ladder watch reduction\n"
    "  ladder watch reduction 3",
};

enum { BLOCK_ROWS = 15, TEXT_BYTES = LADDER_LOOK_TEXT + 1024 };

// Everything that a watch works with.
typedef struct watching {
    ladder_kit kit;
    const ladder_lab *lab;
    const kl_step_info *only; // NULL: all steps of the lab
    bool poll, terminal;
    ladder_saves saves;
    ladder_look *look;
    char saved_at[16];            // "17:42:10"
    double begin_s;               // of the look
    double drawn_s;               // when the block was drawn last
    int drawn;                    // rows that are on the terminal
    char below[LADDER_LOOK_TEXT]; // of the look before, which stays while the next one goes on
    struct termios typed;         // how the terminal was
    bool typed_known;
} watching;

static volatile sig_atomic_t ended;

static void end(int signal) {
    (void)signal;
    ended = 1;
}

// Bytes of the line that fit `columns`; escape sequences take none.
static int fitting_bytes(const char *line, int bytes, int columns) {
    int at = 0;
    while (at < bytes) {
        int next = at + 1;
        if (line[at] == '\033') {
            while (next < bytes && line[next - 1] != 'm') next++;
        } else {
            while (next < bytes && ((unsigned char)line[next] & 0xC0) == 0x80) next++;
            if (columns-- == 0) return at;
        }
        at = next;
    }
    return at;
}

static int block_rows(void) {
    struct winsize size;
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 1;
    return known && size.ws_row - 1 < BLOCK_ROWS ? size.ws_row - 1 : BLOCK_ROWS;
}

static int count_lines(const char *text) {
    int lines = 0;
    for (; *text != '\0'; text++) lines += *text == '\n';
    return lines;
}

// In place of the block that was drawn before. What does not fit is counted in the last row.
static void draw(watching *w, const char *text) {
    int rows = block_rows(), lines = count_lines(text);
    bool cut = lines > rows;
    kl_style style = kl_style_for(stdout);
    if (w->drawn > 0) printf("\033[%dA", w->drawn);
    for (int row = 0; row < rows; row++) {
        int bytes = (int)strcspn(text, "\n");
        if (cut && row == rows - 1)
            printf(".. %d more lines: ./ladder %s %s %d", lines - row,
                   w->look->compiled ? "check" : "run", w->lab->problem->name, w->look->step);
        else fwrite(text, 1, (size_t)fitting_bytes(text, bytes, style.width), stdout);
        printf("%s\033[K\n", style.colour ? "\033[0m" : "");
        text += bytes + (text[bytes] == '\n');
    }
    fflush(stdout);
    w->drawn = rows;
    w->drawn_s = kl_now_s();
}

// "reduction 3 sequential, saved 17:42:10: compiling", and what is known of the look.
static void put_heading(const watching *w, const char *state, kl_tone tone, FILE *out) {
    static const char *const colours[] = {"\033[1m", "\033[1;32m", "\033[1;31m", "\033[1m"};
    const kl_step_info *info = kl_problem_step(w->lab->problem, w->look->step);
    kl_style style = kl_style_for(stdout);
    fprintf(out, "%s %d %s, saved %s: %s%s%s\n", w->lab->problem->name, info->number, info->name,
            w->saved_at, style.colour ? colours[tone] : "", state, style.colour ? "\033[0m" : "");
}

// "4.9 s: compiler 3.9 s (80 %), check 0.5 s, counts 0.5 s".
static void put_times(const ladder_look *look, double all_s, FILE *out) {
    fprintf(out, "%.1f s: compiler %.1f s (%.0f %%)", all_s, look->compile_s,
            100 * look->compile_s / all_s);
    if (look->check_s > 0) fprintf(out, ", check %.1f s", look->check_s);
    if (look->count_s > 0) fprintf(out, ", counts %.1f s", look->count_s);
    fputs("\n\n", out);
}

// Draws while a look goes on: what it does, for how long, above what the look before said.
static void draw_busy(watching *w) {
    char text[TEXT_BYTES], state[64];
    FILE *out = fmemopen(text, sizeof text, "w");
    if (!out) return;
    snprintf(state, sizeof state, "%s .. %.0f s", w->look->compile_s > 0 ? "checking" : "compiling",
             kl_now_s() - w->begin_s);
    put_heading(w, state, KL_DIM, out);
    fprintf(out, "\n\n%s", w->below);
    fclose(out);
    draw(w, text);
}

static bool is_over(void *context) {
    watching *w = context;
    if (w->terminal && kl_now_s() - w->drawn_s > 0.5) draw_busy(w);
    return ended || ladder_saves_pending(&w->saves);
}

static void show(watching *w) {
    char text[TEXT_BYTES];
    const ladder_look *look = w->look;
    FILE *out = fmemopen(text, sizeof text, "w");
    if (!out) return;
    put_heading(w, look->verdict, look->good ? KL_GOOD : KL_BAD, out);
    put_times(look, kl_now_s() - w->begin_s, out);
    if (look->compiled) fputs(look->text, out);
    else ladder_put_messages(look->text, &look->style, out);
    if (look->good) fprintf(out, "next: ./ladder run %s %d\n", w->lab->problem->name, look->step);
    fclose(out);
    if (w->terminal) {
        draw(w, text);
        snprintf(w->below, sizeof w->below, "%s", look->text);
    } else {
        puts(text);
        fflush(stdout);
    }
}

// Looks at a step until a look comes to its end: each save in between begins a new one.
static void look_at(watching *w, int step) {
    while (step >= 0 && !ended) {
        time_t now = time(NULL);
        struct tm local;
        if (w->look->step != step) w->look->counted = false;
        if (w->look->step != step) w->below[0] = '\0';
        strftime(w->saved_at, sizeof w->saved_at, "%H:%M:%S", localtime_r(&now, &local));
        w->look->step = step;
        w->look->style = kl_style_for(stdout);
        w->look->rows = block_rows() - 4; // the heading, the times, a blank row, "next"
        w->look->compile_s = 0;
        w->begin_s = kl_now_s();
        if (w->terminal) draw_busy(w);
        if (ladder_look_at(w->look, is_over, w)) show(w);
        step = ladder_saves_take(&w->saves);
    }
}

// Before the first save: what a first look would have to wait for.
static kl_status prepare(watching *w, kl_error *err) {
    const char *targets[] = {w->lab->problem->name};
    bool failed = false;
    TRY(ladder_kit_find(&w->kit, err));
    TRY(ladder_kit_build(&w->kit, targets, 1, &failed, err));
    if (failed)
        return kl_fail(err, KL_ERROR_SYSTEM,
                       "the lab's program does not build; see ./ladder doctor");
    return ladder_saves_open(&w->kit, w->lab, w->only ? w->only->number : -1, w->poll, &w->saves,
                             err);
}

// Typed characters would break the block; Ctrl-C still works.
static void begin_terminal(watching *w) {
    if (!w->terminal) return;
    w->typed_known = tcgetattr(STDIN_FILENO, &w->typed) == 0;
    struct termios silent = w->typed;
    silent.c_lflag &= ~(tcflag_t)(ECHO | ICANON);
    if (w->typed_known) tcsetattr(STDIN_FILENO, TCSANOW, &silent);
    fputs("\033[?25l", stdout); // no cursor
}

static void end_terminal(const watching *w) {
    if (!w->terminal) return;
    if (w->typed_known) tcsetattr(STDIN_FILENO, TCSAFLUSH, &w->typed);
    fputs("\033[?25h", stdout);
    fflush(stdout);
}

static void watch(watching *w) {
    struct sigaction action = {.sa_handler = end};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    w->terminal = isatty(STDOUT_FILENO) != 0;
    w->look->kit = &w->kit;
    w->look->lab = w->lab;
    printf("watching labs/%s/steps: save %s; Ctrl-C ends\n", w->lab->folder,
           w->only ? w->only->name : "a step");
    fflush(stdout);
    begin_terminal(w);
    if (w->only) look_at(w, w->only->number);
    while (!ended) {
        look_at(w, ladder_saves_take(&w->saves));
        if (!ended) ladder_saves_wait(&w->saves, 1);
    }
    end_terminal(w);
}

static kl_status start(const ladder_arguments *arguments, watching *w, kl_error *err) {
    TRY(ladder_lab_require(arguments->positional[0], &w->lab, err));
    if (arguments->count == 2)
        TRY(ladder_lab_require_step(w->lab, arguments->positional[1], &w->only, err));
    w->look = ladder_look_new();
    if (!w->look) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a look at a step");
    kl_status status = prepare(w, err);
    if (status == KL_OK) watch(w);
    ladder_saves_close(&w->saves);
    ladder_look_free(w->look);
    return status;
}

int ladder_cmd_watch(int argc, char **argv) {
    bool poll = false;
    const ladder_option options[] = {
        OPT_FLAG("--poll", &poll,
                 "look at the files four times a second: for folders on a network"),
    };
    LADDER_COMMAND_BEGIN(usage, options);
    if (arguments.count < 1 || arguments.count > 2)
        return ladder_command_misused(argv[0], "expected a lab, and perhaps a step, for example: "
                                               "./ladder watch reduction 3");
    kl_error err = {KL_OK, ""};
    watching *w = calloc(1, sizeof *w);
    if (!w) return LADDER_EXIT_FAILED;
    w->poll = poll;
    w->saves.fd = -1;
    kl_status status = start(&arguments, w, &err);
    free(w);
    return status == KL_OK ? LADDER_EXIT_OK : ladder_command_fail(argv[0], &err);
}
