// SPDX-License-Identifier: MIT
// The work of a node, done.
#ifndef SIM_RUNTIME_GRAPH_RUN_H
#define SIM_RUNTIME_GRAPH_RUN_H

#include "runtime/graph/work.h"

// Does it now, in `queue`. Host functions run with the runtime's lock free.
cudaError_t runtime_work_run(const runtime_work *work, runtime_queue *queue);

#endif
