// What a run gets that names no data: Debian's Fashion-MNIST, reduced in balance, or drawn shapes.
// Skipped after the latter where the package is not installed.
#include "images.h"
#include "suite.h"

static kl_error err;

KL_TEST(what_a_run_gets) {
    kl_dataset dataset;
    OK_OR_SAY(kl_dataset_open(NULL, 1, 2000, 1000, &dataset, &err), err);
    ck_assert_int_eq(dataset.train.count, 2000);
    ck_assert_int_eq(dataset.test.count, 1000);
    int64_t of_class[10] = {0};
    for (int i = 0; i < 2000; i++) of_class[dataset.train.labels[i]]++;
    for (int c = 0; c < 10; c++) ck_assert_int_eq(of_class[c], 200);
    if (!kl_fashion_mnist_is_readable()) {
        ck_assert_str_eq(dataset.name, "drawn shapes");
        KL_HAS(kl_dataset_notice(&dataset), "--data");
        // Last: after this CTest takes the test for skipped.
        printf(
            "SKIPPED: %s is not installed, or this build has no zlib; drawn shapes were checked\n",
            KL_FASHION_MNIST_PACKAGE);
    } else {
        ck_assert_ptr_null(kl_dataset_notice(&dataset));
        // The reduced set is shuffled: it is named before that, of the whole set's first labels.
        ck_assert_str_eq(dataset.name, "Fashion-MNIST");
        ck_assert_int_eq(dataset.train.width, 28);
        double mean = 0, stddev = 0;
        kl_images_moments(&dataset.train, &mean, &stddev);
        ck_assert(mean > 0.27 && mean < 0.30); // of all 60,000: 0.2860 and 0.3530
        ck_assert(stddev > 0.34 && stddev < 0.37);
    }
    kl_dataset_free(&dataset);
}

KL_TEST_MAIN("Fashion-MNIST")
