// Checkpoints: see training.h; reading is in checkpoint_read.c.

#include "atomic_file.h"
#include "training.h"

int64_t kl_tensor_values(int dims, const int64_t *shape) {
    if (dims < 1 || dims > KL_TENSOR_DIMS) return -1;
    int64_t values = 1;
    for (int d = 0; d < dims; d++) {
        if (shape[d] < 1 || shape[d] > KL_TENSOR_MAX_VALUES) return -1;
        values *= shape[d]; // at most 2^60
        if (values > KL_TENSOR_MAX_VALUES) return -1;
    }
    return values;
}

bool kl_tensor_name_is_right(const char *name) {
    size_t length = strnlen(name, KL_TENSOR_NAME);
    if (length == 0 || length == KL_TENSOR_NAME) return false;
    for (size_t i = 0; i < length; i++)
        if (name[i] <= ' ' || name[i] > '~') return false;
    return true;
}

void kl_checkpoint_free(kl_checkpoint *checkpoint) {
    for (int t = 0; t < checkpoint->tensor_count; t++) free(checkpoint->tensors[t].values);
    free(checkpoint->tensors);
    free(checkpoint->epochs);
    *checkpoint = (kl_checkpoint){.seed = 0};
}

const kl_tensor *kl_checkpoint_find(const kl_checkpoint *checkpoint, const char *name) {
    for (int t = 0; t < checkpoint->tensor_count; t++)
        if (strcmp(checkpoint->tensors[t].name, name) == 0) return &checkpoint->tensors[t];
    return NULL;
}

static const char *shape_text(int dims, const int64_t *shape, char *text, size_t bytes) {
    size_t used = 0;
    text[0] = '\0';
    for (int d = 0; d < dims && used < bytes; d++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%lld", d > 0 ? " x " : "",
                                 (long long)shape[d]);
    return text;
}

kl_status kl_checkpoint_take(const kl_checkpoint *checkpoint, const char *name, int dims,
                             const int64_t *shape, float *out_values, kl_error *err) {
    const kl_tensor *tensor = kl_checkpoint_find(checkpoint, name);
    if (!tensor) {
        return kl_fail(err, KL_ERROR_INPUT,
                       "the checkpoint has no tensor %s: it is of another network", name);
    }
    if (tensor->dims != dims || memcmp(tensor->shape, shape, (size_t)dims * sizeof *shape) != 0) {
        char there[160], wanted[160];
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s is %s in the checkpoint and %s here: it is of another network", name,
                       shape_text(tensor->dims, tensor->shape, there, sizeof there),
                       shape_text(dims, shape, wanted, sizeof wanted));
    }
    memcpy(out_values, tensor->values, (size_t)kl_tensor_values(dims, shape) * sizeof *out_values);
    return KL_OK;
}

// ---- writing ---------------------------------------------------------------------------------

typedef struct writer {
    FILE *out; // what cannot be written is noticed at the end (atomic_file.h)
    uint64_t crc;
} writer;

static void put(writer *w, const void *data, size_t bytes) {
    if (bytes == 0) return; // of no epochs, data is NULL
    w->crc = kl_crc64(w->crc, data, bytes);
    fwrite(data, 1, bytes, w->out);
}

static void put_number(writer *w, uint64_t number, int bytes) {
    uint8_t text[8];
    for (int i = 0; i < bytes; i++) text[i] = (uint8_t)(number >> 8 * i);
    put(w, text, (size_t)bytes);
}

static void put_tensor(writer *w, const kl_tensor *tensor) {
    char name[KL_TENSOR_NAME] = "";
    memcpy(name, tensor->name, strlen(tensor->name));
    put(w, name, sizeof name);
    put_number(w, (uint64_t)tensor->dims, 4);
    for (int d = 0; d < tensor->dims; d++) put_number(w, (uint64_t)tensor->shape[d], 8);
    size_t values = (size_t)kl_tensor_values(tensor->dims, tensor->shape);
    put(w, tensor->values, values * sizeof *tensor->values);
}

static kl_status put_checkpoint(void *context, FILE *out, kl_error *err) {
    (void)err;
    const kl_checkpoint *c = context;
    writer w = {out, 0};
    put(&w, kl_checkpoint_magic, KL_CHECKPOINT_MAGIC);
    put_number(&w, KL_CHECKPOINT_VERSION, 4);
    put_number(&w, (uint64_t)c->tensor_count, 4);
    put_number(&w, (uint64_t)c->epoch_count, 4);
    put_number(&w, c->seed, 8);
    put_number(&w, c->random_state, 8);
    put_number(&w, (uint64_t)c->epoch, 8);
    put_number(&w, (uint64_t)c->position, 8);
    put(&w, c->epochs, (size_t)c->epoch_count * sizeof *c->epochs);
    for (int t = 0; t < c->tensor_count; t++) put_tensor(&w, &c->tensors[t]);
    put_number(&w, w.crc, 8);
    return KL_OK;
}

// What would not be read again is not written.
static kl_status check(const kl_checkpoint *c, kl_error *err) {
    if (c->epoch < 0 || c->position < 0 || c->epoch_count < 0 || c->tensor_count < 0 ||
        c->tensor_count > KL_CHECKPOINT_TENSORS || c->epoch_count > KL_CHECKPOINT_EPOCHS) {
        return kl_fail(err, KL_ERROR_USAGE,
                       "a checkpoint with %d tensors, %d epochs, at image %lld of epoch %lld",
                       c->tensor_count, c->epoch_count, (long long)c->position,
                       (long long)c->epoch);
    }
    for (int t = 0; t < c->tensor_count; t++) {
        const kl_tensor *tensor = &c->tensors[t];
        if (!kl_tensor_name_is_right(tensor->name))
            return kl_fail(err, KL_ERROR_USAGE, "tensor %d: names are 1 to %d printable characters",
                           t, KL_TENSOR_NAME - 1);
        if (kl_tensor_values(tensor->dims, tensor->shape) < 0)
            return kl_fail(err, KL_ERROR_USAGE, "tensor %s: a shape that cannot be", tensor->name);
        if (kl_checkpoint_find(c, tensor->name) != tensor)
            return kl_fail(err, KL_ERROR_USAGE, "two tensors are called %s", tensor->name);
    }
    return KL_OK;
}

kl_status kl_checkpoint_save(const char *path, const kl_checkpoint *checkpoint, kl_error *err) {
    TRY(check(checkpoint, err));
    return kl_file_replace(path, put_checkpoint, (void *)checkpoint, err);
}
