// Archives that reach beyond their folder, hide what they are or unpack to more than anybody needs.
#include "../../intake/make_archive.h"
#include "attacks.h"
#include "grade/intake/internal.h"

static const char *const sources[] = {".cu", NULL};

static char path[LADDER_PATH]; // of the archive that was begun last

static archive_maker *begin(const attack_setup *setup, const char *name) {
    if (!archive_maker_can()) ATTACK_SKIP("no libarchive");
    ladder_path(path, NULL, "%s/%s", setup->work, name);
    return archive_maker_open(path);
}

// Unpacks into work/unpacked. True when the archive was taken.
static bool is_taken(const attack_setup *setup, archive_maker *m) {
    char folder[LADDER_PATH];
    ladder_archive_end end;
    kl_error err = {KL_OK, ""};
    archive_maker_close(m);
    ladder_path(folder, NULL, "%s/unpacked", setup->work);
    ATTACK_MUST(ladder_folder_make(folder, &err) == KL_OK, "%s", err.text);
    kl_status status =
        ladder_archive_unpack(path, &ladder_archive_of_student, sources, folder, &end, &err);
    ATTACK_MUST(status == KL_OK, "%s", err.text);
    return end.problem[0] == '\0';
}

static bool is_there(const attack_setup *setup, const char *relative) {
    char at[LADDER_PATH];
    struct stat info;
    ladder_path(at, NULL, "%s/%s", setup->work, relative);
    return lstat(at, &info) == 0;
}

static bool climbs(const attack_setup *setup, const char *archive) {
    archive_maker *m = begin(setup, archive);
    archive_maker_text(m, "1_interleaved.cu", "x");
    archive_maker_text(m, "steps/../../dropped.cu", "x");
    is_taken(setup, m);
    return is_there(setup, "dropped.cu");
}

// attack: A path in a zip archive goes upwards, out of its folder.
// stopped by: ARCHIVE_NAMES
// expect: the archive is not taken
// gains: a file is written outside
ATTACK(zip_climbs) { return climbs(setup, "a.zip"); }

// attack: A path in a tar archive goes upwards, out of its folder.
// stopped by: ARCHIVE_NAMES
// expect: the archive is not taken
// gains: a file is written outside
ATTACK(tar_climbs) { return climbs(setup, "a.tar.gz"); }

// attack: A path in an archive is absolute.
// stopped by: ARCHIVE_NAMES
// expect: the file lies in the archive's own folder, below its path
// gains: a file is written outside
ATTACK(absolute_path) {
    char target[LADDER_PATH];
    archive_maker *m = begin(setup, "a.tar");
    ladder_path(target, NULL, "%s/dropped.cu", setup->work);
    archive_maker_text(m, target, "x");
    is_taken(setup, m);
    return is_there(setup, "dropped.cu");
}

// attack: A step in an archive is a symbolic link to a file with a secret.
// stopped by: ARCHIVE_KINDS
// expect: the link is left out, and said to be
// gains: a link is taken for a file
ATTACK(symbolic_link_in_zip) {
    char secret[LADDER_PATH];
    attack_secret_path(setup, secret);
    archive_maker *m = begin(setup, "a.zip");
    archive_maker_symlink(m, "1_interleaved.cu", secret);
    return is_taken(setup, m) && is_there(setup, "unpacked/1_interleaved.cu");
}

// attack: A folder in an archive is a symbolic link, through which a later entry is written.
// stopped by: design
// expect: no link is ever made
// gains: a file is written outside
ATTACK(file_through_link) {
    archive_maker *m = begin(setup, "a.tar");
    archive_maker_symlink(m, "steps", setup->work);
    archive_maker_text(m, "steps/dropped.cu", "x");
    is_taken(setup, m);
    return is_there(setup, "dropped.cu");
}

// attack: A step in an archive is a hard link to a file of the machine.
// stopped by: ARCHIVE_KINDS
// expect: the link is left out, and said to be
// gains: a link is taken for a file
ATTACK(hard_link_in_tar) {
    archive_maker *m = begin(setup, "a.tar");
    archive_maker_hardlink(m, "1_interleaved.cu", "/etc/passwd");
    return is_taken(setup, m) && is_there(setup, "unpacked/1_interleaved.cu");
}

// attack: A step in an archive is a device.
// stopped by: ARCHIVE_KINDS
// expect: the device is left out, and said to be
// gains: a device is taken for a file
ATTACK(device_in_tar) {
    archive_maker *m = begin(setup, "a.tar");
    archive_maker_device(m, "1_interleaved.cu");
    return is_taken(setup, m) && is_there(setup, "unpacked/1_interleaved.cu");
}

// attack: A small zip archive unpacks to a thousand times its size.
// stopped by: ARCHIVE_BYTES
// expect: the archive is not taken
// gains: it is unpacked
ATTACK(zip_bomb) {
    enum { BYTES = 20 << 20 };
    archive_maker *m = begin(setup, "a.zip");
    archive_maker_zeros(m, "1_interleaved.cu", BYTES);
    return is_taken(setup, m) && is_there(setup, "unpacked/1_interleaved.cu");
}

// attack: The bomb is a file that no step needs, so that it costs time alone.
// stopped by: ARCHIVE_BYTES
// expect: the archive is not taken
// gains: it is unpacked
ATTACK(bomb_beside_step) {
    enum { BYTES = 20 << 20 };
    archive_maker *m = begin(setup, "a.tgz");
    archive_maker_text(m, "1_interleaved.cu", "x");
    archive_maker_zeros(m, "notes.bin", BYTES);
    return is_taken(setup, m);
}

// attack: An archive has 12000 files.
// stopped by: ARCHIVE_FILES
// expect: the archive is not taken
// gains: every entry costs the grader time
ATTACK(thousands_of_entries) {
    enum { FILES = 12000 };
    char name[32];
    archive_maker *m = begin(setup, "a.tar");
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "f%d.txt", i);
        archive_maker_text(m, name, "x");
    }
    return is_taken(setup, m);
}

// attack: A path in an archive has 400 folders.
// stopped by: ARCHIVE_DEPTH
// expect: the archive is not taken
// gains: folders are made that are hard to walk and to remove
ATTACK(deep_path) {
    enum { DEPTH = 400 };
    char name[2 * DEPTH + 32] = "";
    archive_maker *m = begin(setup, "a.tar");
    for (int i = 0; i < DEPTH; i++) strcpy(name + 2 * i, "d/");
    strcat(name, "1_interleaved.cu");
    archive_maker_text(m, name, "x");
    return is_taken(setup, m);
}

// attack: An archive has a step twice: a right one for people, another one for the grader.
// stopped by: ARCHIVE_ONCE
// expect: the archive is not taken
// gains: the second one is graded
ATTACK(name_twice) {
    char folder[LADDER_PATH];
    archive_maker *m = begin(setup, "a.zip");
    archive_maker_text(m, "1_interleaved.cu", "first");
    archive_maker_text(m, "1_interleaved.cu", "second");
    bool taken = is_taken(setup, m);
    ladder_path(folder, NULL, "%s/unpacked", setup->work);
    return taken && attack_folder_holds(folder, "second");
}

// attack: An archive within the archive holds the files.
// stopped by: design
// expect: it stays as it is
// gains: it is unpacked
ATTACK(archive_in_archive) {
    char *bytes = NULL;
    size_t count = 0;
    archive_maker *m = begin(setup, "inner.zip");
    archive_maker_text(m, "1_interleaved.cu", "x");
    archive_maker_close(m);
    ATTACK_MUST(ladder_file_read(AT_FDCWD, path, 1 << 20, &bytes, &count, NULL) == KL_OK, "read");
    m = begin(setup, "a.zip");
    archive_maker_file(m, "inner.zip", bytes, count);
    free(bytes);
    is_taken(setup, m);
    return is_there(setup, "unpacked/1_interleaved.cu");
}
