// libcuda.so.1 as a program has it that is linked with -lcuda: its calls reach the loaded runtime.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void expect(const char *what, int got, int wanted) {
    if (got == wanted) return;
    printf("%s: %d, expected %d\n", what, got, wanted);
    failures++;
}

static void *function(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (!found) printf("%s is missing\n", name);
    failures += !found;
    return found;
}

// argv: a runtime, the driver's library.
int main(int argc, char **argv) {
    void *runtime = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
    void *driver = runtime ? dlopen(argv[2], RTLD_LAZY) : NULL;
    if (!driver) {
        printf("%s\n", dlerror());
        return 1;
    }
    int (*init)(unsigned) = (int (*)(unsigned))function(driver, "cuInit");
    int (*name)(int, const char **) =
        (int (*)(int, const char **))function(driver, "cuGetErrorName");
    int (*move)(void *, void *) =
        (int (*)(void *, void *))function(driver, "cuTensorMapReplaceAddress");
    function(driver, "cuTensorMapEncodeTiled");
    function(driver, "cuMemAlloc_v2");
    function(driver, "cuMemAddressReserve");
    if (failures) return 1;
    const char *text = "";
    expect("cuInit(0)", init(0), 0);
    expect("cuInit(1)", init(1), 1);
    expect("cuGetErrorName", name(1, &text), 0);
    expect("a name", strcmp(text, "CUDA_ERROR_INVALID_VALUE"), 0);
    // What it does not have is refused by name, in every version.
    static const char *const refused[] = {"cuMemExportToShareableHandle",
                                          "cuMemImportFromShareableHandle",
                                          "cuMipmappedArrayCreate",
                                          "cuGraphConditionalHandleCreate",
                                          "cuCtxCreate_v2",
                                          "cuGraphAddNode_v2"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        int (*call)(void) = (int (*)(void))function(driver, refused[i]);
        if (call) expect(refused[i], call(), 801);
    }
    expect("a map without a context", move(NULL, NULL), 201);
    return failures != 0;
}
