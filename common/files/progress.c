// A progress bar on a terminal: see files.h.
#include "files.h"
#include "this_machine.h"

enum { CELLS = 24, NAME_CELLS = 24, LINE = 160 };

kl_bar kl_bar_begin(const char *name) {
    return (kl_bar){.name = name,
                    .out = isatty(STDERR_FILENO) ? stderr : NULL,
                    .begun_s = kl_now_s(),
                    .shown_s = -1};
}

double kl_bar_seconds(const kl_bar *bar) { return kl_now_s() - bar->begun_s; }

void kl_bar_text(const char *name, double share, const char *remark, char *out, size_t bytes) {
    name = basename(name);
    if (!(share >= 0)) {
        snprintf(out, bytes, "%.*s  %s", NAME_CELLS, name, remark);
        return;
    }
    share = share > 1 ? 1 : share;
    char bar[CELLS + 1];
    for (int i = 0; i < CELLS; i++) bar[i] = (double)i + 0.5 < share * CELLS ? '#' : '-';
    bar[CELLS] = '\0';
    snprintf(out, bytes, "%.*s [%s] %3.0f %%  %s", NAME_CELLS, name, bar, 100 * share, remark);
}

void kl_bar_show(kl_bar *bar, double share, const char *remark) {
    double now = kl_now_s();
    if (!bar->out || (bar->shown_s >= 0 && now - bar->shown_s < 0.1)) return;
    char text[LINE];
    kl_bar_text(bar->name, share, remark, text, sizeof text);
    fprintf(bar->out, "\r\033[K%s", text);
    fflush(bar->out);
    bar->shown_s = now;
}

void kl_bar_end(kl_bar *bar) {
    if (!bar->out || bar->shown_s < 0) return;
    fputs("\r\033[K", bar->out);
    fflush(bar->out);
}
