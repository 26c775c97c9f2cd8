// SPDX-License-Identifier: MIT
// A graph as text for Graphviz.
#ifndef SIM_RUNTIME_GRAPH_DOT_H
#define SIM_RUNTIME_GRAPH_DOT_H

#include <stdio.h>

#include "runtime/graph/graph.h"

// `flags`: enum cudaGraphDebugDotFlags.
void runtime_graph_print(FILE *file, const struct CUgraph_st *graph, unsigned flags);

#endif
