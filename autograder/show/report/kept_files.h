// SPDX-License-Identifier: MIT
// What a page shows beside a result, from files: the step files as they were graded, and the lab's
// README.md.
#ifndef LADDER_REPORT_KEPT_FILES_H
#define LADDER_REPORT_KEPT_FILES_H

#include "show/report/report.h"

// The texts, owned.
typedef struct ladder_kept_files {
    char *sources[LADDER_STEPS_MAX]; // by the rubric's steps; NULL: none
    char *lab_page;                  // the lab's README.md; NULL: none
    char *page;                      // address of the lab's page; NULL: none
} ladder_kept_files;

// What is not there stays NULL. kit: the kit's top folder. to: the folder in which the report will
// lie, from which it links to the kit's files where the build has no address of a site
// (LADDER_SITE); NULL: it goes elsewhere. End with ladder_kept_files_free.
void ladder_kept_files_read(const char *folder, const char *kit, const ladder_lab *lab,
                            const char *to, ladder_kept_files *out_files);
void ladder_kept_files_free(ladder_kept_files *files);

// As a page takes it. Points into `files`.
ladder_beside ladder_kept_files_beside(const ladder_kept_files *files);

#endif
