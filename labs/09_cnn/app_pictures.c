// Pictures of a run: see app.h. The task graph is the one that step 10 has recorded: its nodes, the
// kernels' names and the edges are asked of the CUDA runtime.
#include <sys/stat.h>

#include "app.h"
#include "atomic_file.h"
#include "cuda_check.h"
#include "training.h"

enum { MISTAKES = 24, LABEL_BYTES = 96 };

// ---- the task graph
// ------------------------------------------------------------------------------

typedef struct graph_text {
    char label[LABEL_BYTES], detail[LABEL_BYTES];
} graph_text;

typedef struct graph_lists {
    size_t nodes, edges;
    cudaGraphNode_t *node, *from, *to;
    kl_task *tasks;
    kl_task_edge *lines;
    graph_text *texts;
} graph_lists;

// "_Z13net_conv_poolILi8E..": the name is as long as the number before it says.
static void take_name(const char *mangled, char *out, size_t bytes) {
    const char *at = mangled;
    while (*at != '\0' && !isdigit((unsigned char)*at)) at++;
    size_t length = strncmp(mangled, "_Z", 2) == 0 ? strtoul(at, (char **)&at, 10) : 0;
    if (length == 0 || length > strlen(at)) {
        at = mangled;
        length = strlen(mangled);
    }
    snprintf(out, bytes, "%.*s", (int)(length < bytes ? length : bytes - 1), at);
}

static kl_status describe_node(cudaGraphNode_t node, kl_task *task, graph_text *text,
                               kl_error *err) {
    enum cudaGraphNodeType type;
    KL_CUDA(err, cudaGraphNodeGetType(node, &type));
    *task = (kl_task){.label = text->label, .kind = KL_TASK_EMPTY};
    snprintf(text->label, sizeof text->label, "%s", type == cudaGraphNodeTypeMemcpy ? "copy" : "");
    if (type == cudaGraphNodeTypeMemcpy) task->kind = KL_TASK_COPY;
    if (type == cudaGraphNodeTypeMemset) task->kind = KL_TASK_SET;
    if (type == cudaGraphNodeTypeHost) task->kind = KL_TASK_HOST;
    if (type != cudaGraphNodeTypeKernel) return KL_OK;
    struct cudaKernelNodeParams p;
    const char *name = NULL;
    KL_CUDA(err, cudaGraphKernelNodeGetParams(node, &p));
    KL_CUDA(err, cudaFuncGetName(&name, p.func));
    take_name(name, text->label, sizeof text->label);
    snprintf(text->detail, sizeof text->detail, "%u blocks of %u", p.gridDim.x * p.gridDim.y,
             p.blockDim.x);
    task->kind = KL_TASK_KERNEL;
    task->detail = text->detail;
    return KL_OK;
}

static kl_status read_graph(cudaGraph_t graph, graph_lists *g, kl_error *err) {
    KL_CUDA(err, cudaGraphGetNodes(graph, NULL, &g->nodes));
    KL_CUDA(err, cudaGraphGetEdges(graph, NULL, NULL, NULL, &g->edges));
    if (g->nodes > KL_TASKS_MAX || g->edges > KL_TASK_EDGES_MAX)
        return kl_fail(err, KL_ERROR_LIMIT, "a graph of %zu nodes is too large to draw", g->nodes);
    g->node = calloc(g->nodes + 1, sizeof *g->node);
    g->from = calloc(g->edges + 1, sizeof *g->from);
    g->to = calloc(g->edges + 1, sizeof *g->to);
    g->tasks = calloc(g->nodes + 1, sizeof *g->tasks);
    g->lines = calloc(g->edges + 1, sizeof *g->lines);
    g->texts = calloc(g->nodes + 1, sizeof *g->texts);
    if (!g->node || !g->from || !g->to || !g->tasks || !g->lines || !g->texts)
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for the graph's picture");
    KL_CUDA(err, cudaGraphGetNodes(graph, g->node, &g->nodes));
    KL_CUDA(err, cudaGraphGetEdges(graph, g->from, g->to, NULL, &g->edges));
    for (size_t i = 0; i < g->nodes; i++)
        TRY(describe_node(g->node[i], &g->tasks[i], &g->texts[i], err));
    for (size_t e = 0; e < g->edges; e++)
        for (size_t i = 0; i < g->nodes; i++) {
            if (g->node[i] == g->from[e]) g->lines[e].from = (int)i;
            if (g->node[i] == g->to[e]) g->lines[e].to = (int)i;
        }
    return KL_OK;
}

static kl_status draw_tasks(void *context, FILE *out, kl_error *err) {
    const cnn_run *run = context;
    cnn_plan plan;
    graph_lists g;
    memset(&g, 0, sizeof g);
    memcpy(&plan, run->plan, sizeof plan);
    kl_status status = read_graph(plan.graph, &g, err);
    if (status == KL_OK)
        status = kl_draw_tasks("One step of descent, as step 10 recorded it", g.tasks, (int)g.nodes,
                               g.lines, (int)g.edges, out, err);
    free(g.node);
    free(g.from);
    free(g.to);
    free(g.tasks);
    free(g.lines);
    free(g.texts);
    return status;
}

// ---- the others
// ----------------------------------------------------------------------------------

static kl_status draw_curve(void *context, FILE *out, kl_error *err) {
    return kl_draw_curve(&((cnn_run *)context)->record, out, err);
}

static kl_status draw_confusion(void *context, FILE *out, kl_error *err) {
    return kl_draw_confusion(&((cnn_run *)context)->record, out, err);
}

static kl_status draw_filters(void *context, FILE *out, kl_error *err) {
    const cnn_model *m = &((cnn_run *)context)->model;
    size_t bytes = sizeof(float) * (size_t)(m->layout.b1 - m->layout.w1);
    float *w = malloc(bytes);
    if (!w) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the filters");
    cudaError_t code = cudaMemcpy(w, m->d_parameters + m->layout.w1, bytes, cudaMemcpyDeviceToHost);
    kl_status status =
        code == cudaSuccess
            ? kl_draw_filters("Filters of the first layer", (int)m->shape.filters1,
                              (int)m->shape.channels, CNN_SIDE, CNN_SIDE, w, out, err)
            : kl_cuda_fail(err, code, __FILE__, __LINE__, "copy of the filters");
    free(w);
    return status;
}

static kl_status draw_mistakes(void *context, FILE *out, kl_error *err) {
    const cnn_run *run = context;
    return kl_draw_mistakes(&run->data->test, run->predicted, run->confidence, MISTAKES,
                            run->data->class_names, out, err);
}

static kl_status draw_layers(void *context, FILE *out, kl_error *err) {
    const cnn_model *m = &((cnn_run *)context)->model;
    const cnn_network *n = &m->shape;
    const cnn_layout *l = &m->layout;
    int side = (int)n->side, side1 = (int)l->pooled1, side2 = (int)l->pooled2;
    const kl_layer_box boxes[] = {
        {"input", NULL, (int)n->channels, side, side, 0},
        {"conv and pooling", NULL, (int)n->filters1, side1, side1, l->w2 - l->w1},
        {"conv and pooling", NULL, (int)n->filters2, side2, side2, l->w3 - l->w2},
        {"fc and ReLU", NULL, (int)n->hidden, 1, 1, l->w4 - l->w3},
        {"fc", NULL, CNN_CLASSES, 1, 1, l->total - l->w4},
    };
    return kl_draw_layers("The network", boxes, (int)(sizeof boxes / sizeof boxes[0]), out, err);
}

kl_status cnn_run_pictures(cnn_run *run, const char *folder, kl_error *err) {
    const struct {
        const char *name;
        kl_file_content *draw;
        bool there;
    } all[] = {
        {"curve", draw_curve, true},     {"confusion", draw_confusion, true},
        {"filters", draw_filters, true}, {"mistakes", draw_mistakes, true},
        {"layers", draw_layers, true},   {"tasks", draw_tasks, run->whole_step == CNN_LAST_STEP}};
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", folder, strerror(errno));
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char path[4096];
        if (!all[i].there) continue;
        snprintf(path, sizeof path, "%s/%s.svg", folder, all[i].name);
        TRY(kl_file_replace(path, all[i].draw, run, err));
    }
    fprintf(stderr, "pictures: %s/*.svg\n", folder);
    return KL_OK;
}
