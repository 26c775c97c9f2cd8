// SPDX-License-Identifier: MIT
// The points of each step as a small bar chart, for systems that show pictures.
#ifndef LADDER_EXPORT_PICTURE_H
#define LADDER_EXPORT_PICTURE_H

#include "course/export/hundredths.h"
#include "show/report/report.h"

// An SVG image as a data URL (RFC 2397, base64). NULL without memory; caller frees.
char *ladder_export_picture(const ladder_report *report, const ladder_hundredths *marks);

#endif
