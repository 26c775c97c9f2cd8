// Pictures of training runs show what they were given: every number of the confusion matrix, the
// mistakes in order, each task below those that it waits for; whatever the run, they are
// well-formed.
#include "random.h"
#include "suite.h"
#include "training.h"

static kl_error err;
static char *text;
static size_t text_bytes;

static FILE *begin(void) {
    free(text);
    FILE *out = open_memstream(&text, &text_bytes);
    ck_assert_ptr_nonnull(out);
    return out;
}

// A picture that is checked; a status that is not KL_OK is a failure.
static void end(FILE *out, kl_status status) {
    fclose(out);
    ck_assert_msg(status == KL_OK, "%s", err.text);
    kl_check_svg(text);
    KL_HAS(text, "<title>", "prefers-color-scheme:dark");
}

// Into `text`, by a call that writes to `out`.
#define DRAW(...)                                                                                  \
    do {                                                                                           \
        FILE *out = begin();                                                                       \
        end(out, __VA_ARGS__);                                                                     \
    } while (0)

static void free_text(void) {
    free(text);
    text = NULL;
}
KL_FIXTURE(NULL, free_text)

static const char *const names[] = {"cat", "<dog>", "bird"};
static const int64_t confusion[] = {7, 2, 1, 0, 5, 5, 0, 0, 0};
static const kl_epoch epochs[] = {{2.0, 0.5, 0.4, 1}, {1.0, 0.75, NAN, 1}, {INFINITY, 0.8, 0.7, 1}};

static kl_training run(int epoch_count) {
    return (kl_training){.network = "fc 3",
                         .dataset = "drawn & more",
                         .source = "here",
                         .device = "a device",
                         .simulated = true,
                         .seed = 7,
                         .batch = 64,
                         .train_images = 100,
                         .test_images = 20,
                         .parameters = 9,
                         .learning_rate = 0.05,
                         .momentum = 0.9,
                         .epoch_count = epoch_count,
                         .epochs = epochs,
                         .classes = 3,
                         .class_names = names,
                         .confusion = confusion};
}

KL_TEST(curves) {
    static const int points[] = {0, 3, 5, 7}; // the loss and the accuracies that are finite
    for (int count = 0; count <= 3; count++) {
        kl_training t = run(count);
        DRAW(kl_draw_curve(&t, out, &err));
        ck_assert_int_eq(kl_count_of(text, "<circle"), points[count]);
        ck_assert_ptr_nonnull(
            strstr(text, "Training on drawn &amp; more: 100 images, batches of 64"));
    }
}

KL_TEST(a_long_run) {
    static kl_epoch many[500];
    for (int i = 0; i < 500; i++) many[i] = (kl_epoch){500.0 / (i + 1), 0.1, 0.1, 1};
    kl_training t = run(0);
    t.epochs = many;
    t.epoch_count = 500;
    DRAW(kl_draw_curve(&t, out, &err));
    ck_assert_int_eq(kl_count_of(text, "<circle"), 1500);
    KL_HAS(text, ">500</text>");
}

KL_TEST(confusion_matrix) {
    kl_training t = run(3);
    DRAW(kl_draw_confusion(&t, out, &err));
    KL_HAS(text, "12 of 20 test images right (60.00 %)", ">70.0 %<", ">50.0 %<");
    ck_assert_int_eq(kl_count_of(text, "%</text>"), 2);    // a class without images has no share
    ck_assert_int_eq(kl_count_of(text, "&lt;dog&gt;"), 3); // beside, above, and in the title
    ck_assert_ptr_nonnull(
        strstr(text, "12 of 20 test images right; the most frequent confusion: "));
    ck_assert_int_eq(kl_count_of(text, "class=\"v m\""), 5); // empty cells have no number
    ck_assert_int_eq(kl_count_of(text, "class=\"k0\""), 3);
    // Two cats taken for dogs: first row, second column.
    KL_HAS(text, "x=\"186.0\" y=\"155.0\" class=\"v m\">2<");
    enum { MANY = 40 };
    static int64_t large[MANY * MANY];
    const char *many[MANY];
    for (int i = 0; i < MANY; i++) many[i] = "x";
    for (int i = 0; i < MANY * MANY; i++) large[i] = i % 3;
    t.classes = MANY;
    t.class_names = many;
    t.confusion = large;
    DRAW(kl_draw_confusion(&t, out, &err));
    KL_HAS(text, "the first 20 of 40 classes");
    t.confusion = NULL;
    ck_assert_int_eq(kl_draw_confusion(&t, stdout, &err), KL_ERROR_USAGE);
}

KL_TEST(filters) {
    float weights[2 * 3 * 2 * 2];
    for (int i = 0; i < 24; i++) weights[i] = (float)(i - 8) / 16; // -0.5 .. 0.9375, one is 0
    DRAW(kl_draw_filters("two", 2, 3, 2, 2, weights, out, &err));
    KL_HAS(text, "filter 1, channel 2", "positive, up to 0.938");
    ck_assert_int_eq(kl_count_of(text, "<g class=\"s2\" fill-opacity"), 8);
    ck_assert_int_eq(kl_count_of(text, "<g class=\"s0\" fill-opacity"), 15);
    KL_HAS(text, "fill-opacity=\"1.00\"");
    weights[3] = NAN; // a network that diverged
    DRAW(kl_draw_filters("two", 2, 3, 2, 2, weights, out, &err));
    memset(weights, 0, sizeof weights);
    DRAW(kl_draw_filters("zeros", 6, 1, 2, 2, weights, out, &err));
    ck_assert_int_eq(kl_draw_filters("", 1, 1, 0, 5, weights, stdout, &err), KL_ERROR_USAGE);
    ck_assert_int_eq(kl_draw_filters("", 1, 1, 33, 5, weights, stdout, &err), KL_ERROR_USAGE);
}

KL_TEST(mistakes) {
    enum { COUNT = 40 };
    kl_images images;
    uint8_t predicted[COUNT];
    float confidence[COUNT];
    ck_assert_int_eq(kl_draw_shapes(1, COUNT, &images, &err), KL_OK);
    for (int i = 0; i < COUNT; i++) {
        predicted[i] = (uint8_t)(i % 4 == 0 ? (images.labels[i] + 1) % 10 : images.labels[i]);
        confidence[i] = (float)i / COUNT;
    }
    DRAW(kl_draw_mistakes(&images, predicted, confidence, 3, kl_shape_names, out, &err));
    KL_HAS(text, "10 of 40 images are misclassified");
    ck_assert_int_eq(kl_count_of(text, "<image"), 3);
    const char *first = strstr(text, "image 36: cross, predicted level lines");
    const char *last = strstr(text, "image 28: ");
    ck_assert(first && last && first < strstr(text, "image 32: "));
    ck_assert(strstr(text, "image 32: ") < last);
    KL_HAS(text, "level lines 90 %");
    DRAW(kl_draw_mistakes(&images, predicted, NULL, 100, kl_shape_names, out, &err));
    ck_assert_int_eq(kl_count_of(text, "<image"), 10);
    ck_assert(strstr(text, "image 0: ") < strstr(text, "image 4: "));
    DRAW(kl_draw_mistakes(&images, images.labels, NULL, 100, kl_shape_names, out, &err));
    KL_HAS(text, "0 of 40 images are misclassified");
    ck_assert_int_eq(kl_count_of(text, "<image"), 0);
    predicted[0] = 200; // no class at all: a wrong kernel gives such
    DRAW(kl_draw_mistakes(&images, predicted, NULL, 1, kl_shape_names, out, &err));
    KL_HAS(text, "predicted ?");
    kl_images_free(&images);
}

// ---- graphs ----------------------------------------------------------------------------------

KL_TEST(tasks_lie_below_what_they_wait_for) {
    for (uint64_t trial = 0; trial < 200; trial++) {
        enum { TASKS = 30, EDGES = 60 };
        kl_task_edge edges[EDGES];
        kl_graph_layout l;
        for (uint64_t e = 0; e < EDGES; e++) { // from lower to higher numbers: no circle
            int to = 1 + (int)kl_random_below(trial, 2 * e, TASKS - 1);
            edges[e] = (kl_task_edge){(int)kl_random_below(trial, 2 * e + 1, (uint64_t)to), to};
        }
        ck_assert_int_eq(kl_graph_layout_make(TASKS, edges, EDGES, &l, &err), KL_OK);
        for (int e = 0; e < EDGES; e++)
            ck_assert_int_lt(l.spots[edges[e].from].layer, l.spots[edges[e].to].layer);
        for (int k = 0; k < l.link_count; k++)
            ck_assert_int_eq(l.spots[l.links[k].from].layer + 1, l.spots[l.links[k].to].layer);
        for (int i = 0; i < l.layers; i++) { // orders of a layer are 0, 1, ..
            uint64_t seen = 0;
            int count = 0;
            for (int s = 0; s < l.spot_count; s++) {
                if (l.spots[s].layer != i) continue;
                seen += UINT64_C(1) << l.spots[s].order % 60;
                count++;
            }
            ck_assert_int_eq(count, l.in_layer[i]);
            ck_assert(count >= 60 || seen == (UINT64_C(1) << count) - 1);
        }
        kl_graph_layout_free(&l);
    }
}

static int crossings(const kl_graph_layout *l) {
    int count = 0;
    for (int a = 0; a < l->link_count; a++)
        for (int b = 0; b < a; b++) {
            const kl_spot *a0 = &l->spots[l->links[a].from], *a1 = &l->spots[l->links[a].to],
                          *b0 = &l->spots[l->links[b].from], *b1 = &l->spots[l->links[b].to];
            count +=
                a0->layer == b0->layer && (a0->order - b0->order) * (a1->order - b1->order) < 0;
        }
    return count;
}

KL_TEST(edges_of_a_tree_do_not_cross) {
    // Three branches whose tasks come in no order.
    static const kl_task_edge edges[] = {{0, 3}, {0, 1}, {0, 2}, {2, 4}, {1, 6},
                                         {3, 5}, {6, 7}, {4, 9}, {5, 8}};
    kl_graph_layout l;
    ck_assert_int_eq(kl_graph_layout_make(10, edges, 9, &l, &err), KL_OK);
    ck_assert_int_eq(l.layers, 4);
    ck_assert_int_eq(crossings(&l), 0);
    kl_graph_layout_free(&l);
}

KL_TEST(graphs_are_drawn) {
    enum { CHAIN = 45 };
    kl_task tasks[CHAIN];
    kl_task_edge edges[CHAIN];
    for (int i = 0; i < CHAIN; i++) {
        tasks[i] = (kl_task){
            i == 0 ? "first<float, 3>" : "a_kernel_with_quite_a_long_name_that_does_not_fit",
            i % 2 == 0 ? "grid 4, block 256" : NULL, i == 0 ? KL_TASK_SET : KL_TASK_KERNEL};
        edges[i] = (kl_task_edge){i, i + 1};
    }
    edges[CHAIN - 1] = (kl_task_edge){0, CHAIN - 1}; // passes all columns
    DRAW(kl_draw_tasks("a graph", tasks, CHAIN, edges, CHAIN, out, &err));
    KL_HAS(text, "first&lt;float, 3&gt;: grid 4, block 256", "kernel (44)", "memset (1)");
    ck_assert_ptr_null(strstr(text, "host function"));
    ck_assert_int_eq(kl_count_of(text, "class=\"head\""), CHAIN);
    DRAW(kl_draw_tasks("nothing", tasks, 0, edges, 0, out, &err));
    DRAW(kl_draw_tasks("apart", tasks, 3, edges, 0, out, &err));
    edges[CHAIN - 1] = (kl_task_edge){CHAIN - 1, 3};
    ck_assert_int_eq(kl_draw_tasks("", tasks, CHAIN, edges, CHAIN, stdout, &err), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text, "the tasks wait for each other in a circle");
    edges[0] = (kl_task_edge){2, 2};
    ck_assert_int_eq(kl_draw_tasks("", tasks, 3, edges, 1, stdout, &err), KL_ERROR_INPUT);
    edges[0] = (kl_task_edge){0, 3};
    ck_assert_int_eq(kl_draw_tasks("", tasks, 3, edges, 1, stdout, &err), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text, "edge 0 goes from task 0 to 3 of 3 tasks");
    ck_assert_int_eq(kl_draw_tasks("", tasks, 2000, edges, 0, stdout, &err), KL_ERROR_LIMIT);
}

KL_TEST(layers_are_drawn) {
    static const kl_layer_box boxes[] = {{"input", NULL, 3, 32, 32, 0},
                                         {"conv 5 x 5", "stride 1", 64, 28, 28, 4864},
                                         {"fc", NULL, 4096, 1, 1, 1000000},
                                         {"fc", NULL, 1, 1, 1, 4097}};
    DRAW(kl_draw_layers("net", boxes, 4, out, &err));
    KL_HAS(text, "1,008,961 parameters in all", "64 x 28 x 28");
    ck_assert_int_eq(kl_count_of(text, "class=\"head\""), 3);
    ck_assert_int_eq(kl_draw_layers("net", boxes, 0, stdout, &err), KL_ERROR_USAGE);
    kl_layer_box empty = {"x", NULL, 1, 0, 1, 0};
    ck_assert_int_eq(kl_draw_layers("net", &empty, 1, stdout, &err), KL_ERROR_USAGE);
}

KL_TEST(json_says_all) {
    kl_training t = run(3);
    FILE *out = begin();
    kl_status status = kl_training_json(&t, out, &err);
    fclose(out);
    ck_assert_int_eq(status, KL_OK);
    static const char *const parts[] = {"\"schema\": \"ladder.training/1\"",
                                        "\"kind\": \"sim\"",
                                        "\"time_kind\": \"modelled\"",
                                        "\"name\": \"drawn & more\"",
                                        "\"seed\": 7",
                                        "\"learning_rate\": 0.05",
                                        "\"loss\": null",
                                        "\"test_accuracy\": 0.7",
                                        "\"confusion\""};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        ck_assert_msg(strstr(text, parts[i]), "%s is not in %s", parts[i], text);
    ck_assert_int_eq(kl_count_of(text, "\"seconds\""), 3);
    const char *at = strstr(text, "\"confusion\"");
    for (int i = 0; i < 9; i++) { // every number, in order
        at += strcspn(at, "0123456789");
        ck_assert_int_eq(strtol(at, (char **)&at, 10), confusion[i]);
    }
    ck_assert_uint_eq(strcspn(at, "0123456789"), strlen(at));
    kl_keep("training.json", text);
}

KL_TEST(what_cannot_be_written_is_said) {
    kl_training t = run(3);
    FILE *full = fopen("/dev/full", "w");
    ck_assert_ptr_nonnull(full);
    ck_assert_int_eq(kl_draw_curve(&t, full, &err), KL_ERROR_SYSTEM);
    KL_HAS(err.text, "writing the picture failed");
    fclose(full);
}

KL_TEST_MAIN("pictures of training")
