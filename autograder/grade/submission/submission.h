// Submissions: finding them in a folder, and taking from each one only the files that the rubric
// names. A submission is a folder (files in it, or in its "steps" folder), or a single file named
// like a step (step_name.c). Names, links, FIFOs, sizes: nothing is taken on trust, and nothing is
// executed or followed.
#pragma once

#include "grade/rubric/lab_files.h"
#include "sandbox/process/process.h"
#include "error.h"

// ---- step_name.c --------------------------------------------------------------------------------
// Which step a file is, by its name alone, as browsers, file managers and course systems leave it:
// "1_Interleaved.CU", "1_interleaved (1).cu", "Copy of 1_interleaved.cu", "ann_1_interleaved.cu".

enum { LADDER_SEEN_TOLD = 5 }; // files that are told by name

// How a file's name stands for a step's; what comes first is taken first.
typedef enum ladder_name_fit {
    LADDER_NAME_EXACT,   // the step's own name
    LADDER_NAME_SPELLED, // in other letter case, with other separators or marks that do not show
    LADDER_NAME_COPY,    // of a copy: "(1)", "- Copy", "Copy of"
    LADDER_NAME_AMID,    // other words stand before or behind it
    LADDER_NAME_NONE
} ladder_name_fit;

// The rubric's step (an index) that a file's name stands for; -1: none. out_fit may be NULL.
int ladder_step_of_name(const ladder_rubric *rubric, const char *name, ladder_name_fit *out_fit);

// The same for a file that is a submission by itself ("3_sequential-no_barrier.cu", "3-ann.cu"):
// one that begins with the step's number or name will do.
int ladder_step_of_single(const ladder_rubric *rubric, const char *name);

// Why a file of this name is none of the lab's steps: "not a .cu file; 1_interleaved.cu may be
// meant". Returns text.
char *ladder_step_name_why(const ladder_rubric *rubric, const char *name, char *text, size_t bytes);

// How near the name is to that of a step: 0 is a CUDA source, 1 resembles a step, 2 is anything
// else.
int ladder_step_name_distance(const ladder_rubric *rubric, const char *name);

// A name of a file or folder without what does not show: a byte order mark and marks of direction
// at its ends, blanks, and dots at its end. out: [bytes].
void ladder_name_trim(const char *name, char *out, size_t bytes);

// Files that were handed in and are not taken, with the reason of each. The nearest to a step come
// first, of these in order of their names, which no file system keeps; of others only how many.
typedef struct ladder_seen {
    struct {
        int distance;            // 0: nearest to a step
        char name[64], why[112]; // printable
    } items[LADDER_SEEN_TOLD];   // [count, at most LADDER_SEEN_TOLD]
    int count;                   // of all
} ladder_seen;

// Takes a file into account that was not taken, with the reason and its distance to a step's name.
void ladder_seen_add(ladder_seen *seen, int distance, const char *name, const char *why);
// "step3.cu (not a step's name; 3_sequential.cu may be meant), notes.txt (not a .cu file) and 3
// more"; "" when nothing was seen. Returns text.
char *ladder_seen_say(const ladder_seen *seen, char *text, size_t bytes);

// ---- submission.c -------------------------------------------------------------------------------

enum {
    LADDER_SOURCE_MAX = 1 << 20,     // bytes of one step file
    LADDER_SUBMISSIONS_MAX = 100000, // in one folder
    LADDER_SUBMITTERS_MAX = 32,      // of one submission
    LADDER_SUBMISSION_FILES = 10000  // entries looked at in one submission
};

// A submission that was found.
typedef struct ladder_submission {
    char path[4096];          // of the folder or file
    char id[96];              // safe as a file name, unique among the submissions of a folder
    char title[LADDER_TITLE]; // its name, made printable
    bool is_file;             // a single step file
    bool refused;             // a symbolic link or something else that is neither file nor folder
    char name[256];           // of which the id is made: as it was handed in
    char problem[LADDER_PROBLEM]; // why it is not graded, and what to do; "": it is
    bool none_taken;              // then: it was read, but nothing in it is a step of the lab
    bool outside;                 // then: it came outside of the exam's window
    char files_as[256]; // files of other names that a person takes for steps (ladder_files_as)
    char note[400];     // on how it was found, for the report; "": none
    char user[64];      // the student on the course system that it came from; "": not told
    char submitted[40]; // when, as that system tells it; "": not told
    bool late;          // marked as late there
    bool is_test;       // Canvas's test student handed it in, who is no student
    size_t line;        // of the students' sheet, from 1, of the first of its students; 0: none
    double due_s;       // the student's own due date, seconds since 1970; 0: that of the class
    char members[LADDER_MEMBERS]; // who handed it in, a line each: name and ids, a tab before each
                                  // id; "": the one that title and user name
} ladder_submission;

// Adds a member. ids: "300\tann@x.edu"; "": none. False: there is no room.
bool ladder_submission_member(ladder_submission *submission, const char *name, const char *ids);

// Makes the id of a name: letters, digits, '.', '_' and '-' stay, others become '_'; a name that
// was changed or is long gets a hash of the original behind it. (Among the submissions of a folder
// ids are made to differ, also where letter case makes no difference.) out: [96].
void ladder_submission_id(const char *name, char *out);

// Sorts a list by title and makes ids that differ, also where letter case makes no difference.
kl_status ladder_submissions_name(ladder_submission *list, size_t count, kl_error *err);

// Lists the submissions of a folder, sorted by name. Files that are not named *.cu and hidden
// entries are left out. Caller frees *out_list.
kl_status ladder_submissions_find(const char *folder, const ladder_lab *lab,
                                  ladder_submission **out_list, size_t *out_count, kl_error *err);

// A step's file as it was taken.
typedef struct ladder_step_file {
    bool present;           // there is something of this name
    bool refused;           // it is not taken: `message` says why
    bool unreadable;        // it lies in what cannot be read: no verdict on the step
    ladder_outcome refusal; // of an unreadable one: the outcome of this name, NONE_TAKEN, OUTSIDE
    ladder_name_fit fit;    // of its name
    char name[64];          // as it was handed in, printable
    char *text;             // terminated; NULL when absent or refused
    size_t bytes;           // of text
    char message[LADDER_PROBLEM]; // why it was refused
} ladder_step_file;

// Reads the files of all steps of the rubric into files: [rubric->step_count]. Remarks on extra and
// misnamed files go into the result's notes; the result's hash is set.
kl_status ladder_submission_read(const ladder_submission *submission, const ladder_lab *lab,
                                 ladder_step_file *files, ladder_result *result, kl_error *err);
void ladder_submission_free(ladder_step_file *files, int count);

// The text of a step's file, made the same whatever editor and system it was written with.

// In place: a UTF-8 byte order mark goes, and line ends (CR LF of Windows, CR of old systems)
// become LF, so that lines keep their numbers. All other bytes stay, also those that are no UTF-8,
// such as a Latin-1 comment's: the compiler takes them, and reports print '?'. KL_ERROR_INPUT: it
// is no such text (UTF-16, UTF-32, NUL bytes), with what to do.
kl_status ladder_source_text(char *text, size_t *bytes, kl_error *err);

// ---- step_cache.c -------------------------------------------------------------------------------
// Compiled steps, kept by the hash of all that went into them: the step's file, the lab's contract,
// the compiler with its flags, and this program, whose audit they passed. An entry appears whole or
// not at all and is checked when it is read; the folder belongs to one user. A class run keeps its
// entries in a folder of its own and signs them with a secret that only the judge holds: no
// submission can put an object into another one's place.

// A cache; all 0: none.
typedef struct ladder_step_cache {
    char folder[LADDER_PATH]; // of the entries
    unsigned char secret[32]; // of a class run; zeros: entries have a checksum only
    uint64_t limit_bytes;     // of all entries; the oldest go
} ladder_step_cache;

// Makes the folder, or takes it when it is the caller's alone. KL_ERROR_SYSTEM: there is no cache
// to be had there, and everything is compiled.
kl_status ladder_step_cache_open(const char *folder, bool secret, ladder_step_cache *out_cache,
                                 kl_error *err);

// Names what a build in `folder` depends on: all files that lie there, and the compiler.
kl_status ladder_step_cache_key(const char *folder, const char *const *compiler,
                                char out_key[LADDER_SHA256_TEXT], kl_error *err);

// Copies the object of this key to `object`, with the paths of the folder that it was compiled in
// (which line information may hold) replaced by `folder`. False when there is none, or none that
// is whole.
bool ladder_step_cache_take(const ladder_step_cache *cache, const char *key, const char *folder,
                            const char *object);

// Keeps the object that was compiled in `folder`. What cannot be kept is compiled again next time.
void ladder_step_cache_put(const ladder_step_cache *cache, const char *key, const char *folder,
                           const char *object);

// ---- imports.c ----------------------------------------------------------------------------------
// The import audit: which symbols a step's object file may ask the linker for (imports.def), and
// which header files its compilation may have read. It stops honest shortcuts (a vendor library)
// and the plain forms of dishonest ones; system calls written in assembler are the sandbox's
// business, not this file's.

// Whether `symbol` may be imported. *out_reason says what it is. `extra`: the lab's own patterns,
// allowed besides, [extra_count].
bool ladder_import_allowed(const char *symbol, const char *const *extra, size_t extra_count,
                           const char **out_reason);

// KL_OK, or KL_ERROR_INPUT with a sentence that names the first few forbidden symbols.
kl_status ladder_import_audit(const ladder_elf *object, const char *const *extra,
                              size_t extra_count, kl_error *err);

// `dependencies`: the text of a make rule as nvcc -MD writes it in `folder`, an absolute path.
// Allowed are files in that folder and under one of `roots` ([root_count] absolute folders), but
// not the vendor's algorithm libraries (CUB, Thrust, CUTLASS), and none that is not there any more.
// KL_ERROR_INPUT names the header.
kl_status ladder_include_audit(char *dependencies, const char *folder, const char *const *roots,
                               size_t root_count, kl_error *err);

// The same for a compiler's messages: they quote lines of the file that they are about.
// KL_ERROR_INPUT when that is a file which a step may not include.
kl_status ladder_message_audit(const char *log, const char *folder, const char *const *roots,
                               size_t root_count, kl_error *err);

// ---- build_step.c -------------------------------------------------------------------------------
// The grader's own build of one step: a private folder that holds nothing but the step's file and
// the lab's contract, the kit's one set of compiler flags, limits, and the audit of what the object
// asks for. Nothing that a submission brings (makefiles, other sources) takes part.

// A step to be built.
typedef struct ladder_build_job {
    const ladder_kit *kit;          // where the lab's contract lies
    const ladder_lab *lab;          // of the step
    const ladder_rubric_step *step; // of the rubric
    const char *folder;             // private, exists; the step's own folder is made inside
    const char *source;             // the text of the file
    size_t source_bytes;            // of source
    double limit_s; // processor time of each of the two compiler runs; see PATIENCE in build_step.c
    double slowness;                // of the machine (sandbox/process/machine.h)
    uint64_t memory_bytes;          // of the compiler, all of its processes together; 0: no limit
    const ladder_step_cache *cache; // of compiled steps; NULL: none
    int least_sm; // what it is compiled for at least (ladder_nvcc_architecture); 0: the build's own
} ladder_build_job;

// Builds <folder>/step_<n>/step_<n>.so. out_object: [LADDER_PATH]. On a fault of the submission the
// result's outcome, message and log say which; CORRECT stands for "built". Anything else is a
// failure of the grader.
kl_status ladder_build_step(const ladder_build_job *job, char *out_object,
                            ladder_step_result *out_result, kl_error *err);

// Tries once for a build folder whether the compiler runs in the sandbox, with a kernel of the
// kit's own, and gives the sandbox up where it does not (sandbox/process/process.h).
void ladder_build_try_sandbox(const ladder_kit *kit);

// ---- skeleton.c ---------------------------------------------------------------------------------
// Makes the student's file from the solution: regions between markers are replaced by what the
// student reads instead. One source for both, so that they cannot drift apart.
//
// Markers, each alone on its line:
//     // SOLUTION BEGIN          the lines from here on are the solution's only, up to ...
//     // SOLUTION TODO: text     ... these, which become "// TODO(student): text" (the first of a
//                                run) or "// text" (the following ones),
//     // SOLUTION STUB: code     and these, which become the code itself.
//     // SOLUTION SWITCH: text   becomes "// TODO(student): text"; the next line, which ends in 1,
//                                ends in 0
// They keep their indentation. A file without markers is handed out whole; that of a given step is
// the only one, and gets its stamp alone.
//
// A made file ends in a stamp line with the hash of all lines before it. A file whose stamp fits
// has not been touched since it was made and may be replaced; any other belongs to the student and
// never is.

// How a line of markers begins, after its indentation.
#define LADDER_SOLUTION_MARKER "// SOLUTION "

// What a student's file is.
typedef enum ladder_skeleton_state {
    LADDER_SKELETON_ABSENT,  // there is no file yet
    LADDER_SKELETON_CURRENT, // equal to what would be made
    LADDER_SKELETON_STALE,   // made from an older solution, untouched
    LADDER_SKELETON_CHANGED, // a student's work: must not be replaced
} ladder_skeleton_state;

// Text to text, without a stamp. `name` is used in errors ("3_sequential.cu:42: ...").
// *out_text is to be freed. KL_ERROR_INPUT for markers that do not pair, are unknown, or leave
// nothing for the student.
kl_status ladder_skeleton_make(const char *name, const char *solution, char **out_text,
                               kl_error *err);

// What an existing file is, compared with the one that would be made. existing NULL: absent.
ladder_skeleton_state ladder_skeleton_compare(const char *existing, const char *made);

// Makes skeleton_path from solution_path unless it is current or changed (or `check_only`).
// *out_state is the state found before writing. The file is replaced in one rename. Both paths may
// be that of a given step, which is stale where it has no stamp.
kl_status ladder_skeleton_update(const char *solution_path, const char *skeleton_path,
                                 bool check_only, ladder_skeleton_state *out_state, kl_error *err);

// Removes a skeleton whose solution is gone (a step that was renamed), unless it is a student's
// work (or `check_only`). *out_state is LADDER_SKELETON_STALE or LADDER_SKELETON_CHANGED, or
// LADDER_SKELETON_ABSENT when there is no file.
kl_status ladder_skeleton_remove(const char *skeleton_path, bool check_only,
                                 ladder_skeleton_state *out_state, kl_error *err);
