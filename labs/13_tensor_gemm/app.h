// The application of lab 13 (`ladder run tensor_gemm --app`): lab 09's network, its products on
// this lab's step, with inputs of float, half and bfloat16.
#pragma once

#include "model/model.h"
#include "products/products.h"

enum { NET_MOST_BATCH = 64 };

// ---- app_layers.c: layers of lab 09 as products ------------------------------------------------

// cnn_ops.instead: context is net_products.
kl_status net_products_run(void *context, const cnn_task *task, bool *out_done, kl_error *err);

// ---- app_layers.c: whether they are right -------------------------------------------------------

// A small layer of each kind on the step and on the host. KL_ERROR_INPUT when they differ by more
// than the type explains; *out_most: by how much, as a share of a result's largest value.
kl_status net_check_layers(net_products *products, double *out_most, kl_error *err);
