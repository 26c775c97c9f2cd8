// Snapshots: processes that sleep until their moment is wanted again. A snapshot that is woken
// forks once more and sleeps on, so that it can be woken any number of times. There are few of
// them, close together before the present and far apart before that.
#include "debug/internal.h"
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Memory of all snapshots together: each has at most what the process had when it was made.
static const uint64_t most_bytes = UINT64_C(2) << 30;

static bool is_alive(pid_t process) { return kill(process, 0) == 0 || errno != ESRCH; }

// Whether the client has closed its end.
static bool is_alone(int descriptor, int wait_ms) {
    struct pollfd end = {.fd = descriptor};
    return poll(&end, 1, wait_ms) > 0 && (end.revents & (POLLHUP | POLLERR | POLLNVAL));
}

// The process that the engine's owner sees.
static _Noreturn void wait_for_end(int descriptor, debug_board *board) {
    const int look_ms = 50;
    while (!board->ended && is_alive(board->live) && !is_alone(descriptor, look_ms)) {
        if (board->ended) break;
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    debug_snapshots_end(board);
    if (!board->ended) kill(board->live, SIGKILL);
    _exit(board->ended ? board->status : 1);
}

sim_status sim_debugger_new(int descriptor, sim_debugger **out_debugger, kl_error *err) {
    sim_debugger *debugger = calloc(1, sizeof *debugger);
    debug_board *board =
        mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!debugger || board == MAP_FAILED) {
        free(debugger);
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no host memory for the debugger");
    }
    signal(SIGCHLD, SIG_IGN); // nobody waits for a snapshot
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    board->root = getpid();
    pid_t child = fork();
    if (child < 0) {
        munmap(board, sizeof *board);
        free(debugger);
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no process for the debugger");
    }
    board->live = child > 0 ? child : getpid();
    if (child > 0) wait_for_end(descriptor, board);
    debugger->descriptor = descriptor;
    debugger->board = board;
    *out_debugger = debugger;
    return SIM_OK;
}

_Noreturn void sim_debugger_exit(sim_debugger *debugger, int status) {
    debugger->board->status = status;
    debugger->board->ended = true;
    _exit(status);
}

// How many snapshots this process may have.
static uint32_t most_snapshots(void) {
    enum { LEAST = 3 };
    unsigned long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%lu %lu", &total, &resident) != 2) resident = 0;
    if (file) fclose(file);
    uint64_t bytes = (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t most = bytes ? most_bytes / bytes : DEBUG_SNAPSHOTS;
    if (most > DEBUG_SNAPSHOTS) most = DEBUG_SNAPSHOTS;
    return most < LEAST ? LEAST : (uint32_t)most;
}

static void remove_at(debug_board *board, uint32_t index) {
    kill(board->snapshots[index].process, SIGKILL);
    board->has_owner[board->snapshots[index].bell] = false;
    board->snapshot_count--;
    for (uint32_t i = index; i < board->snapshot_count; i++)
        board->snapshots[i] = board->snapshots[i + 1];
}

// Takes out the one whose neighbours are nearest to each other, seen from the present. The first
// stays.
static void thin_out(debug_board *board, uint64_t now) {
    uint32_t best = 1;
    double best_share = 2;
    for (uint32_t i = 1; i < board->snapshot_count; i++) {
        uint64_t before = board->snapshots[i - 1].time;
        uint64_t behind = i + 1 < board->snapshot_count ? board->snapshots[i + 1].time : now;
        double share = (double)(behind - before) / (double)(now - before);
        if (share > best_share) continue;
        best = i;
        best_share = share;
    }
    remove_at(board, best);
}

// Comes back in the child of a snapshot that was woken.
static void sleep_until_woken(debug_board *board, sem_t *bell) {
    enum { LOOK_S = 1 };
    for (;;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += LOOK_S;
        if (sem_timedwait(bell, &until) != 0) {
            if (!is_alive(board->root)) _exit(0);
            continue;
        }
        pid_t child = fork();
        if (child > 0) continue; // the child itself says that it lives: it may be over by now
        board->live = getpid();  // also without a child: better no snapshot than no launch
        return;
    }
}

static double processor_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool debug_snapshot_is_due(const sim_debugger *debugger) {
    const double apart_s = 0.03;
    const debug_board *board = debugger->board;
    if (board->snapshot_count == 0) return true;
    uint64_t last = board->snapshots[board->snapshot_count - 1].time, now = debugger->now.time;
    if (now <= last) return false;
    return now - last >= DEBUG_INTERVAL || processor_s() - debugger->snapped_s > apart_s;
}

static uint32_t free_bell(const debug_board *board) {
    uint32_t bell = 0;
    while (board->has_owner[bell]) bell++;
    return bell;
}

bool debug_snapshot_take(sim_debugger *debugger) {
    debug_board *board = debugger->board;
    uint64_t now = debugger->now.time;
    if (board->snapshot_count == 0) board->snapshot_most = most_snapshots();
    if (board->snapshot_count >= board->snapshot_most) thin_out(board, now);
    uint32_t bell = free_bell(board);
    sem_init(&board->bells[bell], 1, 0);
    pid_t child = fork();
    if (child == 0) {
        sleep_until_woken(board, &board->bells[bell]);
        debugger->snapped_s = processor_s();
        return true;
    }
    debugger->snapped_s = processor_s();
    if (child < 0) return false;
    board->has_owner[bell] = true;
    board->snapshots[board->snapshot_count++] = (debug_snapshot){now, child, bell};
    return false;
}

uint32_t debug_snapshot_before(const debug_board *board, uint64_t time) {
    uint32_t index = board->snapshot_count - 1;
    while (index > 0 && board->snapshots[index].time > time) index--;
    return index;
}

void debug_snapshots_drop(debug_board *board, uint64_t time) {
    while (board->snapshot_count > 1 && board->snapshots[board->snapshot_count - 1].time > time)
        remove_at(board, board->snapshot_count - 1);
}

void debug_snapshots_end(debug_board *board) {
    while (board->snapshot_count > 0) remove_at(board, board->snapshot_count - 1);
}

_Noreturn void debug_snapshot_wake(sim_debugger *debugger, uint32_t index) {
    debug_board *board = debugger->board;
    board->live = board->snapshots[index].process;
    sem_post(&board->bells[board->snapshots[index].bell]);
    _exit(0);
}
