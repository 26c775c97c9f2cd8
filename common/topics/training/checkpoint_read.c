// Reading checkpoints: see checkpoint.c. Nothing is believed before the bytes are there: memory
// grows with them; the check sum comes last, so every count is checked by itself.
#include "training.h"

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
    char magic[KL_CHECKPOINT_MAGIC];
    int64_t version = 0, epochs = 0;
    size_t got = 0;
    TRY(kl_bytes_fill(r->source, magic, sizeof magic, &got, r->err));
    r->crc = kl_crc64(0, magic, got);
    r->at = got;
    if (got < sizeof magic || memcmp(magic, kl_checkpoint_magic, sizeof magic) != 0) {
        bool text = got >= 6 && memcmp(magic, kl_checkpoint_magic, 6) == 0;
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
    if (!kl_tensor_name_is_right(tensor.name)) {
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
