// Rows of results that the class's run did not write: what a process could do that reaches the
// folder of the results.
#include "attacks.h"

static void grade_ann_and_bob(const attack_setup *setup) {
    attack_class class;
    attack_put(setup, "in/ann/1_interleaved.cu", " ");
    attack_put(setup, "in/bob/1_interleaved.cu", " ");
    attack_run_class(setup, false, &class);
    ATTACK_MUST(class.rows[0].done && class.rows[0].points.reached == 0, "ann was not graded");
    attack_free_class(&class);
}

// Whether ann has points when the class is resumed.
static bool ann_has_points(const attack_setup *setup) {
    attack_class class;
    attack_run_class(setup, true, &class);
    const ladder_row *row = &class.rows[attack_index(&class, "ann")];
    bool points = row->points.reached > 0;
    ATTACK_MUST(row->done, "ann was not graded");
    attack_free_class(&class);
    return points;
}

static void row_path(const attack_setup *setup, const char *id, char out[LADDER_PATH]) {
    char results[LADDER_PATH];
    ladder_path(results, NULL, "%s/results", setup->work);
    ladder_class_row_path(results, id, out, NULL);
}

static ladder_row read_row(const attack_setup *setup, const char *id) {
    char path[LADDER_PATH];
    ladder_row row;
    row_path(setup, id, path);
    ATTACK_MUST(ladder_row_read(path, NULL, &row) == LADDER_ROW_GOOD, "%s", path);
    return row;
}

static void raise_row(ladder_row *row) {
    row->points.reached = row->points.most = 100;
    row->steps[1].outcome = LADDER_CORRECT;
    row->steps[1].points = row->steps[1].points_max;
}

static void write_row(const attack_setup *setup, const char *id, const ladder_row *row,
                      const ladder_row_key *key) {
    char path[LADDER_PATH];
    row_path(setup, id, path);
    ATTACK_MUST(ladder_row_write(row, key, path, NULL) == KL_OK, "%s", path);
}

static void key_path(const attack_setup *setup, char out[LADDER_PATH]) {
    ladder_path(out, NULL, "%s/results/class/key", setup->work);
}

static ladder_row_key read_key(const attack_setup *setup) {
    char path[LADDER_PATH], *text = NULL;
    size_t bytes = 0;
    ladder_row_key key;
    key_path(setup, path);
    ATTACK_MUST(ladder_file_read(AT_FDCWD, path, sizeof key, &text, &bytes, NULL) == KL_OK &&
                    bytes == sizeof key,
                "%s", path);
    memcpy(&key, text, sizeof key);
    free(text);
    return key;
}

// attack: Writes a row with full points in place of its own, with a signature that anybody can
// make.
// stopped by: ROW_SIGNATURE
// expect: the row is noticed, the submission graded again
// gains: points of a row that nobody graded
ATTACK(row_forged) {
    grade_ann_and_bob(setup);
    ladder_row row = read_row(setup, "ann");
    raise_row(&row);
    write_row(setup, "ann", &row, NULL);
    return ann_has_points(setup);
}

// attack: Changes the number of points in its row and leaves the signature.
// stopped by: ROW_SIGNATURE
// expect: the row is noticed, the submission graded again
// gains: points that nobody gave
ATTACK(row_edited) {
    char path[LADDER_PATH], *text = NULL, other[LADDER_PATH];
    grade_ann_and_bob(setup);
    ladder_row row = read_row(setup, "ann");
    raise_row(&row);
    ladder_path(other, NULL, "%s/other.row", setup->work);
    ATTACK_MUST(ladder_row_write(&row, NULL, other, NULL) == KL_OK, "%s", other);
    char *own = NULL;
    size_t own_bytes = 0, bytes = 0;
    row_path(setup, "ann", path);
    ATTACK_MUST(ladder_file_read(AT_FDCWD, path, 1 << 16, &own, &own_bytes, NULL) == KL_OK &&
                    ladder_file_read(AT_FDCWD, other, 1 << 16, &text, &bytes, NULL) == KL_OK,
                "rows");
    memcpy(text + bytes - LADDER_SHA256_TEXT, own + own_bytes - LADDER_SHA256_TEXT,
           LADDER_SHA256_TEXT);
    ATTACK_MUST(ladder_file_write(path, text, bytes, NULL) == KL_OK, "%s", path);
    free(own);
    free(text);
    return ann_has_points(setup);
}

// attack: Signs a row with the key of another class run.
// stopped by: ROW_SIGNATURE
// expect: the row is noticed, the submission graded again
// gains: points of a row that this class did not give
ATTACK(row_of_other_class) {
    grade_ann_and_bob(setup);
    const ladder_row_key other = {{1, 2, 3}};
    ladder_row row = read_row(setup, "ann");
    raise_row(&row);
    write_row(setup, "ann", &row, &other);
    return ann_has_points(setup);
}

// attack: Puts the signed row of a better namesake in the place of its own; the files are the same.
// stopped by: ROW_OWNER
// expect: the row is noticed, the submission graded again
// gains: another student's points
ATTACK(row_of_other_student) {
    grade_ann_and_bob(setup);
    ladder_row_key key = read_key(setup);
    ladder_row row = read_row(setup, "bob");
    raise_row(&row);
    snprintf(row.title, sizeof row.title, "ann");
    write_row(setup, "ann", &row, &key); // as the class would have signed it for a second ann
    return ann_has_points(setup);
}

// attack: Keeps the row of good files and hands in others.
// stopped by: ROW_FILES
// expect: the submission is graded again
// gains: points of files that are no longer there
ATTACK(row_of_other_files) {
    grade_ann_and_bob(setup);
    ladder_row_key key = read_key(setup);
    ladder_row row = read_row(setup, "ann");
    raise_row(&row);
    write_row(setup, "ann", &row, &key);
    attack_put(setup, "in/ann/1_interleaved.cu", "\n\n");
    return ann_has_points(setup);
}

// attack: Puts a key of its own in the place of the class's, readable for all, and signs with it.
// stopped by: KEY_OWNER
// expect: the key is made anew, all are graded again
// gains: points of a row that nobody graded
ATTACK(key_replaced) {
    char path[LADDER_PATH];
    grade_ann_and_bob(setup);
    const ladder_row_key own = {{9, 9, 9}};
    key_path(setup, path);
    ATTACK_MUST(unlink(path) == 0 && ladder_file_write(path, &own, sizeof own, NULL) == KL_OK &&
                    chmod(path, 0666) == 0,
                "%s", path);
    ladder_row row = read_row(setup, "ann");
    raise_row(&row);
    write_row(setup, "ann", &row, &own);
    return ann_has_points(setup);
}

// attack: A row is cut short, as by a full disk.
// stopped by: ROW_SIGNATURE
// expect: the row is noticed, the submission graded again
// gains: a row with fewer steps, and so with all of its points
ATTACK(row_cut_short) {
    grade_ann_and_bob(setup);
    ladder_row row = read_row(setup, "ann");
    raise_row(&row);
    row.step_count = 2; // what stands behind is lost
    write_row(setup, "ann", &row, NULL);
    return ann_has_points(setup);
}
