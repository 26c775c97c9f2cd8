// The program's own accesses to shared memory: see internal.h. An access to a protected page
// raises SIGSEGV; it is noted, the pages are opened for this one instruction (the processor's trap
// flag, SIGTRAP) and protected again. A system call would fail with EFAULT on such a page: Linux
// hands the calls of a thread to a handler first (Syscall User Dispatch, prctl(2), Linux 5.11),
// which opens the pages for the call in the same way. This works for one thread, so nothing is
// protected while the program has several; nor while it has a signal handler of its own that would
// come in between. What changes any of this is itself a system call, and leaves the pages open
// until the next call of the runtime, which looks again. Linux hands over the calls of a thread on
// x86-64 alone, where alone a program can step itself as well: elsewhere nothing is looked at.
#include "runtime/state/internal.h"

#if defined(__x86_64__)

#include "runtime/state/internal.h"
#include "runtime/state/internal.h"
#include "runtime/state/state.h"
#include <execinfo.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    WATCHED = 256,   // protected at the same time; more stay as they are
    ACCESSES = 1024, // noted between two calls; then all is opened
    FRAMES = 4,      // of one access
    SMALL_STACK = 64 << 10,
    TRAP_FLAG = 1 << 8,  // of x86's flags
    SYSCALL_BYTES = 2,   // of the instruction `syscall`
    RETURN_BYTES = 10,   // of the C library's return from a handler, and one behind
    USER_DISPATCH = 59,  // PR_SET_SYSCALL_USER_DISPATCH
    BY_USER_DISPATCH = 2 // SYS_USER_DISPATCH, a si_code
};

enum { ALLOW, BLOCK }; // SYSCALL_DISPATCH_FILTER_

// Pages that work in progress uses.
typedef struct watched {
    uint64_t base, end;
    uint32_t use;   // sim_pages_use
    bool is_opened; // until the next call: its first access has been noted
} watched;

typedef struct host_access {
    uint64_t address;
    bool writes;
    int frame_count;
    void *frames[FRAMES]; // as runtime_program_frames has them
} host_access;

static struct {
    volatile char selector; // read by the kernel
    bool on, is_closed, is_stepping;
    pid_t thread; // that hands its system calls to us; 0: none
    watched spans[WATCHED];
    int span_count;
    host_access accesses[ACCESSES];
    int access_count;
    struct sigaction previous[3]; // of `signals`
} watch;

static const int signals[] = {SIGSEGV, SIGTRAP, SIGSYS};
enum { SIGNALS = sizeof signals / sizeof *signals };

// ---- pages --------------------------------------------------------------------------------------

static void set_pages(bool closed) {
    for (int i = 0; i < watch.span_count; i++) {
        const watched *s = &watch.spans[i];
        int protection = PROT_READ | PROT_WRITE;
        if (closed && s->is_opened) continue;
        if (closed) protection = s->use & SIM_PAGES_WRITTEN ? PROT_NONE : PROT_READ;
        mprotect((void *)(uintptr_t)s->base, s->end - s->base, protection);
    }
}

static void open_all(void) {
    watch.selector = ALLOW;
    set_pages(false);
    watch.is_closed = false;
}

static void close_all(void) {
    set_pages(true);
    watch.is_closed = true;
    watch.selector = BLOCK;
}

// What an access faults at; NULL: none.
static watched *faulting_span(uint64_t address, bool writes) {
    for (int i = 0; i < watch.span_count; i++) {
        watched *s = &watch.spans[i];
        bool closed = !s->is_opened && (writes || s->use & SIM_PAGES_WRITTEN);
        if (address >= s->base && address < s->end && closed) return s;
    }
    return NULL;
}

// ---- in signal handlers -------------------------------------------------------------------------

// All signals are blocked while ours run. What is not ours goes to the handler that was there, with
// the mask that it would have had; or, for want of one, happens again with the system's default.
static void hand_on(int number, siginfo_t *info, ucontext_t *context) {
    int which = 0;
    while (signals[which] != number) which++;
    const struct sigaction *previous = &watch.previous[which];
    sigset_t mask = context->uc_sigmask;
    for (int s = 1; s < NSIG; s++)
        if (sigismember(&previous->sa_mask, s) == 1) sigaddset(&mask, s);
    if (!(previous->sa_flags & SA_NODEFER)) sigaddset(&mask, number);
    bool is_default = previous->sa_handler == SIG_DFL || previous->sa_handler == SIG_IGN;
    if (is_default && !(previous->sa_flags & SA_SIGINFO)) {
        struct sigaction plain = {.sa_handler = SIG_DFL};
        sigaction(number, &plain, NULL);
        if (info->si_code <= 0 || number != SIGSEGV) raise(number);
        return;
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (previous->sa_flags & SA_SIGINFO) previous->sa_sigaction(number, info, context);
    else previous->sa_handler(number);
}

static void step_over(ucontext_t *context) {
    watch.is_stepping = true;
    context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void note(uint64_t address, bool writes, const ucontext_t *context) {
    void *code = (void *)(uintptr_t)runtime_fault_code(context);
    host_access *a = &watch.accesses[watch.access_count++];
    *a = (host_access){.address = address, .writes = writes};
    a->frame_count = runtime_interrupted_frames(code, a->frames, FRAMES);
}

// Notes an access to watched memory, which is open now.
static void note_at(watched *s, uint64_t address, bool writes, const ucontext_t *context) {
    note(address, writes, context);
    // Of pages that are used as a whole one access says it all.
    if (!(s->use & SIM_PAGES_IN_PART)) s->is_opened = true;
}

static void on_access(int number, siginfo_t *info, void *data) {
    ucontext_t *context = data;
    uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    bool writes = runtime_fault_writes(context);
    watched *s =
        watch.is_closed && info->si_code == SEGV_ACCERR ? faulting_span(address, writes) : NULL;
    int error = errno;
    if (!s) {
        watch.selector = ALLOW;
        if (watch.is_closed) open_all(); // for the handler of the program
        hand_on(number, info, context);
        return;
    }
    open_all();
    note_at(s, address, writes, context);
    if (watch.access_count < ACCESSES) step_over(context);
    errno = error;
}

static void on_trap(int number, siginfo_t *info, void *data) {
    ucontext_t *context = data;
    if (!watch.is_stepping || info->si_code <= 0) {
        hand_on(number, info, context);
        return;
    }
    int error = errno;
    watch.is_stepping = false;
    context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    close_all();
    errno = error;
}

// System calls after which pages, signals or threads may not be what they were.
static bool leaves_open(const siginfo_t *info, const ucontext_t *context) {
    switch (info->si_syscall) {
    case SYS_mmap: return context->uc_mcontext.gregs[REG_R10] & MAP_FIXED;
    case SYS_mprotect:
    case SYS_munmap:
    case SYS_mremap:
    case SYS_shmat:
    case SYS_shmdt:
    case SYS_rt_sigaction:
    case SYS_rt_sigprocmask:
    case SYS_sigaltstack:
    case SYS_prctl:
    case SYS_seccomp:
    case SYS_clone:
    case SYS_clone3:
    case SYS_fork:
    case SYS_vfork:
    case SYS_execve:
    case SYS_execveat:
    case SYS_exit:
    case SYS_exit_group: return true;
    default: return false;
    }
}

// The buffer that a system call reads or writes for the program.
static void note_buffer(const siginfo_t *info, const ucontext_t *context) {
    uint64_t buffer = (uint64_t)context->uc_mcontext.gregs[REG_RSI];
    bool writes = false;
    switch (info->si_syscall) {
    case SYS_read:
    case SYS_pread64:
    case SYS_recvfrom: writes = true; break;
    case SYS_write:
    case SYS_pwrite64:
    case SYS_sendto: break;
    default: return;
    }
    watched *s = faulting_span(buffer, writes);
    if (s && watch.access_count < ACCESSES) note_at(s, buffer, writes, context);
}

// The call is made again, by the instruction that made it, with open pages.
static void on_call(int number, siginfo_t *info, void *data) {
    ucontext_t *context = data;
    if (info->si_code != BY_USER_DISPATCH) {
        hand_on(number, info, context);
        return;
    }
    int error = errno;
    open_all();
    note_buffer(info, context);
    context->uc_mcontext.gregs[REG_RIP] -= SYSCALL_BYTES;
    context->uc_mcontext.gregs[REG_RAX] = info->si_syscall;
    // The kernel moves bytes for these when it likes, whatever pages are then.
    if (info->si_syscall == SYS_io_uring_setup || info->si_syscall == SYS_io_uring_enter)
        watch.on = false;
    else if (!leaves_open(info, context)) step_over(context);
    errno = error;
}

// ---- whether it is safe now ---------------------------------------------------------------------

static void (*const handlers[SIGNALS])(int, siginfo_t *, void *) = {on_access, on_trap, on_call};

// As the kernel has it: the C library hides the function that a handler returns to.
typedef struct kernel_sigaction {
    void *handler;
    unsigned long flags;
    void *restorer;
    uint64_t mask;
} kernel_sigaction;

static bool kernel_action(int number, kernel_sigaction *out_action) {
    return syscall(SYS_rt_sigaction, number, NULL, out_action, sizeof out_action->mask) == 0;
}

static bool has_ours(uint64_t mask) {
    for (int i = 0; i < SIGNALS; i++)
        if (mask >> (signals[i] - 1) & 1) return true;
    return false;
}

// A fault or a call while its signal is blocked ends the process.
static bool handlers_fit(void) {
    for (int number = 1; number < NSIG; number++) {
        kernel_sigaction action;
        int ours = 0;
        if (!kernel_action(number, &action)) continue;
        while (ours < SIGNALS && signals[ours] != number) ours++;
        if (ours < SIGNALS && action.handler != (void *)(uintptr_t)handlers[ours]) return false;
        bool is_handled = action.handler != (void *)SIG_DFL && action.handler != (void *)SIG_IGN;
        if (ours == SIGNALS && is_handled && has_ours(action.mask)) return false;
    }
    uint64_t blocked = 0;
    stack_t stack;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &blocked, sizeof blocked);
    bool fits = sigaltstack(NULL, &stack) == 0 &&
                (stack.ss_flags & SS_DISABLE || stack.ss_size >= SMALL_STACK);
    return fits && !has_ours(blocked);
}

// But for ours, which accesses nothing of the program.
static bool is_only_thread(void) {
    struct stat tasks;
    const unsigned self_and_parent = 2; // links that a folder of /proc has beside its folders
    const unsigned threads = runtime.is_helped ? 2 : 1;
    return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == self_and_parent + threads;
}

static bool hand_over_calls(void) {
    pid_t thread = (pid_t)syscall(SYS_gettid);
    kernel_sigaction action;
    if (watch.thread == thread) return true;
    if (!kernel_action(SIGSEGV, &action)) return false;
    if (prctl(USER_DISPATCH, 1, (unsigned long)(uintptr_t)action.restorer, RETURN_BYTES,
              &watch.selector) != 0)
        return false;
    watch.thread = thread;
    return true;
}

// ---- which pages --------------------------------------------------------------------------------

// Whether all of [base, end) is mapped for reading and writing: memory that the program registered
// may have been given back.
static bool is_plain(uint64_t base, uint64_t end) {
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    while (maps && base < end && fgets(line, sizeof line, maps)) {
        unsigned long long first, last;
        char rights[8];
        if (sscanf(line, "%llx-%llx %7s", &first, &last, rights) != 3) continue;
        if (first <= base && base < last && rights[0] == 'r' && rights[1] == 'w') base = last;
    }
    if (maps) fclose(maps);
    return base >= end;
}

// Pages of a run that are wholly the range's.
static void add_span(const runtime_range *range, uint64_t first, uint64_t end, uint32_t use) {
    uint64_t inner = (range->base + PAGE - 1) / PAGE * PAGE;
    uint64_t limit = range->base + range->bytes;
    // Pages of the engine's shared file are the range's to their end.
    bool registered = range->kind == RUNTIME_MEMORY_REGISTERED;
    limit = (registered ? limit : limit + PAGE - 1) / PAGE * PAGE;
    if (first % PAGE || end % PAGE) use |= SIM_PAGES_IN_PART;
    first = first / PAGE * PAGE;
    end = (end + PAGE - 1) / PAGE * PAGE;
    if (first < inner) first = inner;
    if (end > limit) end = limit;
    watched *last = watch.span_count > 0 ? &watch.spans[watch.span_count - 1] : NULL;
    if (first >= end) return;
    if (last && last->end > first && last->base <= first) { // two runs in one page
        last->end = end > last->end ? end : last->end;
        last->use |= use | SIM_PAGES_IN_PART;
        return;
    }
    if (watch.span_count == WATCHED || (registered && !is_plain(first, end))) return;
    watch.spans[watch.span_count++] = (watched){.base = first, .end = end, .use = use};
}

static void find_spans(void) {
    watch.span_count = 0;
    for (size_t i = 0; i < runtime.range_count && watch.span_count < WATCHED; i++) {
        const runtime_range *range = &runtime.ranges[i];
        uint64_t at = range->base, end = range->base + range->bytes, first, bytes = 1;
        uint32_t use;
        if (range->kind == RUNTIME_MEMORY_DEVICE || range->flags & cudaHostRegisterReadOnly)
            continue;
        for (; at < end && bytes; at = first + bytes) {
            if (sim_check_in_progress(runtime.engine, at, end - at, &first, &bytes, &use, NULL) !=
                    SIM_OK ||
                bytes == 0)
                break;
            add_span(range, first, first + bytes, use);
        }
    }
}

// ---- the calls of the runtime -------------------------------------------------------------------

void runtime_watch_start(void) {
    void *frame;
    const char *wanted = getenv("LADDER_SIM_HOST_ACCESSES");
    if (watch.on || !wanted || !*wanted || strcmp(wanted, "0") == 0) return;
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction action = {.sa_sigaction = handlers[i],
                                   .sa_flags = SA_SIGINFO | SA_ONSTACK};
        sigfillset(&action.sa_mask);
        sigaction(signals[i], &action, &watch.previous[i]);
    }
    watch.on = runtime.faults_are_findings && runtime.engine && hand_over_calls();
    if (!watch.on) {
        runtime_say("the host's accesses are not looked at: this needs an engine that checks, and "
                    "Syscall User Dispatch of Linux 5.11 or later");
        return;
    }
    backtrace(&frame, 1); // loads what it needs, which a handler must not do
    runtime.order.with_host = runtime.order.many = true;
}

void runtime_watch_open(void) {
    if (!watch.on) return;
    watch.is_stepping = false;
    if (watch.is_closed) open_all();
    runtime.order.changed |= watch.access_count > 0; // flags that the host has seen
    for (int i = 0; i < watch.access_count && runtime.engine; i++) {
        const host_access *a = &watch.accesses[i];
        char text[512], places[256];
        runtime_frames_text(a->frames, a->frame_count, places, sizeof places);
        snprintf(text, sizeof text, "host code\n%s", places);
        sim_check_host_access(runtime.engine, a->address, a->writes, text, NULL);
    }
    watch.access_count = 0;
}

void runtime_watch_close(void) {
    if (!watch.on || !runtime.engine || !runtime.order.unknown) return;
    if (runtime.order.changed) find_spans();
    runtime.order.changed = false;
    for (int i = 0; i < watch.span_count; i++) watch.spans[i].is_opened = false;
    if (watch.span_count == 0 || !is_only_thread() || !handlers_fit() || !hand_over_calls()) return;
    close_all();
}

void runtime_watch_forget(void) {
    watch.on = watch.is_closed = false;
    watch.selector = ALLOW;
}

#else

#include "runtime/state/state.h"

void runtime_watch_start(void) {
    const char *wanted = getenv("LADDER_SIM_HOST_ACCESSES");
    if (wanted && *wanted && strcmp(wanted, "0") != 0)
        runtime_say("the host's accesses are not looked at: this needs Syscall User Dispatch, "
                    "which Linux has on x86-64 only");
}

void runtime_watch_open(void) {}
void runtime_watch_close(void) {}
void runtime_watch_forget(void) {}

#endif
