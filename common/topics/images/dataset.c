// Data sets in folders: see images.h.
#include "images.h"
#include "random.h"
#include <sys/stat.h>

enum { CIFAR_BATCHES = 5, DIGITS = 10, FIRST_LABELS = 10 };

static const char *const fashion_names[DIGITS] = {
    "T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "boot"};
static const char *const digit_names[DIGITS] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
static const char *const cifar_names[KL_CIFAR_CLASSES] = {
    "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};

// MNIST and Fashion-MNIST have the same files of the same sizes; the first labels tell them apart.
static const struct {
    const char *name;
    uint8_t first[FIRST_LABELS]; // labels of the training images
    const char *const *class_names;
} known[] = {
    {"Fashion-MNIST", {9, 0, 0, 3, 0, 2, 7, 2, 5, 5}, fashion_names},
    {"MNIST", {5, 0, 4, 1, 9, 2, 1, 3, 1, 4}, digit_names},
};

static void set_names(kl_dataset *dataset, const char *name, const char *const *class_names,
                      int classes) {
    dataset->name = name;
    for (int c = 0; c < classes; c++) dataset->class_names[c] = class_names[c];
}

static bool exists(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && !S_ISDIR(about.st_mode);
}

// ---- idx -------------------------------------------------------------------------------------

// The file of a part ("train", "t10k") with "images" or "labels" under one of its usual names.
static bool find_idx(const char *folder, const char *part, const char *what, char *out_path,
                     size_t bytes) {
    static const char *const joints[] = {"-", "."}, *const endings[] = {"", ".gz"};
    int dimensions = strcmp(what, "images") == 0 ? 3 : 1;
    for (int i = 0; i < 4; i++) {
        int used = snprintf(out_path, bytes, "%s/%s-%s%sidx%d-ubyte%s", folder, part, what,
                            joints[i / 2], dimensions, endings[i % 2]);
        if (used > 0 && (size_t)used < bytes && exists(out_path)) return true;
    }
    return false;
}

typedef char path[KL_DATASET_SOURCE + 64];

// *out_found: one of the part's two files is there; KL_ERROR_INPUT when the other is not.
static kl_status find_idx_pair(const char *folder, const char *part, path images, path labels,
                               bool *out_found, kl_error *err) {
    bool has_images = find_idx(folder, part, "images", images, sizeof(path));
    bool has_labels = find_idx(folder, part, "labels", labels, sizeof(path));
    *out_found = has_images || has_labels;
    if (has_images == has_labels) return KL_OK;
    return kl_fail(
        err, KL_ERROR_INPUT, "%s: has %s, but not %s-%s-idx%d-ubyte or the same with .gz", folder,
        has_images ? images : labels, part, has_images ? "labels" : "images", has_images ? 1 : 3);
}

static void name_idx(kl_dataset *dataset) {
    set_names(dataset, "images", digit_names, DIGITS);
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (dataset->train.count >= FIRST_LABELS &&
            memcmp(dataset->train.labels, known[k].first, FIRST_LABELS) == 0)
            set_names(dataset, known[k].name, known[k].class_names, DIGITS);
}

static kl_status read_idx(const char *folder, kl_dataset *dataset, bool *out_found, kl_error *err) {
    path images[2], labels[2];
    bool train = false, test = false;
    *out_found = false;
    TRY(find_idx_pair(folder, "train", images[0], labels[0], &train, err));
    TRY(find_idx_pair(folder, "t10k", images[1], labels[1], &test, err));
    *out_found = train || test;
    if (!*out_found) return KL_OK;
    if (!train || !test) {
        return kl_fail(err, KL_ERROR_INPUT, "%s: has %s images, but no %s-images-idx3-ubyte",
                       folder, train ? "training" : "test", train ? "t10k" : "train");
    }
    TRY(kl_idx_read(images[0], labels[0], DIGITS, &dataset->train, err));
    TRY(kl_idx_read(images[1], labels[1], DIGITS, &dataset->test, err));
    name_idx(dataset);
    return KL_OK;
}

// ---- CIFAR-10 --------------------------------------------------------------------------------

// A folder may hold some of the five training batches.
static kl_status read_cifar(const char *folder, kl_dataset *dataset, bool *out_found,
                            kl_error *err) {
    path batches[CIFAR_BATCHES], test;
    const char *paths[CIFAR_BATCHES], *test_path = test;
    int count = 0;
    for (int i = 0; i < CIFAR_BATCHES; i++) {
        snprintf(batches[count], sizeof(path), "%s/data_batch_%d.bin", folder, i + 1);
        paths[count] = batches[count];
        count += exists(batches[count]);
    }
    snprintf(test, sizeof test, "%s/test_batch.bin", folder);
    *out_found = count > 0;
    if (count == 0) return KL_OK;
    if (!exists(test))
        return kl_fail(err, KL_ERROR_INPUT, "%s: has training batches, but no test_batch.bin",
                       folder);
    TRY(kl_cifar_read(paths, count, &dataset->train, err));
    TRY(kl_cifar_read(&test_path, 1, &dataset->test, err));
    set_names(dataset, "CIFAR-10", cifar_names, KL_CIFAR_CLASSES);
    return KL_OK;
}

// ---- any -------------------------------------------------------------------------------------

static kl_status read_folder(const char *folder, kl_dataset *dataset, kl_error *err) {
    struct stat about;
    bool found = false;
    if (strlen(folder) >= KL_DATASET_SOURCE)
        return kl_fail(err, KL_ERROR_USAGE, "%.100s..: the path is too long", folder);
    if (stat(folder, &about) != 0 || !S_ISDIR(about.st_mode)) {
        return kl_fail(err, KL_ERROR_USAGE,
                       "%s: no such folder. Give one with the idx files of MNIST or Fashion-MNIST "
                       "or the .bin files of CIFAR-10, or the word \"%s\" for drawn images",
                       folder, KL_DATASET_DRAWN);
    }
    TRY(read_idx(folder, dataset, &found, err));
    if (!found) TRY(read_cifar(folder, dataset, &found, err));
    if (!found) {
        return kl_fail(
            err, KL_ERROR_INPUT,
            "%s: has neither train-images-idx3-ubyte (or .gz) of MNIST or Fashion-MNIST "
            "nor data_batch_1.bin of CIFAR-10's binary version, whose archive has it in a "
            "folder cifar-10-batches-bin",
            folder);
    }
    const kl_images *a = &dataset->train, *b = &dataset->test;
    if (a->channels != b->channels || a->height != b->height || a->width != b->width) {
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s: training images of %d x %d and test images of %d x %d: they do not "
                       "belong together",
                       folder, a->height, a->width, b->height, b->width);
    }
    memcpy(dataset->source, folder, strlen(folder) + 1);
    return KL_OK;
}

static kl_status reduce(kl_images *images, int64_t count, uint64_t seed, kl_error *err) {
    if (count == 0 || count >= images->count) return KL_OK;
    kl_images fewer;
    TRY(kl_images_subset(images, count, seed, &fewer, err));
    kl_images_free(images);
    *images = fewer;
    return KL_OK;
}

static kl_status draw(uint64_t seed, int64_t train_count, int64_t test_count, kl_dataset *dataset,
                      kl_error *err) {
    dataset->drawn = true;
    set_names(dataset, "drawn shapes", kl_shape_names, KL_SHAPES);
    snprintf(dataset->source, sizeof dataset->source, "drawn with seed %llu",
             (unsigned long long)seed);
    TRY(kl_draw_shapes(kl_random_fork(seed, 0), train_count > 0 ? train_count : KL_DRAWN_TRAIN,
                       &dataset->train, err));
    return kl_draw_shapes(kl_random_fork(seed, 1), test_count > 0 ? test_count : KL_DRAWN_TEST,
                          &dataset->test, err);
}

static kl_status open_dataset(const char *wanted, uint64_t seed, int64_t train_count,
                              int64_t test_count, kl_dataset *dataset, kl_error *err) {
    if (!wanted && kl_fashion_mnist_is_readable()) wanted = KL_FASHION_MNIST_FOLDER;
    if (!wanted || strcmp(wanted, KL_DATASET_DRAWN) == 0) {
        TRY(draw(seed, train_count, test_count, dataset, err));
        dataset->unasked = !wanted;
        return KL_OK;
    }
    TRY(read_folder(wanted, dataset, err));
    TRY(reduce(&dataset->train, train_count, kl_random_fork(seed, 0), err));
    return reduce(&dataset->test, test_count, kl_random_fork(seed, 1), err);
}

kl_status kl_dataset_open(const char *wanted, uint64_t seed, int64_t train_count,
                          int64_t test_count, kl_dataset *out_dataset, kl_error *err) {
    *out_dataset = (kl_dataset){.name = ""};
    kl_status status = open_dataset(wanted, seed, train_count, test_count, out_dataset, err);
    if (status != KL_OK) kl_dataset_free(out_dataset);
    return status;
}

void kl_dataset_free(kl_dataset *dataset) {
    kl_images_free(&dataset->train);
    kl_images_free(&dataset->test);
}

bool kl_fashion_mnist_is_there(void) { return exists(KL_FASHION_MNIST_FILE); }

bool kl_fashion_mnist_is_readable(void) {
    return kl_bytes_read_gzip() && kl_fashion_mnist_is_there();
}

const char *kl_dataset_notice(const kl_dataset *dataset) {
    if (!dataset->unasked) return NULL;
    if (kl_fashion_mnist_is_there()) {
        return "Fashion-MNIST is installed, but the kit was built without zlib, so it trains on "
               "drawn shapes. Install zlib1g-dev and start ./ladder again, or gunzip the files "
               "of " KL_FASHION_MNIST_FOLDER " into a folder and name it with --data.";
    }
    return "No data set is installed, so it trains on drawn shapes. For Fashion-MNIST: "
           "apt-get install " KL_FASHION_MNIST_PACKAGE
           ", or --data FOLDER with the idx files of MNIST or Fashion-MNIST "
           "or the .bin files of CIFAR-10.";
}
