// SPDX-License-Identifier: MIT
// Lab 08, step 0: the product on the host, row by row (the lecture's first listing). Given: it
// shows how CSR is read. No kernel is launched.
#include "spmv.h"

template <typename T> static void multiply(const spmv_matrix *a, const T *x, T *y) {
    const T *val = (const T *)a->val;
    for (int64_t i = 0; i < a->rows; i++) {
        T sum = 0;
        for (int32_t k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            sum += val[k] * x[a->col[k]];
        }
        y[i] = sum;
    }
}

extern "C" int spmv_step0(const spmv_matrix *a, const void *x, void *y,
                          const spmv_prepared *prepared) {
    (void)prepared;
    if (a->type == SPMV_FLOAT) {
        multiply(a, (const float *)x, (float *)y);
    } else {
        multiply(a, (const double *)x, (double *)y);
    }
    return 0;
}
