// One `ladder grade` or `ladder regrade`, from its options to results, tables and grades: one's own
// work, one submission of somebody else, or a class, here or on a cluster.
#pragma once

#include "course/gradebook/gradebook.h"
#include "course/slurm/slurm.h"

// What the command line asks for. Of limits, 0: that of the rubric, or else the usual one.
typedef struct ladder_grade_request {
    const ladder_lab *lab;          // that is graded
    const char *path, *submissions; // one of them, or NULL: one's own files
    // words of these options; NULL: not given
    const char *layout, *students, *output, *device, *json;
    ladder_texts files_as;        // of --as (ladder_files_as_read)
    ladder_late_options late;     // as given (grade/intake/intake.h)
    ladder_grade_exports exports; // files of other systems
    ladder_graded_options book;   // the gradebook, if one was named
    // flags of these options
    bool solution, quick, first_failure, resume, unsafe;
    int64_t jobs;                 // at a time; 0: as many as fit
    int64_t seed;                 // of the inputs; -1: a secret one
    int64_t instructions, memory; // limits: warp instructions of a launch; bytes of the runner
    // limits: of a compiler run, of an answer of the runner, of a submission's processor time
    double build_s, case_s, submission_s;
    ladder_slurm_request slurm; // whether as a job of a cluster
} ladder_grade_request;

// How it ended.
typedef struct ladder_grading_end {
    bool all_well; // everything has a score
    bool exported; // every mark that was asked for lies where it should
} ladder_grading_end;

// Grades, says so on standard output (standard error where results go there), and writes results
// and exports. An error is one of the whole: what cannot be graded is no error.
kl_status ladder_grading_run(const ladder_grade_request *request, ladder_grading_end *out_end,
                             kl_error *err);
