// Archives of students and of classes, in every way of packing, and what is refused: see
// intake_test.c.
// links: ladder_package_ARCHIVE
// needs: ladder-unpack
#include "class_folder.h"
#include "grade/intake/internal.h"
#include "make_archive.h"

static void must_have_archives(void) {
    if (!archive_maker_can()) exit(0); // said by CMake: no libarchive
}

static archive_maker *archive(const char *name) {
    put(name, ""); // and the folders above
    const char *path = kl_own_text("%s/%s", folder, name);
    unlink(path);
    return archive_maker_open(path);
}

// An archive of one file.
static void pack(const char *name, const char *entry, const char *text) {
    archive_maker *m = archive(name);
    archive_maker_text(m, entry, text);
    archive_maker_close(m);
}

KL_FIXTURE(set_up, tear_down)

KL_TEST(archives_are_unpacked) {
    must_have_archives();
    archive_maker *m = archive("ann.zip");
    archive_maker_text(m, "__MACOSX/steps/._1_interleaved.cu", "mac");
    archive_maker_text(m, "steps/.DS_Store", "mac");
    archive_maker_text(m, "steps/1_interleaved.cu", "ann");
    archive_maker_symlink(m, "steps/2_strided.cu", "/etc/passwd");
    archive_maker_close(m);
    m = archive("bob.tar.gz");
    archive_maker_text(m, "bob/1_interleaved.cu", "bob");
    archive_maker_text(m, "caf\xe9/x.cu", "Latin-1 in a name");
    archive_maker_close(m);
    pack("cy/hand in.tgz", "1_interleaved.cu", "cy");
    put("broken.zip", "PK\x03\x04 and no more");
    put("empty.tar.gz", "");
    put("dan.rar", "Rar!");
    pack("eve.tar", "../1_interleaved.cu", "eve");
    take("", NULL);
    ck_assert_int_eq(taken.layout, LADDER_LAYOUT_PLAIN);
    ck_assert_uint_eq(taken.count, 7);
    ck_assert(described(": 7 submissions, 7 archives, 4 that cannot be read"));
    holds("ann.zip", 1, "ann");
    holds("ann.zip", 2, NULL);
    ck_assert(says(find("ann.zip")->note, "2_strided.cu"));
    holds("bob.tar.gz", 1, "bob");
    holds("cy", 1, "cy");
    ck_assert(says(find("dan.rar")->problem, "no archive of a kind that is read; hand in a .zip"));
    ck_assert(says(find("eve.tar")->problem, "outside"));
    ck_assert(find("empty.tar.gz")->problem[0] != '\0');
    holds("broken.zip", 1, NULL);
    ck_assert(files[1].unreadable && says(files[1].message, "cannot be read: broken.zip"));
}

KL_TEST(an_archive_is_a_class_or_one_student) {
    must_have_archives();
    archive_maker *m = archive("steps.zip"); // a student's, within Canvas's
    archive_maker_text(m, "steps/1_interleaved.cu", "in the archive");
    archive_maker_text(m, "steps/2_strided.cu", "two");
    archive_maker_close(m);
    char path[LADDER_PATH], *bytes = NULL;
    size_t count = 0;
    ladder_path(path, &err, "%s/steps.zip", folder);
    ck_assert_int_eq(ladder_file_read(AT_FDCWD, path, 1 << 20, &bytes, &count, &err), KL_OK);
    m = archive("submissions.zip");
    archive_maker_file(m, "leeann_10_501_steps.zip", bytes, count);
    archive_maker_text(m, "leeann_10_502_1_interleaved.cu", "beside it");
    archive_maker_text(m, "raybob_11_503_1_interleaved.cu", "bob");
    archive_maker_close(m);
    free(bytes);
    take("submissions.zip", NULL);
    ck_assert_int_eq(taken.layout, LADDER_LAYOUT_CANVAS);
    ck_assert_uint_eq(taken.count, 2);
    holds("leeann", 1, "beside it");
    holds("leeann", 2, "two");
    take("steps.zip", NULL);
    ck_assert_uint_eq(taken.count, 1);
    holds("steps.zip", 2, "two");
    m = archive("wrapped.tgz");
    archive_maker_text(m, "class/ann/1_interleaved.cu", "ann");
    archive_maker_text(m, "class/bob/1_interleaved.cu", "bob");
    archive_maker_close(m);
    take("wrapped.tgz", NULL);
    ck_assert_uint_eq(taken.count, 2);
    holds("bob", 1, "bob");
    put("class.zip", "no archive");
    ladder_path(path, &err, "%s/class.zip", folder);
    forget_taken();
    ck_assert_int_eq(ladder_intake_take(path, NULL, lab, staging, &taken, &err), KL_ERROR_INPUT);
    ck_assert(says(err.text, "class.zip cannot be read"));
}

// Packs an archive's file into another archive.
static void pack_into(const char *outer, const char *inner, const char *name) {
    char path[LADDER_PATH], *bytes = NULL;
    size_t count = 0;
    ladder_path(path, &err, "%s/%s", folder, inner);
    ck_assert_int_eq(ladder_file_read(AT_FDCWD, path, 1 << 20, &bytes, &count, &err), KL_OK);
    unlink(path);
    archive_maker *m = archive(outer);
    archive_maker_file(m, name, bytes, count);
    archive_maker_close(m);
    free(bytes);
}

// Who handed in something else in a class's archive is on the list, too.
KL_TEST(no_student_vanishes_in_an_archive) {
    must_have_archives();
    archive_maker *m = archive("moodle.zip");
    archive_maker_text(m, "Ann Lee_101_assignsubmission_file/1_interleaved.cu", "ann");
    archive_maker_text(m, "Bob Ray_102_assignsubmission_file/report.pdf", "no code");
    archive_maker_text(m, "Cy Dee_103_assignsubmission_file/notes", "x");
    archive_maker_text(m, "Cy Dee_103_assignsubmission_file/notes/1_interleaved.cu", "cy");
    archive_maker_text(m, "README.pdf", "nobody's");
    archive_maker_close(m);
    take("moodle.zip", NULL);
    ck_assert_uint_eq(taken.count, 3);
    holds("Ann Lee", 1, "ann");
    holds("Cy Dee", 1, "cy"); // what is not wanted is in nobody's way
    ck_assert(says(find("Bob Ray")->problem, "no step file of this lab"));
    m = archive("canvas.zip");
    archive_maker_text(m, "leeann_10_501_1_interleaved.cu", "ann");
    archive_maker_text(m, "raybob_12_503_report.pdf", "no code");
    archive_maker_close(m);
    take("canvas.zip", NULL);
    ck_assert_uint_eq(taken.count, 2);
    ck_assert(find("raybob")->problem[0] != '\0');
}

KL_TEST(an_archive_in_an_archive_is_opened_once) {
    must_have_archives();
    for (int i = 0; i < 2; i++) {
        pack("inner.zip", "steps/1_interleaved.cu", "nested");
        pack_into(i == 0 ? "ann.zip" : "middle.zip", "inner.zip", "hand in/work.zip");
    }
    pack_into("bob.zip", "middle.zip", "middle.zip");
    pack("cy.zip", "other.cu", "of no step");
    pack("dan.zip", "inside.rar", "Rar!");
    archive_maker *m = archive("inner.zip"); // limits hold for the inner one
    char *zeros = calloc(1, 32 << 20);
    archive_maker_file(m, "1_interleaved.cu", zeros, 32 << 20);
    archive_maker_close(m);
    free(zeros);
    pack_into("eve.zip", "inner.zip", "inner.zip");
    put("inner.zip", "PK\x03\x04 and no more");
    pack_into("fay.zip", "inner.zip", "inner.zip");
    take("", NULL);
    ck_assert_uint_eq(taken.count, 6);
    ck_assert(says(find("eve.zip")->problem, "inner.zip: it unpacks to more than"));
    ck_assert(says(find("fay.zip")->problem, "inner.zip: it is"));
    holds("ann.zip", 1, "nested");
    ck_assert(says(find("ann.zip")->note, "taken from an archive in the archive: work.zip"));
    ck_assert(says(find("bob.zip")->problem, "no step file of this lab"));
    ck_assert(says(find("bob.zip")->note, "an archive within two others is not read: work.zip"));
    ck_assert(says(find("cy.zip")->problem, "in cy.zip; not taken: other.cu (not a step's name)"));
    ck_assert(says(find("dan.zip")->problem, "inside.rar: it is damaged, or no archive"));
    holds("bob.zip", 1, NULL);
    ck_assert(files[1].unreadable); // and so no 0
}

#define NINETY                                                                                     \
    "123456789_123456789_123456789_123456789_123456789_123456789_123456789_123456789_123456789_"

// A row of the ways to pack: archive, the names of step 1 and step 2 in it (NULL: none), what is
// noted.
static const struct packing {
    const char *archive, *first, *second, *noted;
} packings[] = {
    {"dot.tgz", "./1_interleaved.cu", "./2_strided.cu", NULL},
    {"dot_steps.tar", "./steps/1_interleaved.cu", "./steps/./2_strided.cu", NULL},
    {"absolute.tgz", "/home/gus/steps/1_interleaved.cu", "/home/gus/steps/2_strided.cu", NULL},
    {"slashes.zip", "//steps//1_interleaved.cu", "/steps/2_strided.cu", NULL},
    {"backslashes.zip", "hand in\\steps\\1_interleaved.cu", "hand in\\steps\\2_strided.cu", NULL},
    {"mixed.zip", "a/b\\1_interleaved.cu", "a\\b/2_strided.cu", NULL},
    {"drive.zip", "C:\\Users\\gus\\1_interleaved.cu", "C:\\Users\\gus\\2_strided.cu", NULL},
    {"deep.zip", "a/b/c/d/e/f/g/h/1_interleaved.cu", "a/b/c/d/e/f/g/h/2_strided.cu", NULL},
    {"kit.zip", "kit-main/labs/02_reduction/steps/1_interleaved.cu",
     "kit-main/labs/02_reduction/steps/2_strided.cu", NULL},
    {"case.zip", "1_Interleaved.CU", "2_STRIDED.cu", "\"2_STRIDED.cu\" is taken for 2_strided.cu"},
    {"blanks.zip", "1_interleaved.cu ", " 2_strided.cu.", "is taken for 1_interleaved.cu"},
    {"mark.zip",
     "\xef\xbb\xbf"
     "1_interleaved.cu",
     "2_strided.cu\xe2\x80\x8f", NULL},
    {"browser.zip", "1_interleaved (1).cu", "2_strided(12).cu",
     "\"1_interleaved (1).cu\" is taken"},
    {"copies.tgz", "Copy of 1_interleaved.cu", "2_strided - Copy (2).cu", "taken for 2_strided.cu"},
    {"kopien.tgz", "Kopie von 1_interleaved.cu", "2_strided \xe2\x80\x93 Kopie.cu", NULL},
    {"separators.tgz", "1-interleaved.cu", "2 Strided.cu", NULL},
    {"prefix.zip", "gus_1_interleaved.cu", "gus lee - 2_strided.cu", NULL},
    {"nfd.tgz", "Jose\xcc\x81/1_interleaved.cu", "Jose\xcc\x81/2_strided.cu", NULL},
    {"seven.7z", "steps/1_interleaved.cu", "steps/2_strided.cu", NULL},
    {"x.tar.xz", "./steps/1_interleaved.cu", "./steps/2_strided.cu", NULL},
    {"1_interleaved.cu.gz", "only", NULL, NULL},
    {"long.tgz", NINETY "/" NINETY "/1_interleaved.cu", NINETY "/" NINETY "/2_strided.cu", NULL},
    {"no_ending", "1_interleaved.cu", "2_strided.cu", NULL},
    {"of_two.zip", "first/1_interleaved.cu", "second/2_strided.cu", "steps are taken from second"},
};

// Steps 1 and 2, stored, in the RAR 5.0 archive format (rarlab.com/technote.htm): no library here
// writes it.
static const unsigned char rar[] = {
    82,  97,  114, 33,  26,  7,   1,   0,   197, 26,  51,  50,  3,   1,   0,   0,   97,  227, 210,
    214, 37,  2,   2,   3,   4,   3,   164, 131, 2,   241, 134, 108, 122, 0,   1,   22,  115, 116,
    101, 112, 115, 47,  49,  95,  105, 110, 116, 101, 114, 108, 101, 97,  118, 101, 100, 46,  99,
    117, 111, 110, 101, 243, 175, 189, 157, 33,  2,   2,   3,   4,   3,   164, 131, 2,   102, 138,
    202, 17,  0,   1,   18,  115, 116, 101, 112, 115, 47,  50,  95,  115, 116, 114, 105, 100, 101,
    100, 46,  99,  117, 116, 119, 111, 25,  178, 58,  53,  3,   5,   0,   0};

KL_TEST(every_way_of_packing_is_taken) {
    must_have_archives();
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++) {
        const struct packing *p = &packings[i];
        archive_maker *m = archive(p->archive);
        archive_maker_text(m, p->first, "one");
        if (p->second) archive_maker_text(m, p->second, "two");
        archive_maker_close(m);
    }
    char path[LADDER_PATH];
    put("real.rar", "");
    ladder_path(path, &err, "%s/real.rar", folder);
    ck_assert_int_eq(ladder_file_write(path, rar, sizeof rar, &err), KL_OK);
    take("", NULL);
    ck_assert_uint_eq(taken.count, sizeof packings / sizeof *packings + 1);
    holds("real.rar", 1, "one");
    holds("real.rar", 2, "two");
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++) {
        const struct packing *p = &packings[i];
        holds(p->archive, 1, "one");
        holds(p->archive, 2, p->second ? "two" : NULL);
        bool noted = !p->noted;
        for (int n = 0; n < result.note_count; n++)
            noted = noted || says(result.notes[n], p->noted);
        ck_assert_msg(noted, "%s: no note \"%s\"", p->archive, p->noted);
        // And each by itself, as PATH of the command line.
        static ladder_submission alone;
        ladder_path(path, &err, "%s/%s", folder, p->archive);
        const char *own = kl_own_text("%s/alone%zu", staging, i);
        ck_assert_int_eq(ladder_folder_make(own, &err), KL_OK);
        ck_assert_int_eq(ladder_intake_take_one(path, lab, own, &alone, &err), KL_OK);
        ck_assert_msg(alone.problem[0] == '\0', "%s", alone.problem);
        ck_assert_str_eq(alone.title, p->archive);
        ck_assert_int_eq(ladder_submission_read(&alone, lab, files, &result, &err), KL_OK);
        ck_assert(files[1].text && strcmp(files[1].text, "one") == 0);
        ladder_submission_free(files, lab->rubric->step_count);
    }
}

// Names of a class's archive as tar and Windows write them.
KL_TEST(a_class_is_packed_in_every_way) {
    must_have_archives();
    static const char *const tops[] = {"./%s/1_interleaved.cu", "/home/prof/in/%s/1_interleaved.cu",
                                       "class\\%s\\1_interleaved.cu", "./%s/steps/1_interleaved.cu",
                                       "./%s_1_assignsubmission_file/1_interleaved.cu"};
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
        archive_maker *m = archive("class.tgz");
        for (int k = 0; k < 2; k++) {
            char name[128];
            snprintf(name, sizeof name, tops[i], k == 0 ? "ann" : "bob");
            archive_maker_text(m, name, k == 0 ? "ann" : "bob");
        }
        archive_maker_close(m);
        take("class.tgz", NULL);
        ck_assert_uint_eq(taken.count, 2);
        holds("ann", 1, "ann");
        holds("bob", 1, "bob");
    }
    archive_maker *m = archive("class.tgz"); // nobody vanishes who handed in a link alone
    archive_maker_text(m, "./ann/1_interleaved.cu", "ann");
    archive_maker_symlink(m, "./bob/1_interleaved.cu", "../ann/1_interleaved.cu");
    archive_maker_close(m);
    take("class.tgz", NULL);
    ck_assert_uint_eq(taken.links, 1);
    ck_assert(says(find("bob")->problem, "bob/1_interleaved.cu (a link; links are not followed)"));
    pack("steps.tgz", "./1_interleaved.cu", "inner");
    pack_into("outer.zip", "steps.tgz", "./ann.tgz"); // a class of one, as an archive of archives
    take("outer.zip", NULL);
    ck_assert_uint_eq(taken.count, 1);
    holds("ann.tgz", 1, "inner");
}

// Each refusal says what was seen, where, why and what to do, and is no 0.
KL_TEST(what_is_not_taken_is_told) {
    must_have_archives();
    archive_maker *m = archive("names.zip");
    static const char *const names[] = {"step3.cu",      "1_interleaved.cu.txt",
                                        "interleavd.cu", "4_first_add.cpp",
                                        "report.pdf",    "a.png",
                                        "b.png"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) archive_maker_text(m, names[i], "x");
    archive_maker_close(m);
    m = archive("link.tgz");
    archive_maker_symlink(m, "1_interleaved.cu", "../bob/1_interleaved.cu");
    archive_maker_close(m);
    pack("mac.zip", "__MACOSX/._1_interleaved.cu", "x");
    pack("pass.secret.zip", "1_interleaved.cu", "x");
    m = archive("many.tgz");
    for (int i = 0; i < 10321; i++) archive_maker_text(m, "f", "");
    archive_maker_close(m);
    pack("climbs.tgz", "../1_interleaved.cu", "x");
    put("bob/1_interleaved.cu", "bob");
    put("eve/notes.md", "x");
    put("eve/1_doubling.cu", "x");
    char path[LADDER_PATH];
    ladder_path(path, &err, "%s/eve/steps", folder);
    ck_assert_int_eq(symlink("../bob", path), 0);
    ladder_path(path, &err, "%s/fay", folder);
    ck_assert_int_eq(symlink("bob", path), 0);
    take("", "plain");
    const char *problem = find("names.zip")->problem;
    static const char *const told[] = {
        "such as 1_interleaved.cu) in names.zip; not taken: ",
        "step3.cu (not a step's name; 3_sequential.cu may be meant)",
        "1_interleaved.cu.txt (not a .cu file; 1_interleaved.cu may be meant)",
        "interleavd.cu (not a step's name; 1_interleaved.cu may be meant)",
        "4_first_add.cpp (not a .cu file; 4_first_add.cu may be meant)",
        " and 2 more"};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        ck_assert_msg(says(problem, told[i]), "%s: %s", told[i], problem);
    ck_assert(says(find("eve")->problem, "not taken: 1_doubling.cu (a step of lab 11_scan)"));
    ck_assert(says(find("link.tgz")->problem, "1_interleaved.cu (a link; links are not followed)"));
    ck_assert(says(find("mac.zip")->problem, "1 hidden file was passed over"));
    ck_assert(
        says(find("pass.secret.zip")->problem, "encrypted; pack it again without a password"));
    ck_assert(
        says(find("many.tgz")->problem, "holds 10321 entries; the limit of an archive is 10000"));
    ck_assert(says(find("climbs.tgz")->problem, "outside of its own folder; pack the folder"));
    ck_assert(says(find("eve")->problem, "steps (a link; links are not followed)"));
    ck_assert(says(find("fay")->problem, "a symbolic link, and links are not followed: hand in"));
    for (size_t i = 0; i < taken.count; i++) {
        if (strcmp(taken.list[i].title, "bob") == 0) continue;
        holds(taken.list[i].title, 1, NULL);
        ck_assert(files[1].unreadable && files[1].message[0] != '\0');
    }
    put("none/notes.txt", "x"); // and a folder that is no class at all
    ladder_path(path, &err, "%s/none", folder);
    forget_taken();
    ck_assert_int_eq(ladder_intake_take(path, NULL, lab, staging, &taken, &err), KL_ERROR_INPUT);
    ck_assert(says(err.text, "not taken: notes.txt (not a .cu file)"));
}

KL_TEST_MAIN("intake_archives")
