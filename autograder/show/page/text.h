// SPDX-License-Identifier: MIT
// What text.cmake builds in: the page's style, its script and the glossary.
#ifndef LADDER_PAGE_TEXT_H
#define LADDER_PAGE_TEXT_H

// The style sheet of a profile's page.
extern const char ladder_page_style[];
// Its script.
extern const char ladder_page_script[];
// docs/glossary.md.
extern const char ladder_page_glossary[];
// The style sheet of the page of a recording (learn/debug).
extern const char ladder_replay_style[];
// Its script.
extern const char ladder_replay_script[];

#endif
