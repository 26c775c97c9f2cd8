// SPDX-License-Identifier: MIT
// What text.cmake builds in: the page's style, its script and the glossary.
#ifndef LADDER_PAGE_TEXT_H
#define LADDER_PAGE_TEXT_H

extern const char ladder_page_style[], ladder_page_script[], ladder_page_glossary[];
// Of the page of a recording (learn/debug).
extern const char ladder_replay_style[], ladder_replay_script[];

#endif
