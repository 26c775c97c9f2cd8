// Checkpoints: see training.h.
#include "atomic_file.h"
#include "training.h"

// Its line end is there to notice a file that was sent as text.
enum { MAGIC = 8 };
static const char magic[] = "KLCKPT\r\n";

// Numbers of the host are written as they lie.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "checkpoints hold the lowest byte first");

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

// name: [KL_TENSOR_NAME], perhaps without an end.
static bool is_right_name(const char *name) {
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
    put(&w, magic, MAGIC);
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
        if (!is_right_name(tensor->name))
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

// ---- reading ------------------------------------------------------------------------------------
// Nothing is believed before the bytes are there: memory grows with them; the check sum comes last,
// so every count is checked by itself.

typedef struct reader {
    kl_byte_source *source;
    uint64_t at, crc; // bytes taken, and their check sum
    kl_error *err;
} reader;

static const char older[] = "take an older checkpoint, or begin again";

static kl_status cut_off(const reader *r) {
    return kl_fail(r->err, KL_ERROR_INPUT, "byte %llu: the file ends here: it is cut off; %s",
                   (unsigned long long)r->at, older);
}

static kl_status get(reader *r, void *out, size_t bytes) {
    size_t got = 0;
    TRY(kl_bytes_fill(r->source, out, bytes, &got, r->err));
    r->crc = kl_crc64(r->crc, out, got);
    r->at += got;
    return got == bytes ? KL_OK : cut_off(r);
}

static kl_status get_number(reader *r, int bytes, uint64_t *out_number) {
    uint8_t text[8];
    TRY(get(r, text, (size_t)bytes));
    *out_number = 0;
    for (int i = 0; i < bytes; i++) *out_number |= (uint64_t)text[i] << 8 * i;
    return KL_OK;
}

// A count of at most `most`.
static kl_status get_count(reader *r, int bytes, int64_t most, const char *what,
                           int64_t *out_count) {
    uint64_t number = 0, from = r->at;
    TRY(get_number(r, bytes, &number));
    if (number > (uint64_t)most) {
        return kl_fail(r->err, KL_ERROR_INPUT, "byte %llu: %llu %s, the most is %lld: damaged; %s",
                       (unsigned long long)from, (unsigned long long)number, what, (long long)most,
                       older);
    }
    *out_count = (int64_t)number;
    return KL_OK;
}

// `bytes` bytes in memory of their own.
static kl_status get_block(reader *r, uint64_t bytes, uint8_t **out_block) {
    uint64_t got = 0;
    uint8_t *block = NULL;
    *out_block = NULL;
    TRY(kl_bytes_take(r->source, bytes, &block, &got, r->err));
    r->crc = kl_crc64(r->crc, block, (size_t)got);
    r->at += got;
    if (got < bytes) {
        free(block);
        return cut_off(r);
    }
    *out_block = block;
    return KL_OK;
}

static kl_status read_head(reader *r, kl_checkpoint *c, int64_t *out_tensors) {
    char found[MAGIC];
    int64_t version = 0, epochs = 0;
    size_t got = 0;
    TRY(kl_bytes_fill(r->source, found, sizeof found, &got, r->err));
    r->crc = kl_crc64(0, found, got);
    r->at = got;
    if (got < sizeof found || memcmp(found, magic, sizeof found) != 0) {
        bool text = got >= 6 && memcmp(found, magic, 6) == 0;
        return kl_fail(
            r->err, KL_ERROR_INPUT, "%s",
            text ? "byte 6: a checkpoint that was sent as text and is damaged: send it as "
                   "binary"
                 : "no checkpoint of the kit: it does not begin with KLCKPT");
    }
    TRY(get_count(r, 4, INT32_MAX, "as its version", &version));
    if (version != KL_CHECKPOINT_VERSION) {
        return kl_fail(r->err, KL_ERROR_INPUT,
                       "byte 8: a checkpoint of version %lld, and this kit reads %d: begin again",
                       (long long)version, KL_CHECKPOINT_VERSION);
    }
    TRY(get_count(r, 4, KL_CHECKPOINT_TENSORS, "tensors", out_tensors));
    TRY(get_count(r, 4, KL_CHECKPOINT_EPOCHS, "epochs", &epochs));
    TRY(get_number(r, 8, &c->seed));
    TRY(get_number(r, 8, &c->random_state));
    TRY(get_count(r, 8, INT64_MAX, "as the epoch", &c->epoch));
    TRY(get_count(r, 8, INT64_MAX, "images", &c->position));
    uint8_t *block = NULL;
    TRY(get_block(r, (uint64_t)epochs * sizeof *c->epochs, &block));
    c->epochs = (kl_epoch *)block; // of malloc: aligned for anything
    c->epoch_count = (int)epochs;
    return KL_OK;
}

static kl_status read_tensor(reader *r, kl_checkpoint *c) {
    kl_tensor tensor = {.dims = 0};
    int64_t dims = 0;
    unsigned long long from = r->at;
    TRY(get(r, tensor.name, sizeof tensor.name));
    if (!is_right_name(tensor.name)) {
        return kl_fail(r->err, KL_ERROR_INPUT,
                       "byte %llu: the name of tensor %d is no name: damaged; %s", from,
                       c->tensor_count, older);
    }
    if (kl_checkpoint_find(c, tensor.name)) {
        return kl_fail(r->err, KL_ERROR_INPUT, "byte %llu: a second tensor %s: damaged; %s", from,
                       tensor.name, older);
    }
    TRY(get_count(r, 4, KL_TENSOR_DIMS, "dimensions", &dims));
    tensor.dims = (int)dims;
    from = r->at;
    for (int d = 0; d < tensor.dims; d++)
        TRY(get_count(r, 8, KL_TENSOR_MAX_VALUES, "values", &tensor.shape[d]));
    int64_t values = kl_tensor_values(tensor.dims, tensor.shape);
    if (values < 0) {
        return kl_fail(
            r->err, KL_ERROR_INPUT,
            "byte %llu: the shape of %s holds nothing or more than %lld values: damaged; "
            "%s",
            from, tensor.name, (long long)KL_TENSOR_MAX_VALUES, older);
    }
    uint8_t *block = NULL;
    TRY(get_block(r, (uint64_t)values * sizeof *tensor.values, &block));
    tensor.values = (float *)block;
    c->tensors[c->tensor_count++] = tensor;
    return KL_OK;
}

static kl_status read_end(reader *r) {
    uint64_t expected = r->crc, crc = 0;
    bool end = true;
    TRY(get_number(r, 8, &crc));
    if (crc != expected) {
        return kl_fail(r->err, KL_ERROR_INPUT,
                       "the check sum is %016llx and should be %016llx: the file is damaged; %s",
                       (unsigned long long)crc, (unsigned long long)expected, older);
    }
    TRY(kl_bytes_at_end(r->source, &end, r->err));
    if (end) return KL_OK;
    return kl_fail(r->err, KL_ERROR_INPUT, "byte %llu: the file goes on after its end; %s",
                   (unsigned long long)r->at, older);
}

static kl_status read_all(reader *r, kl_checkpoint *c) {
    int64_t tensors = 0;
    TRY(read_head(r, c, &tensors));
    c->tensors = calloc((size_t)(tensors > 0 ? tensors : 1), sizeof *c->tensors);
    if (!c->tensors)
        return kl_fail(r->err, KL_ERROR_MEMORY, "no memory for %lld tensors", (long long)tensors);
    for (int64_t t = 0; t < tensors; t++) TRY(read_tensor(r, c));
    return read_end(r);
}

kl_status kl_checkpoint_read(kl_byte_source *source, const char *name,
                             kl_checkpoint *out_checkpoint, kl_error *err) {
    reader r = {.source = source, .err = err};
    *out_checkpoint = (kl_checkpoint){.seed = 0};
    if (read_all(&r, out_checkpoint) == KL_OK) return KL_OK;
    kl_checkpoint_free(out_checkpoint);
    return kl_fail_prefix(err, "%s", name);
}

kl_status kl_checkpoint_load(const char *path, kl_checkpoint *out_checkpoint, kl_error *err) {
    kl_byte_source *source = NULL;
    *out_checkpoint = (kl_checkpoint){.seed = 0};
    TRY(kl_bytes_open(path, &source, err));
    kl_status status = kl_checkpoint_read(source, path, out_checkpoint, err);
    kl_bytes_close(source);
    return status;
}
