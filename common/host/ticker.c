// SPDX-License-Identifier: MIT
// What goes on, on standard error: see table.h.
#include "table.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "this_machine.h"

enum { TICKS_PER_SECOND = 4 };
static const double silent_s = 1.75; // with a tick less than two seconds

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // of what follows
static char said[256];                                   // "": nothing goes on
static double since_s, shown_s; // when it began, and when something was last shown
static bool started, terminal;

static void show(void) {
    double now_s = kl_now_s();
    char seconds[32] = "";
    if (now_s - since_s >= 1) snprintf(seconds, sizeof seconds, ", %.0f s", now_s - since_s);
    if (terminal) // what a step prints begins its line anew
        fprintf(stderr, "\r\033[K%s%s\r", said, said[0] != '\0' ? seconds : "");
    else if (said[0] != '\0')
        fprintf(stderr, "%s%s\n", said, seconds);
    fflush(stderr);
    shown_s = now_s;
}

static void *tick(void *unused) {
    (void)unused;
    for (;;) {
        usleep(1000000 / TICKS_PER_SECOND);
        pthread_mutex_lock(&lock);
        double quiet_s = kl_now_s() - shown_s;
        if (said[0] != '\0' && quiet_s >= (terminal ? 1 : silent_s)) show();
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

// Signals stay with the thread that waits for them: one that ended here would wake nobody.
static void start(void) {
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, tick, NULL) == 0) pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void kl_ticker_say(const char *text) {
    pthread_mutex_lock(&lock);
    bool was = said[0] != '\0';
    snprintf(said, sizeof said, "%s", text);
    since_s = kl_now_s();
    if (!started) {
        started = true;
        terminal = isatty(STDERR_FILENO) != 0;
        shown_s = since_s;
        start();
    }
    if (!was) shown_s = since_s; // something else was shown until now
    if (terminal && (was || said[0] != '\0')) show();
    pthread_mutex_unlock(&lock);
}
