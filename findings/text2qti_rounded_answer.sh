#!/bin/sh
# text2qti 0.8.0 (quizzes for Canvas out of Markdown): a numerical answer "1.41421356 +- 0.00000001" is written as exactly 1.4142,
# between 1.4142 and 1.4142: the right answer with nine digits is outside, and nothing is said. An interval [0.00012, 0.00013]
# becomes the one number 0.0001. (Below 0.0001 it raises an error.)
# Expected before it was run: the digits that the teacher wrote.
. "$(dirname "$0")/common.sh"
packages text2qti==0.8.0
cat >"$work/quiz.md" <<'MD'
Quiz title: numbers

1.  The square root of 2?
=   1.41421356 +- 0.00000001

2.  Between?
=   [0.00012, 0.00013]
MD
"$work/venv/bin/text2qti" "$work/quiz.md" >"$work/said" 2>&1
"$python" -m zipfile -e "$work/quiz.zip" "$work/quiz"
same "limits of the answers" "$(grep -rhoE '<var(gte|lte) [^/]*' "$work/quiz" | sed 's/ respident.*>/ /')" "<vargte 1.4142<
<varlte 1.4142<
<vargte 0.0001<
<varlte 0.0001<"
