// Compares names and texts of all error codes with those of the toolkit's own libcudart, whose path
// is the argument: it needs no GPU for that. Linked with the drop-in's table.
#include <dlfcn.h>

#include "runtime/base/base.h"

typedef const char *(*text_fn)(cudaError_t err);

int main(int argc, char **argv) {
    void *real = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!real) {
        printf("skipped: the toolkit's libcudart cannot be opened\n");
        return 77;
    }
    text_fn real_name = (text_fn)dlsym(real, "cudaGetErrorName");
    text_fn real_text = (text_fn)dlsym(real, "cudaGetErrorString");
    if (!real_name || !real_text) return 1;
    int compared = 0, wrong = 0, version = 0;
    int (*get_version)(int *) = (int (*)(int *))dlsym(real, "cudaRuntimeGetVersion");
    if (!get_version || get_version(&version) != 0 ||
        version / 1000 != RUNTIME_CUDA_VERSION / 1000) {
        printf("skipped: the toolkit's libcudart is of version %d\n", version);
        return 77;
    }
    for (int code = -1; code < 1200; code++, compared++) {
        if (strcmp(real_name((cudaError_t)code), sim_error_name((cudaError_t)code)) == 0 &&
            strcmp(real_text((cudaError_t)code), sim_error_text((cudaError_t)code)) == 0)
            continue;
        wrong++;
        printf("%d: %s, %s\n", code, real_name((cudaError_t)code), real_text((cudaError_t)code));
    }
    printf("%d codes compared, %d differ\n", compared, wrong);
    return wrong != 0 || compared == 0;
}
