// SPDX-License-Identifier: MIT
// Whole changes of executable graphs.
#ifndef SIM_RUNTIME_GRAPH_UPDATE_H
#define SIM_RUNTIME_GRAPH_UPDATE_H

#include "runtime/graph/graph.h"

// Makes `now`, the graph of an executable one or inside it, do what `then` does, if its nodes allow
// that. cudaErrorGraphExecUpdateFailure if not: then *out_info says where they differ.
cudaError_t runtime_graph_update(struct CUgraph_st *now, const struct CUgraph_st *then,
                                 cudaGraphExecUpdateResultInfo *out_info);

#endif
