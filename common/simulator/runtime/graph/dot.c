// A graph as text for Graphviz, as an H100's driver writes it (cudaGraphDebugDotPrint).
#include "runtime/graph/graph.h"

// Sizes as an H100's driver writes them: without the ones at the end.
static void print_size(FILE *file, dim3 size) {
    if (size.z > 1) fprintf(file, "\\{%u,%u,%u\\}", size.x, size.y, size.z);
    else if (size.y > 1) fprintf(file, "\\{%u,%u\\}", size.x, size.y);
    else fprintf(file, "%u", size.x);
}

static void print_kernel(FILE *file, const runtime_launch *launch, unsigned flags) {
    const unsigned wanted = cudaGraphDebugDotFlagsVerbose | cudaGraphDebugDotFlagsKernelNodeParams;
    const struct CUkern_st *kernel = runtime_kernel_named(launch->function);
    fprintf(file, "%s\n", kernel ? kernel->name : "?");
    if (!(flags & wanted)) return;
    fputs("\\<\\<\\<", file);
    print_size(file, launch->grid);
    fputs(",", file);
    print_size(file, launch->block);
    fprintf(file, ",%zu\\>\\>\\>", launch->shared_bytes);
}

static void print_work(FILE *file, const runtime_work *work, unsigned flags) {
    static const char *const kinds[] = {"HtoH", "HtoD", "DtoH", "DtoD", "Default"};
    switch (work->type) {
    case cudaGraphNodeTypeKernel: print_kernel(file, &work->kernel->launch, flags); break;
    case cudaGraphNodeTypeMemcpy:
        fprintf(file, "MEMCPY\n(%s,%zu)\n", kinds[work->copy.box.kind],
                work->copy.box.width * work->copy.box.height * work->copy.box.depth);
        break;
    case cudaGraphNodeTypeMemset:
        fprintf(file, "MEMSET\n(%u,%zu)\n", work->fill.value,
                work->fill.width * work->fill.element_bytes * work->fill.height);
        break;
    case cudaGraphNodeTypeHost: fputs("HOST\n", file); break;
    case cudaGraphNodeTypeGraph: fprintf(file, "GRAPH\ngraph_%llu\n", work->graph->id); break;
    case cudaGraphNodeTypeWaitEvent: fputs("EVENT WAIT\n", file); break;
    case cudaGraphNodeTypeEventRecord: fputs("EVENT RECORD\n", file); break;
    case cudaGraphNodeTypeMemAlloc: fputs("MEM ALLOC\n", file); break;
    case cudaGraphNodeTypeMemFree: fputs("MEM FREE\n", file); break;
    case cudaGraphNodeTypeConditional: fputs("CONDITIONAL\n", file); break;
    default: fputs("EMPTY\n", file); break;
    }
}

static void print_shape(FILE *file, enum cudaGraphNodeType type) {
    if (type == cudaGraphNodeTypeKernel) fputs("style=\"bold\" shape=\"octagon\" ", file);
    else if (type == cudaGraphNodeTypeMemcpy || type == cudaGraphNodeTypeMemset)
        fputs("style=\"solid\" shape=\"invtrapezium\"", file);
    else fputs("style=\"solid\" shape=\"rectangle\" ", file);
}

static void print_graph(FILE *file, const struct CUgraph_st *graph, unsigned flags) {
    const runtime_node_set *all = &graph->nodes;
    fprintf(file, "subgraph cluster_%llu {\nlabel=\"graph_%llu\" graph[style=\"dashed\"];\n",
            graph->id, graph->id);
    for (size_t i = 0; i < all->count; i++) {
        const struct CUgraphNode_st *node = all->nodes[i];
        fprintf(file, "\"graph_%llu_node_%zu\"[", graph->id, node->id);
        print_shape(file, node->work.type);
        fprintf(file, "label=\"%zu\n", node->id);
        print_work(file, &node->work, flags);
        fputs("\"];\n\n", file);
    }
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < all->count; k++)
            if (runtime_set_has(&all->nodes[k]->before, all->nodes[i]))
                fprintf(file, "\"graph_%llu_node_%zu\" -> \"graph_%llu_node_%zu\";\n", graph->id,
                        all->nodes[i]->id, graph->id, all->nodes[k]->id);
    for (size_t i = 0; i < all->count; i++) {
        size_t count;
        struct CUgraph_st *const *inside = runtime_work_graphs(&all->nodes[i]->work, &count);
        for (size_t k = 0; k < count; k++) print_graph(file, inside[k], flags);
    }
    fputs("}\n", file);
}

void runtime_graph_print(FILE *file, const struct CUgraph_st *graph, unsigned flags) {
    fputs("digraph dot {\n", file);
    print_graph(file, graph, flags);
    fputs("}\n", file);
}
