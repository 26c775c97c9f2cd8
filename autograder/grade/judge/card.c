// Who uses the GPU: see judge.h.
#include "grade/judge/judge.h"
#include <sys/file.h>

// A waiting lock would give no sign of life.
static void wait_for(ladder_card *card, int fd, int operation) {
    double start = kl_now_s();
    while (fd > 0 && flock(fd, operation | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        ladder_process_rest();
    card->waited_s += kl_now_s() - start;
}

static int open_lock(const char *folder, const char *name) {
    char path[LADDER_PATH];
    if (ladder_path(path, NULL, "%s/%s", folder, name) != KL_OK) return 0;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    return fd > 0 ? fd : 0;
}

void ladder_card_take(const char *folder, bool timing, ladder_card *out_card) {
    *out_card = (ladder_card){.use_fd = 0};
    if (!folder) return;
    if (timing) {
        out_card->timing_fd = open_lock(folder, "timing.lock");
        wait_for(out_card, out_card->timing_fd, LOCK_EX);
    }
    out_card->use_fd = open_lock(folder, "card.lock");
    wait_for(out_card, out_card->use_fd, LOCK_SH);
}

void ladder_card_alone(ladder_card *card) {
    if (card->alone_from_s > 0) return;
    wait_for(card, card->use_fd, LOCK_EX);
    card->alone_from_s = kl_now_s();
}

void ladder_card_share(ladder_card *card) {
    if (!(card->alone_from_s > 0)) return;
    card->alone_s += kl_now_s() - card->alone_from_s;
    card->alone_from_s = 0;
    wait_for(card, card->use_fd, LOCK_SH);
}

void ladder_card_give(ladder_card *card) {
    if (card->alone_from_s > 0) card->alone_s += kl_now_s() - card->alone_from_s;
    card->alone_from_s = 0;
    if (card->use_fd > 0) close(card->use_fd);
    if (card->timing_fd > 0) close(card->timing_fd);
    card->use_fd = card->timing_fd = 0;
}
