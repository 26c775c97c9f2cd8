// The import audit: rules, real object files, damaged object files, header lists.
#include "grade/submission/submission.h"

#include "suite.h"

static kl_error err;

static bool allowed(const char *symbol) {
    const char *reason = "";
    return ladder_import_allowed(symbol, NULL, 0, &reason);
}

KL_TEST(rules_decide) {
    static const char *const good[] = {"cudaMalloc", "__cudaRegisterFatBinary", "memcpy", "sqrtf",
                                       "printf",     "__cxa_guard_acquire",     "_ZdlPvm"};
    static const char *const bad[] = {"cublasSgemm_v2",
                                      "dlopen",
                                      "pthread_create",
                                      "socket",
                                      "clock_gettime",
                                      "time",
                                      "fork",
                                      "cuLaunchKernel",
                                      "cudaLaunchHostFunc",
                                      "cudaGetDriverEntryPoint",
                                      "open64",
                                      "syscall",
                                      "getenv",
                                      "never_heard_of",
                                      "cudaDeviceReset"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        ck_assert_msg(allowed(good[i]), "%s", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_msg(!allowed(bad[i]), "%s", bad[i]);
    static const char *const extra[] = {"cublas*"};
    const char *reason = "";
    ck_assert(ladder_import_allowed("cublasCreate_v2", extra, 1, &reason));
}

KL_TEST(object_files_are_audited) {
    ladder_elf elf;
    OK_OR_SAY(ladder_elf_read(TEST_ALLOWED_OBJECT, &elf, &err), err);
    ck_assert(ladder_elf_defines(&elf, "reduction_step1"));
    ck_assert(!ladder_elf_defines(&elf, "reduction_step2"));
    ck_assert(!elf.has_device_code);
    OK_OR_SAY(ladder_import_audit(&elf, NULL, 0, &err), err);
    ladder_elf_free(&elf);
    OK_OR_SAY(ladder_elf_read(TEST_FORBIDDEN_OBJECT, &elf, &err), err);
    ck_assert_int_eq(ladder_import_audit(&elf, NULL, 0, &err), KL_ERROR_INPUT);
    KL_HAS(err.text, "and more");
    ladder_elf_free(&elf);
}

KL_TEST(damaged_object_files_are_refused_or_read_but_never_followed) {
    char *bytes = NULL;
    size_t size = 0;
    char folder[LADDER_PATH];
    OK(ladder_file_read(AT_FDCWD, TEST_FORBIDDEN_OBJECT, 1 << 24, &bytes, &size, &err));
    OK(ladder_folder_temporary(folder, &err));
    const char *path = kl_own_text("%s/x.o", folder);
    uint64_t random = 1;
    for (int round = 0; round < 2000; round++) {
        char *copy = malloc(size);
        memcpy(copy, bytes, size);
        for (int change = 0; change < 4; change++) {
            random = random * 6364136223846793005ULL + 1442695040888963407ULL;
            bool head = change < 2; // headers matter most
            size_t at = (size_t)(random >> 33) % (head ? 64 : size);
            copy[at] = (char)(random >> 17);
        }
        size_t kept = round % 3 == 0 ? (size_t)(random >> 40) % size : size;
        OK(ladder_file_write(path, copy, kept, &err));
        ladder_elf elf;
        if (ladder_elf_read(path, &elf, &err) == KL_OK) {
            ladder_import_audit(&elf, NULL, 0, &err);
            ladder_elf_free(&elf);
        }
        free(copy);
    }
    ladder_folder_remove(folder);
    free(bytes);
}

KL_TEST(shared_libraries_tell_what_they_need) {
    ladder_elf elf;
    ck_assert_int_eq(ladder_elf_read("/proc/self/exe", &elf, &err), KL_ERROR_INPUT); // a link
    OK_OR_SAY(ladder_elf_read(TEST_PROGRAM, &elf, &err), err);
    ck_assert(ladder_elf_needs(&elf, "libc.so.6"));
    ck_assert(!ladder_elf_needs(&elf, "libcudart.so"));
    ladder_elf_free(&elf);
}

static kl_status audit_headers(const char *rule) {
    static const char *const roots[] = {"/usr/include", "/bin"};
    char text[512];
    snprintf(text, sizeof text, "%s", rule);
    return ladder_include_audit(text, "/usr/share", roots, 2, &err);
}

KL_TEST(headers_must_lie_below_the_roots) {
    OK(audit_headers("x.o : /usr/include/stdio.h \\\n /usr/include/stdlib.h\n"));
    ck_assert_int_eq(audit_headers("x.o: /usr/include/../../etc/passwd\n"), KL_ERROR_INPUT);
    ck_assert_int_eq(audit_headers("x.o: /usr/include/stdio.h \\\n  /etc/passwd\n"),
                     KL_ERROR_INPUT);
    KL_HAS(err.text, "/etc/passwd");
    OK(audit_headers(""));
    // Names are those that the compiler saw in its own folder.
    OK(audit_headers("x.o: ../include/stdio.h\n"));
    ck_assert_int_eq(audit_headers("x.o: ../../etc/passwd\n"), KL_ERROR_INPUT);
    ck_assert_int_eq(audit_headers("x.o: gone.h\n"), KL_ERROR_INPUT);
}

static kl_status audit_message(const char *log) {
    static const char *const roots[] = {"/usr/include"};
    return ladder_message_audit(log, "/usr/share", roots, 1, &err);
}

KL_TEST(messages_quote_no_other_file) {
    OK(audit_message("x.cu(3): error: bad\n/usr/include/stdio.h:9:1: error: bad\n"));
    OK(audit_message("/bin/sh: 1: cicc: not found\nnvcc error\n"));
    ck_assert_int_eq(audit_message("/etc/passwd(1): error: bad\n  root:x\n"), KL_ERROR_INPUT);
    ck_assert_int_eq(audit_message("x\n../../etc/passwd:1:2: error: bad\n"), KL_ERROR_INPUT);
    ck_assert_int_eq(audit_message("In file included from /etc/passwd:1:\n"), KL_ERROR_INPUT);
}

KL_TEST_MAIN("imports")
