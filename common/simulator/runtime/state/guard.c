// Keeps the device's addresses out of reach of host code. The ranges of base/base.h are
// reserved without access, so that a host dereference of a device pointer faults as on a GPU, and
// the fault is explained before the program's own handler, or the system's default, has it.
#include "runtime/state/internal.h"
#include "records.h"
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct span {
    uint64_t base, bytes;
} span;

static const span device_spans[] = {
    {SIM_GLOBAL_BASE, SIM_GLOBAL_SPAN},
    {SIM_SHARED_WINDOW, SIM_WINDOW_BYTES},
    {SIM_LOCAL_WINDOW, SIM_WINDOW_BYTES},
    {SIM_PARAM_WINDOW, SIM_WINDOW_BYTES},
};
enum { SPANS = sizeof device_spans / sizeof *device_spans };
#if defined(__SANITIZE_THREAD__) // lets no program map where the windows are
enum { RESERVED_SPANS = 1 };
#else
enum { RESERVED_SPANS = SPANS };
#endif

static struct sigaction previous_action;

bool runtime_is_device_address(uint64_t address) {
    for (int i = 0; i < SPANS; i++)
        if (address - device_spans[i].base < device_spans[i].bytes) return true;
    return false;
}

enum { REPORT_BYTES = sizeof((kl_record *)NULL)->is.crash };

// Appends to a report that is not yet full; snprintf with integers and strings only, which neither
// allocates nor locks.
__attribute__((format(printf, 2, 3))) static void add(char *report, const char *format, ...) {
    size_t used = strlen(report);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report + used, REPORT_BYTES - used, format, arguments);
    va_end(arguments);
}

static void add_memory(char *report, uint64_t address) {
    if (address - SIM_GLOBAL_BASE >= SIM_GLOBAL_SPAN) {
        add(report, "That is an address of a kernel's shared, local or parameter memory.\n");
        return;
    }
    // The faulting thread may hold the lock, or another may change the table.
    if (pthread_mutex_trylock(&runtime.lock) != 0) {
        add(report, "That is device memory.\n");
        return;
    }
    const runtime_range *range = runtime_range_find(address);
    if (range)
        add(report, "That is device memory: byte %llu of the %llu bytes at 0x%llx.\n",
            (unsigned long long)(address - range->base), (unsigned long long)range->bytes,
            (unsigned long long)range->base);
    else add(report, "That is device memory, but of no allocation of this program.\n");
    pthread_mutex_unlock(&runtime.lock);
}

static void add_place(char *report, const ucontext_t *context) {
    char place[REPORT_BYTES / 2];
    if (runtime_code_place(runtime_fault_code(context), place, sizeof place))
        add(report, "at %s\n", place);
}

static void explain(uint64_t address, const ucontext_t *context) {
    bool write_access = runtime_fault_writes(context);
    kl_record record = {.kind = KL_RECORD_CRASH};
    char *report = record.is.crash;
    add(report, "host code %s 0x%llx, which only the device can reach.\n",
        write_access ? "wrote to" : "read", (unsigned long long)address);
    add_memory(report, address);
    add(report,
        "A device pointer cannot be dereferenced on the host: copy the data "
        "with cudaMemcpy (%s), or allocate it with cudaMallocManaged.\n",
        write_access ? "cudaMemcpyHostToDevice" : "cudaMemcpyDeviceToHost");
    add_place(report, context);
    int records = kl_records_wanted(); // by who starts the program, or by it before it forked
    if (records >= 0 && kl_record_send(records, &record)) return;
    static const char who[] = "simulator: ";
    ssize_t ignored = write(STDERR_FILENO, who, sizeof who - 1);
    ignored += write(STDERR_FILENO, report, strlen(report));
    (void)ignored;
}

// The program falls over what a function that the simulator does not have was to give it.
static void explain_refused(void) {
    char report[REPORT_BYTES] = "";
    add(report,
        "simulator: the program crashes after %s, which the simulator does not support: this may "
        "follow from it.\n",
        runtime_first_refused());
    ssize_t ignored = write(STDERR_FILENO, report, strlen(report));
    (void)ignored;
}

// Hands the signal on: to the handler that was there, else to the default by faulting again.
static void chain(int number, siginfo_t *info, void *context) {
    if (previous_action.sa_flags & SA_SIGINFO) {
        previous_action.sa_sigaction(number, info, context);
    } else if (previous_action.sa_handler == SIG_DFL || previous_action.sa_handler == SIG_IGN) {
        struct sigaction plain = {.sa_handler = SIG_DFL};
        sigaction(SIGSEGV, &plain, NULL);
        if (info->si_code <= 0) raise(SIGSEGV); // sent by kill: nothing will fault again
    } else {
        previous_action.sa_handler(number);
    }
}

static void on_fault(int number, siginfo_t *info, void *context) {
    uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    if (info->si_code > 0 && runtime_is_device_address(address)) explain(address, context);
    else if (info->si_code > 0 && runtime_first_refused()[0]) explain_refused();
    chain(number, info, context);
}

// A range that cannot be reserved (a limit on address space) is unmapped anyway and faults as well.
static void reserve(const span *range) {
    void *want = (void *)(uintptr_t)range->base;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    void *got = mmap(want, range->bytes, PROT_NONE, flags, -1, 0);
    if (got != MAP_FAILED && got != want) munmap(got, range->bytes); // kernels before 4.17
}

void runtime_guard_install(void) {
    for (int i = 0; i < RESERVED_SPANS; i++) reserve(&device_spans[i]);
    const char *off = getenv("LADDER_SIM_NO_SIGNAL");
    if (off && *off && strcmp(off, "0") != 0) return;
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &previous_action);
}
