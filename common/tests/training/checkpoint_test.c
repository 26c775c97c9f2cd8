// Checkpoints come back bit for bit, are replaced whole, and whatever is wrong with a file is
// refused with the byte. A run that stops and goes on ends as one that never stopped.
#include "files.h"
#include "random.h"
#include "suite.h"
#include "training.h"

static kl_error err;
static char folder[64], path[96];

static void begin(void) {
    strcpy(folder, "/tmp/kl-ckpt-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.ckpt", folder);
}

static void end(void) {
    unlink(path);
    ck_assert_int_eq(rmdir(folder), 0);
}

static float weights[] = {1.0f, -0.0f, NAN, INFINITY, 1e-45f, -3.25f}, momentum[] = {0.5f, 7};
static kl_epoch epochs[] = {{2.3, 0.1, NAN, 0.25}, {1.7, 0.5, 0.45, 0.2}};
static kl_tensor tensors[] = {{"conv1.weight", 3, {1, 2, 3}, weights},
                              {"conv1.weight/momentum", 1, {2}, momentum}};
static const kl_checkpoint made = {UINT64_MAX - 1, 42, 2, 640, 2, epochs, 2, tensors};

KL_TEST(what_is_saved_comes_back) {
    begin();
    kl_checkpoint c;
    OK_OR_SAY(kl_checkpoint_save(path, &made, &err), err);
    OK_OR_SAY(kl_checkpoint_load(path, &c, &err), err);
    ck_assert_uint_eq(c.seed, UINT64_MAX - 1);
    ck_assert_uint_eq(c.random_state, 42);
    ck_assert_int_eq(c.epoch, 2);
    ck_assert_int_eq(c.position, 640);
    ck_assert_int_eq(c.epoch_count, 2);
    ck_assert_mem_eq(c.epochs, epochs, sizeof epochs);
    ck_assert_int_eq(c.tensor_count, 2);
    const kl_tensor *w = kl_checkpoint_find(&c, "conv1.weight");
    ck_assert_ptr_nonnull(w);
    ck_assert_int_eq(w->dims, 3);
    ck_assert_int_eq(w->shape[2], 3);
    ck_assert_mem_eq(w->values, weights, sizeof weights); // every bit, NaN's as well
    float out[6];
    OK(kl_checkpoint_take(&c, "conv1.weight", 3, (int64_t[]){1, 2, 3}, out, &err));
    ck_assert_mem_eq(out, weights, sizeof weights);
    ck_assert_int_eq(kl_checkpoint_take(&c, "conv1.weight", 2, (int64_t[]){2, 3}, out, &err),
                     KL_ERROR_INPUT);
    ck_assert_str_eq(err.text,
                     "conv1.weight is 1 x 2 x 3 in the checkpoint and 2 x 3 here: it is of "
                     "another network");
    ck_assert_int_eq(kl_checkpoint_take(&c, "fc.bias", 1, (int64_t[]){3}, out, &err),
                     KL_ERROR_INPUT);
    KL_HAS(err.text, "no tensor fc.bias");
    kl_checkpoint_free(&c);
    kl_checkpoint_free(&c); // may be freed again
    kl_checkpoint empty = {.seed = 3};
    OK(kl_checkpoint_save(path, &empty, &err));
    OK(kl_checkpoint_load(path, &c, &err));
    ck_assert_int_eq(c.tensor_count + c.epoch_count, 0);
    kl_checkpoint_free(&c);
    end();
}

KL_TEST(wrong_checkpoints_are_not_saved) {
    begin();
    kl_tensor wrong[2] = {tensors[0], tensors[0]};
    kl_checkpoint c = made;
    c.tensors = wrong;
    ck_assert_int_eq(kl_checkpoint_save(path, &c, &err), KL_ERROR_USAGE);
    ck_assert_str_eq(err.text, "two tensors are called conv1.weight");
    wrong[1] = (kl_tensor){"a b", 1, {1}, weights};
    ck_assert_int_eq(kl_checkpoint_save(path, &c, &err), KL_ERROR_USAGE);
    memset(wrong[1].name, 'a', sizeof wrong[1].name); // without an end
    ck_assert_int_eq(kl_checkpoint_save(path, &c, &err), KL_ERROR_USAGE);
    KL_HAS(err.text, "tensor 1: names are 1 to 47");
    wrong[1] = (kl_tensor){"x", 2, {1 << 20, 1 << 20}, weights};
    ck_assert_int_eq(kl_checkpoint_save(path, &c, &err), KL_ERROR_USAGE);
    wrong[1] = (kl_tensor){"x", 0, {1}, weights};
    ck_assert_int_eq(kl_checkpoint_save(path, &c, &err), KL_ERROR_USAGE);
    c = made;
    c.position = -1;
    ck_assert_int_eq(kl_checkpoint_save(path, &c, &err), KL_ERROR_USAGE);
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_int_eq(kl_checkpoint_load(path, &c, &err), KL_ERROR_SYSTEM);
    KL_HAS(err.text, "a.ckpt: No such file");
    end();
}

// ---- damage ----------------------------------------------------------------------------------

// The file's bytes; free() them.
static uint8_t *bytes_of(const kl_checkpoint *c, size_t *out_bytes) {
    begin();
    OK(kl_checkpoint_save(path, c, &err));
    FILE *in = fopen(path, "rb");
    uint8_t *data = malloc(4096);
    *out_bytes = fread(data, 1, 4096, in);
    fclose(in);
    end();
    return data;
}

static kl_status read_bytes(const uint8_t *data, size_t bytes, kl_checkpoint *out) {
    uint8_t *exact =
        malloc(bytes > 0 ? bytes : 1); // its own block, so that a sanitizer sees its end
    if (bytes > 0) memcpy(exact, data, bytes);
    kl_byte_source *source = NULL;
    OK(kl_bytes_from_memory((char *)exact, bytes, &source, &err));
    err.text[0] = '\0';
    kl_status status = kl_checkpoint_read(source, "f", out, &err);
    kl_bytes_close(source);
    free(exact);
    return status;
}

static void set_crc(uint8_t *data, size_t bytes) {
    uint64_t crc = kl_crc64(0, data, bytes - 8);
    for (int i = 0; i < 8; i++) data[bytes - 8 + (size_t)i] = (uint8_t)(crc >> 8 * i);
}

// With `put` from byte `at` on and a check sum that is right.
static void refuse(size_t at, const char *put, size_t put_bytes, const char *words) {
    size_t bytes = 0;
    uint8_t *data = bytes_of(&made, &bytes);
    kl_checkpoint c;
    memcpy(data + at, put, put_bytes);
    set_crc(data, bytes);
    kl_status status = read_bytes(data, bytes, &c);
    ck_assert_msg(status == KL_ERROR_INPUT, "%d at %zu", status, at);
    ck_assert_msg(strstr(err.text, words) && strncmp(err.text, "f: ", 3) == 0,
                  "\"%s\" lacks \"%s\"", err.text, words);
    ck_assert(!c.tensors && !c.epochs);
    free(data);
}

KL_TEST(wrong_files_are_refused) {
    enum { TENSORS = 52 + 64, FIRST_DIMS = TENSORS + 48, SECOND = FIRST_DIMS + 4 + 24 + 24 };
    refuse(0, "PK", 2, "no checkpoint of the kit");
    refuse(6, "\n", 1, "sent as text");
    refuse(8, "\2", 1, "byte 8: a checkpoint of version 2, and this kit reads 1");
    refuse(12, "\xff\xff\xff\xff", 4, "byte 12: 4294967295 tensors, the most is 4096");
    refuse(16, "\xff\xff\xff\x7f", 4, "byte 16: 2147483647 epochs");
    refuse(16, "\xff\xff\x0f\0", 4, "the file ends here");
    refuse(43, "\xff", 1, "byte 36: ");
    refuse(TENSORS, "\0", 1, "byte 116: the name of tensor 0 is no name");
    refuse(FIRST_DIMS, "\x09", 1, "9 dimensions, the most is 8");
    refuse(FIRST_DIMS, "\0", 1, "holds nothing or more");
    refuse(FIRST_DIMS + 4, "\0", 1, "holds nothing or more");
    refuse(FIRST_DIMS + 4, "\0\0\0\x40", 4, "holds nothing or more"); // 2^30 x 2 x 3
    refuse(FIRST_DIMS + 4, "\0\0\0\x05", 4,
           "the file ends here"); // 2 GB announced, a few bytes there
    refuse(FIRST_DIMS + 10, "\1", 1, "the most is 1073741824");
    refuse(SECOND, "conv1.weight\0\0\0\0\0\0\0\0\0\0", 22, "a second tensor conv1.weight");
    refuse(12, "\1", 1, "the check sum is"); // the second tensor is taken for it
    refuse(12, "\3", 1, "the file ends here");
}

KL_TEST(damage_is_noticed) {
    size_t bytes = 0;
    uint8_t *data = bytes_of(&made, &bytes);
    kl_checkpoint c;
    for (size_t cut = 0; cut < bytes; cut++) {
        ck_assert_int_eq(read_bytes(data, cut, &c), KL_ERROR_INPUT);
        ck_assert_ptr_null(c.tensors);
    }
    data[bytes] = 0;
    ck_assert_int_eq(read_bytes(data, bytes + 1, &c), KL_ERROR_INPUT);
    KL_HAS(err.text, "goes on after its end");
    for (size_t at = 0; at < 8 * bytes; at++) { // every bit
        data[at / 8] ^= (uint8_t)(1 << at % 8);
        ck_assert_int_eq(read_bytes(data, bytes, &c), KL_ERROR_INPUT);
        ck_assert(err.text[0] != '\0' && !c.tensors && !c.epochs);
        data[at / 8] ^= (uint8_t)(1 << at % 8);
    }
    for (uint64_t i = 0; i < 5000; i++) { // with a check sum that is right: whole, or a sentence
        uint8_t other[4096];
        memcpy(other, data, bytes);
        for (uint64_t k = 0; k <= i % 3; k++)
            other[kl_random_below(1 + k, i, bytes)] = (uint8_t)kl_random_u64(5 + k, i);
        set_crc(other, bytes);
        ck_assert((read_bytes(other, bytes, &c) == KL_OK) == (err.text[0] == '\0'));
        kl_checkpoint_free(&c);
    }
    free(data);
}

// ---- going on --------------------------------------------------------------------------------

enum { IMAGES = 50, BATCH = 7, WEIGHTS = 16, EPOCHS = 4 };

// A stand-in for training with all that must be kept: weights, momentum, an order for each epoch,
// random numbers that are counted, and sums that depend on the order of everything.
static void train(kl_checkpoint *c, int64_t stop_after) {
    float *w = c->tensors[0].values, *v = c->tensors[1].values;
    int32_t order[IMAGES];
    for (int64_t steps = 0; c->epoch < EPOCHS; c->epoch++, c->position = 0) {
        kl_epoch_order(c->seed, c->epoch, IMAGES, order);
        for (; c->position < IMAGES; c->position += BATCH) {
            if (steps++ == stop_after) return;
            for (int64_t i = c->position; i < c->position + BATCH && i < IMAGES; i++) {
                int k = order[i] % WEIGHTS;
                float noise = kl_random_signed(c->seed, c->random_state++);
                v[k] = 0.9f * v[k] - 0.1f * (w[k] + noise + 0.01f * (float)order[i]);
                w[k] += v[k];
            }
        }
    }
}

KL_TEST(going_on_is_bit_identical) {
    begin();
    float w[WEIGHTS] = {0}, v[WEIGHTS] = {0}, w_whole[WEIGHTS] = {0}, v_whole[WEIGHTS] = {0};
    kl_tensor state[2] = {{"w", 1, {WEIGHTS}, w_whole}, {"w/momentum", 1, {WEIGHTS}, v_whole}};
    kl_checkpoint c = {.seed = 9, .tensor_count = 2, .tensors = state}, resumed;
    train(&c, -1);
    for (int64_t stop = 0; stop < 30; stop += 3) { // at the end of an epoch and in its middle
        memset(w, 0, sizeof w);
        memset(v, 0, sizeof v);
        kl_tensor again[2] = {{"w", 1, {WEIGHTS}, w}, {"w/momentum", 1, {WEIGHTS}, v}};
        kl_checkpoint first = {.seed = 9, .tensor_count = 2, .tensors = again};
        train(&first, stop);
        OK(kl_checkpoint_save(path, &first, &err));
        OK(kl_checkpoint_load(path, &resumed, &err));
        train(&resumed, -1);
        ck_assert_mem_eq(resumed.tensors[0].values, w_whole, sizeof w_whole);
        ck_assert_mem_eq(resumed.tensors[1].values, v_whole, sizeof v_whole);
        kl_checkpoint_free(&resumed);
    }
    end();
}

KL_TEST_MAIN("checkpoints")
