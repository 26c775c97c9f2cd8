// A whole training in double precision with error bounds: the layers of bounds.c one after another,
// forward and back, as CNN_TRAIN is defined in cnn.h.
#include "reference.h"

// Everything that lives from one layer to the next, of one batch.
typedef struct pass {
    const cnn_training *t;
    cnn_layout layout;
    cnn_values image, pooled1, pooled2, sums3, hidden, logits; // activations
    cnn_choices where1, where2;
    cnn_values delta_logits, delta_hidden, delta_sums3, delta_pooled2, delta_maps2, delta_pooled1,
        delta_maps1, delta_image;
    cnn_values parameters, velocity, gradient, losses;
    int32_t *labels;
} pass;

static cnn_values part_of(const cnn_values *all, int64_t from, int64_t count) {
    return (cnn_values){count, all->value + from, all->error + from};
}

static kl_status make_pass(pass *p, kl_error *err) {
    const cnn_network *net = &p->t->network;
    const cnn_layout *l = &p->layout;
    int64_t n = p->t->batch, side1 = cnn_conv_out(net->side), side2 = cnn_conv_out(l->pooled1);
    int64_t image = n * net->channels * net->side * net->side;
    int64_t maps1 = n * net->filters1 * side1 * side1, maps2 = n * net->filters2 * side2 * side2;
    int64_t pooled1 = n * net->filters1 * l->pooled1 * l->pooled1;
    const struct {
        cnn_values *values;
        int64_t count;
    } all[] = {{&p->image, image},
               {&p->pooled1, pooled1},
               {&p->pooled2, n * l->flat},
               {&p->sums3, n * net->hidden},
               {&p->hidden, n * net->hidden},
               {&p->logits, n * CNN_CLASSES},
               {&p->delta_logits, n * CNN_CLASSES},
               {&p->delta_hidden, n * net->hidden},
               {&p->delta_sums3, n * net->hidden},
               {&p->delta_pooled2, n * l->flat},
               {&p->delta_maps2, maps2},
               {&p->delta_pooled1, pooled1},
               {&p->delta_maps1, maps1},
               {&p->delta_image, image},
               {&p->parameters, l->total},
               {&p->velocity, l->total},
               {&p->gradient, l->total},
               {&p->losses, n}};
    bool made = true;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        *all[i].values = cnn_values_new(all[i].count);
        made = made && all[i].values->value;
    }
    p->where1 = (cnn_choices){pooled1, malloc((size_t)pooled1)};
    p->where2 = (cnn_choices){n * l->flat, malloc((size_t)(n * l->flat))};
    p->labels = malloc((size_t)n * sizeof *p->labels);
    made = made && p->where1.allowed && p->where2.allowed && p->labels;
    return made ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for the answer of a training");
}

static void free_pass(pass *p) {
    cnn_values *all[] = {&p->image,       &p->pooled1,       &p->pooled2,      &p->sums3,
                         &p->hidden,      &p->logits,        &p->delta_logits, &p->delta_hidden,
                         &p->delta_sums3, &p->delta_pooled2, &p->delta_maps2,  &p->delta_pooled1,
                         &p->delta_maps1, &p->delta_image,   &p->parameters,   &p->velocity,
                         &p->gradient,    &p->losses};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) cnn_values_free(all[i]);
    free(p->where1.allowed);
    free(p->where2.allowed);
    free(p->labels);
}

static void load_batch(pass *p, int64_t step) {
    const cnn_training *t = p->t;
    int64_t elems = t->network.channels * t->network.side * t->network.side;
    for (int64_t i = 0; i < t->batch; i++) {
        int32_t which = t->d_order[step * t->batch + i];
        p->labels[i] = t->d_labels[which];
        for (int64_t k = 0; k < elems; k++)
            p->image.value[i * elems + k] = t->d_images[which * elems + k];
    }
}

static kl_status forward(pass *p, kl_error *err) {
    const cnn_network *net = &p->t->network;
    const cnn_layout *l = &p->layout;
    int64_t n = p->t->batch;
    cnn_values *w = &p->parameters;
    TRY(cnn_bound(&(cnn_bounded){.op = CNN_CONV_POOL,
                                 .shape = {n, net->channels, net->side, net->side, net->filters1},
                                 .x = p->image,
                                 .w = part_of(w, l->w1, l->b1 - l->w1),
                                 .b = part_of(w, l->b1, l->w2 - l->b1),
                                 .y = p->pooled1,
                                 .where = p->where1},
                  err));
    TRY(cnn_bound(&(cnn_bounded){.op = CNN_CONV_POOL,
                                 .shape = {n, net->filters1, l->pooled1, l->pooled1, net->filters2},
                                 .x = p->pooled1,
                                 .w = part_of(w, l->w2, l->b2 - l->w2),
                                 .b = part_of(w, l->b2, l->w3 - l->b2),
                                 .y = p->pooled2,
                                 .where = p->where2},
                  err));
    TRY(cnn_bound(&(cnn_bounded){.op = CNN_FC_FORWARD,
                                 .shape = {n, l->flat, 1, 1, net->hidden},
                                 .x = p->pooled2,
                                 .w = part_of(w, l->w3, l->b3 - l->w3),
                                 .b = part_of(w, l->b3, l->w4 - l->b3),
                                 .y = p->sums3},
                  err));
    TRY(cnn_bound(&(cnn_bounded){.op = CNN_RELU_FORWARD, .x = p->sums3, .y = p->hidden}, err));
    return cnn_bound(&(cnn_bounded){.op = CNN_FC_FORWARD,
                                    .shape = {n, net->hidden, 1, 1, CNN_CLASSES},
                                    .x = p->hidden,
                                    .w = part_of(w, l->w4, l->b4 - l->w4),
                                    .b = part_of(w, l->b4, l->total - l->b4),
                                    .y = p->logits},
                     err);
}

static kl_status backward(pass *p, kl_error *err) {
    const cnn_network *net = &p->t->network;
    const cnn_layout *l = &p->layout;
    int64_t n = p->t->batch, side1 = cnn_conv_out(net->side), side2 = cnn_conv_out(l->pooled1);
    cnn_values *w = &p->parameters, *g = &p->gradient;
    TRY(cnn_bound(&(cnn_bounded){.op = CNN_LOSS,
                                 .shape = {n, CNN_CLASSES, 1, 1, 1},
                                 .x = p->logits,
                                 .labels = p->labels,
                                 .losses = p->losses,
                                 .delta_out = p->delta_logits},
                  err));
    TRY(cnn_bound(&(cnn_bounded){.op = CNN_FC_BACKWARD,
                                 .shape = {n, net->hidden, 1, 1, CNN_CLASSES},
                                 .x = p->hidden,
                                 .w = part_of(w, l->w4, l->b4 - l->w4),
                                 .delta = p->delta_logits,
                                 .dx = p->delta_hidden,
                                 .dw = part_of(g, l->w4, l->b4 - l->w4),
                                 .db = part_of(g, l->b4, l->total - l->b4)},
                  err));
    TRY(cnn_bound(&(cnn_bounded){.op = CNN_RELU_BACKWARD,
                                 .x = p->hidden,
                                 .delta = p->delta_hidden,
                                 .dx = p->delta_sums3},
                  err));
    TRY(cnn_bound(&(cnn_bounded){.op = CNN_FC_BACKWARD,
                                 .shape = {n, l->flat, 1, 1, net->hidden},
                                 .x = p->pooled2,
                                 .w = part_of(w, l->w3, l->b3 - l->w3),
                                 .delta = p->delta_sums3,
                                 .dx = p->delta_pooled2,
                                 .dw = part_of(g, l->w3, l->b3 - l->w3),
                                 .db = part_of(g, l->b3, l->w4 - l->b3)},
                  err));
    TRY(cnn_bound(&(cnn_bounded){.op = CNN_POOL_BACKWARD,
                                 .shape = {n, net->filters2, side2, side2, 1},
                                 .delta = p->delta_pooled2,
                                 .where_set = p->where2,
                                 .dx = p->delta_maps2},
                  err));
    TRY(cnn_bound(&(cnn_bounded){.op = CNN_CONV_BACKWARD,
                                 .shape = {n, net->filters1, l->pooled1, l->pooled1, net->filters2},
                                 .x = p->pooled1,
                                 .w = part_of(w, l->w2, l->b2 - l->w2),
                                 .delta = p->delta_maps2,
                                 .dx = p->delta_pooled1,
                                 .dw = part_of(g, l->w2, l->b2 - l->w2),
                                 .db = part_of(g, l->b2, l->w3 - l->b2)},
                  err));
    TRY(cnn_bound(&(cnn_bounded){.op = CNN_POOL_BACKWARD,
                                 .shape = {n, net->filters1, side1, side1, 1},
                                 .delta = p->delta_pooled1,
                                 .where_set = p->where1,
                                 .dx = p->delta_maps1},
                  err));
    return cnn_bound(
        &(cnn_bounded){.op = CNN_CONV_BACKWARD,
                       .shape = {n, net->channels, net->side, net->side, net->filters1},
                       .x = p->image,
                       .w = part_of(w, l->w1, l->b1 - l->w1),
                       .delta = p->delta_maps1,
                       .dx = p->delta_image,
                       .dw = part_of(g, l->w1, l->b1 - l->w1),
                       .db = part_of(g, l->b1, l->w2 - l->b1)},
        err);
}

static kl_status descend(pass *p, kl_error *err) {
    return cnn_bound(&(cnn_bounded){.op = CNN_SGD,
                                    .x = p->parameters,
                                    .w = p->velocity,
                                    .delta = p->gradient,
                                    .y = p->parameters,
                                    .dw = p->velocity,
                                    .learning_rate = p->t->learning_rate,
                                    .momentum = p->t->momentum},
                     err);
}

static kl_status run(pass *p, cnn_values out_losses, kl_error *err) {
    const cnn_training *t = p->t;
    for (int64_t i = 0; i < p->layout.total; i++) {
        p->parameters.value[i] = t->d_parameters_in[i];
        p->velocity.value[i] = t->d_velocity_in[i];
    }
    for (int64_t step = 0; step < t->batches; step++) {
        load_batch(p, step);
        TRY(forward(p, err));
        TRY(backward(p, err));
        TRY(descend(p, err));
        size_t bytes = (size_t)t->batch * sizeof(double);
        memcpy(out_losses.value + step * t->batch, p->losses.value, bytes);
        memcpy(out_losses.error + step * t->batch, p->losses.error, bytes);
    }
    return KL_OK;
}

kl_status cnn_bound_training(const cnn_training *t, cnn_values out_parameters,
                             cnn_values out_velocity, cnn_values out_losses, kl_error *err) {
    pass p = {.t = t, .layout = cnn_layout_of(&t->network)};
    kl_status status = make_pass(&p, err);
    if (status == KL_OK) status = run(&p, out_losses, err);
    if (status == KL_OK) {
        size_t bytes = (size_t)p.layout.total * sizeof(double);
        memcpy(out_parameters.value, p.parameters.value, bytes);
        memcpy(out_parameters.error, p.parameters.error, bytes);
        memcpy(out_velocity.value, p.velocity.value, bytes);
        memcpy(out_velocity.error, p.velocity.error, bytes);
    }
    free_pass(&p);
    return status;
}
