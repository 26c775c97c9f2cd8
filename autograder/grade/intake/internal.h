// What the files that take in a class share: see intake.h for what other modules see.
#pragma once

#include "grade/intake/intake.h"
#include <limits.h>

// ---- internal -----------------------------------------------------------------------------------

// An entry of the class's folder and what its name says.
typedef struct ladder_item {
    ladder_entry entry;
    ladder_handed handed;
} ladder_item;

// What is to be done about a submission once all are listed.
typedef enum ladder_task_kind {
    LADDER_TASK_NONE,
    LADDER_TASK_FOLDER,  // s->path is one that was handed in
    LADDER_TASK_ARCHIVE, // s->path is an archive
    LADDER_TASK_FILES    // files of one student in the class's folder
} ladder_task_kind;

typedef struct ladder_task {
    ladder_task_kind kind;
    const ladder_item *items; // [count] of LADDER_TASK_FILES
    size_t count;
} ladder_task;

typedef struct ladder_taking {
    const ladder_lab *lab;
    const char *staging;
    ladder_intake *out;
    ladder_task *tasks;       // [out->count]
    ladder_item *items;       // of all students
    char folder[LADDER_PATH]; // of the class
    ladder_entry *entries;    // [entry_count] of it
    size_t entry_count;
    struct ladder_metadata_file *metadata; // of Gradescope, or NULL
    ladder_seen left_out; // of the class's archive: links and the like, by their paths
} ladder_taking;

// Ends of names that a step's source may have been given: those of sources alone are steps by
// themselves, and a person may take the others for steps, too (ladder_intake_take_as).
#define LADDER_TAKING_SOURCES ".cu", ".cuh", ".cpp", ".cc", ".c", ".txt"

// Of Gradescope, in the class's folder.
#define LADDER_TAKING_METADATA "submission_metadata.yml"

// listing.c: whose each entry of the class's folder is. They fill in->out->list and in->tasks.

kl_status ladder_taking_list_plain(ladder_taking *in, kl_error *err);    // each entry is one
kl_status ladder_taking_list_students(ladder_taking *in, kl_error *err); // by a layout's names
// The whole of `what`, an archive, is one student's.
kl_status ladder_taking_list_single(ladder_taking *in, const char *what, kl_error *err);

// The problem of a single file that is no step by its name.
void ladder_taking_misnamed(const ladder_lab *lab, ladder_submission *s);

// student.c: where one student's step files are. Each leaves the folder in s->path, or a problem.

kl_status ladder_taking_archive(ladder_taking *in, ladder_submission *s, const char *path,
                                kl_error *err);
kl_status ladder_taking_folder(ladder_taking *in, ladder_submission *s, kl_error *err);
// items[0 .. count) of the class's folder; the last of each name counts.
kl_status ladder_taking_files(ladder_taking *in, const ladder_item *items, size_t count,
                              ladder_submission *s, kl_error *err);
// metadata.c: of a group Moodle hands out a copy per member, "Group A-Ann Lee_101_..": copies that
// are the same become one submission of all of them.
kl_status ladder_taking_teams(ladder_taking *in, kl_error *err);

// ---- archive.c ----------------------------------------------------------------------------------
// Archives that people hand in: zip, tar in any common compression, 7z and rar, and one compressed
// file. Another process (unpack_main.c) reads them in the sandbox; this one looks at every name
// that it hands over and makes regular files in fresh folders, and nothing else. An archive in an
// archive is a file as others are.

// What an archive may unpack to. All of its entries count, whether they are wanted or not.
typedef struct ladder_archive_limits {
    uint64_t bytes, entries;
    uint64_t ratio; // unpacked to packed
    double wall_s;
} ladder_archive_limits;

extern const ladder_archive_limits ladder_archive_of_student, ladder_archive_of_class;

enum { LADDER_ARCHIVE_PROBLEM = 500 };

// What became of an archive.
typedef struct ladder_archive_end {
    char problem[LADDER_ARCHIVE_PROBLEM]; // why nothing of it may be used, and what to do; "": well
    int files;                            // that were written
    uint64_t bytes;                       // of them
    int hidden;                           // that were passed over: of git, of macOS
    int left;                             // links and the like, left out; `seen` has the first ones
    ladder_seen seen;                     // of what was left out
} ladder_archive_end;

// By its name: ".zip", ".tar", ".tgz", ".7z", .., also with what does not show behind it;
// "1_interleaved.cu.gz", one compressed file, is one, too.
bool ladder_archive_is(const char *name);
// By the first bytes of a file, whose name may say nothing. False where it cannot be read.
bool ladder_archive_is_inside(int folder_fd, const char *name);
// The endings that are read, for people: ".zip, .tar, ..".
extern const char ladder_archive_kinds[];

// Unpacks files whose names end in one of `suffixes` (ends with NULL), and archives, into `folder`,
// which exists and is empty. Names lose what leads out of the folder or shows nothing: a "/" or
// "C:" at their begin, "." folders; a "\\" separates as a "/" does. With "/" among the suffixes the
// others are made as empty files, as far as their names allow: who handed in something else did
// hand in; with "//" also those at the top, which in a class are nobody's. KL_OK with a problem in
// *out_end: the archive's fault. An error: this machine's (no libarchive, disk full).
kl_status ladder_archive_unpack(const char *path, const ladder_archive_limits *limits,
                                const char *const *suffixes, const char *folder,
                                ladder_archive_end *out_end, kl_error *err);

// ---- gather.c -----------------------------------------------------------------------------------
// Where in what one student handed in the step files of a lab lie: beside each other, in "steps",
// in a folder in a folder, in a repository of all labs, in archives.

enum {
    LADDER_GATHER_FOLDERS = 16, // folders of one submission that steps are taken from
    LADDER_GATHER_ARCHIVES = 16 // archives within one that are opened
};

typedef struct ladder_gathered {
    char folder[LADDER_PATH]; // with step files; "": there is none
    // [more_count]: folders whose step files are taken, too: none of theirs lies in another one
    char more[LADDER_GATHER_FOLDERS][LADDER_PATH];
    int more_count;
    // [archive_count], by name: those that lie nearest to the top
    char archives[LADDER_GATHER_ARCHIVES][LADDER_PATH];
    int archive_count;
    char other[100];     // a folder with step files that are not used, as they are there already
    int files;           // steps in these folders
    ladder_name_fit fit; // the best of a name of a step in `folder`
    bool cut; // it holds more than LADDER_SUBMISSION_FILES entries, and these were looked at
    ladder_seen seen; // files that are none of the lab's steps
} ladder_gathered;

// Whether a file of this name is wanted beside step files: predictions, log, pseudonym.
bool ladder_gather_is_beside_steps(const char *name);

// Looks through a folder, some folders deep and without following links.
void ladder_gather(const char *folder, const ladder_lab *lab, ladder_gathered *out_gathered);

// ---- metadata.c ---------------------------------------------------------------------------------
// submission_metadata.yml of a Gradescope export: who handed in which folder, and when.

// What the metadata says of a folder.
typedef struct ladder_metadata {
    char names[LADDER_TITLE]; // of all who handed it in together: "Ann Lee, Bob Ray"; "": not told
    char user[64];            // of the first one: the number that the school gave, else the address
    char submitted[40];       // as it is there: "2026-11-20 21:04:12.034567000 Z"
    struct {
        char name[LADDER_TITLE], ids[LADDER_TITLE]; // number and address, a tab between them
    } members[LADDER_SUBMITTERS_MAX];               // [count]: all who handed it in
    int count;                                      // of members
    bool too_many;                                  // there are more of them
} ladder_metadata;

// A file that was read.
typedef struct ladder_metadata_file ladder_metadata_file;

// Reads the text as YAML. Of each entry of the top only the list below `:submitters:` and
// `:created_at:` count: what a student's program printed is in the file, too, and may look like
// more people. KL_ERROR_INPUT with the line of what is no YAML; KL_ERROR_SYSTEM: a build without
// libyaml. NULL after an error.
kl_status ladder_metadata_open(const char *text, ladder_metadata_file **out_file, kl_error *err);
void ladder_metadata_close(ladder_metadata_file *file); // NULL: does nothing

// What it says of a folder; nothing where it has no such entry.
void ladder_metadata_find(ladder_metadata_file *file, const char *folder,
                          ladder_metadata *out_metadata);

// The next folder that it has an entry of; *at begins as 0. False at the end.
bool ladder_metadata_next(ladder_metadata_file *file, size_t *at, char out_folder[NAME_MAX + 1]);

// ---- gather.c -----------------------------------------------------------------------------------
// Work on many submissions, shared among processes: what one of them breaks costs it alone.

// Does the work of one index; what it writes lies in memory of ladder_share_memory. An error ends
// the whole.
typedef kl_status ladder_share_work(void *context, size_t index, kl_error *err);

// Memory that this process shares with those that ladder_share starts, zeroed; NULL: there is none.
void *ladder_share_memory(size_t bytes);
void ladder_share_memory_free(void *memory, size_t bytes);

// Does the work of 0 .. count-1 in at most `workers` processes; with one worker in this one.
// out_lost: [count], zeroed: becomes true where a process died at it. On a terminal a line says how
// far it is. The caller has no other children.
kl_status ladder_share(size_t count, int workers, ladder_share_work *work, void *context,
                       bool *out_lost, kl_error *err);
