// SPDX-License-Identifier: MIT
// Style sheets that show/page/text.cmake builds in: base.css of every page, report.css of those of
// a grade.
#ifndef LADDER_REPORT_STYLE_H
#define LADDER_REPORT_STYLE_H

// The two texts, terminated.
extern const char ladder_style_base[];
extern const char ladder_style_report[];

#endif
