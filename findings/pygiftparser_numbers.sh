#!/bin/sh
# pygiftparser 1.1 reads Moodle's GIFT format. Of a numerical answer it knows digits and one point only: 1e-5 with a tolerance of 1e-6
# becomes 1 with a tolerance of 0, called valid, so that only a wrong answer earns the points; a negative answer leaves a question
# without any. Moodle takes both. 0.00001:0.000001 is read as it stands.
# Expected before it was run: an error for 1e-5, and -2.5 read as it stands.
. "$(dirname "$0")/common.sh"
packages pygiftparser==1.1
cat >"$work/numbers.py" <<'PY'
import io, logging
from pygiftparser import parser
logging.disable(logging.CRITICAL)
for text in ("1e-5:1e-6", "-2.5:0.1", "0.00001:0.000001"):
    question, = parser.parseFile(io.StringIO("::q:: How much? {#%s}\n\n" % text))
    print(text, "valid" if question.valid else "not valid", *[(a.value, a.tolerance) for a in question.answers.answers])
PY
same "answers" "$("$python" "$work/numbers.py")" "1e-5:1e-6 valid (1.0, 0)
-2.5:0.1 not valid
0.00001:0.000001 valid (1e-05, 1e-06)"
