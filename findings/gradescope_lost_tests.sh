#!/bin/sh
# gradescope-utils 0.5.0 (its JSONTestRunner writes results.json): tests that do not simply pass or fail leave the results.
#   A test with a failing subTest has no entry at all: its 4 points are neither lost nor shown.
#   Skipped tests and expected failures have none either.
#   A test with partial credit that never sets a score has the full score; one that sets 12 of 10 has 12.
#   An exception in setUpClass ends the runner with AttributeError: no result for any class.
# Expected before it was run: a failed entry with 0 points for the subTest and for the class.
. "$(dirname "$0")/common.sh"
packages gradescope-utils==0.5.0
cat >"$work/graded.py" <<'PY'
import io, json, sys, unittest
from gradescope_utils.autograder_utils.decorators import partial_credit, weight
from gradescope_utils.autograder_utils.json_test_runner import JSONTestRunner
class Works(unittest.TestCase):
    @weight(3)
    def test_passes(self): pass
    @weight(4)
    def test_parts(self):
        for i in range(3):
            with self.subTest(i=i): self.assertNotEqual(i, 1)
    @weight(2)
    @unittest.skip("later")
    def test_skipped(self): pass
    @partial_credit(10)
    def test_unset(self, set_score=None): pass
    @partial_credit(10)
    def test_above(self, set_score=None): set_score(12)
class Fails(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise RuntimeError("no device")
    @weight(5)
    def test_never_runs(self): pass
for cases in Works, Fails:
    out = io.StringIO()
    try:
        JSONTestRunner(stream=out).run(unittest.defaultTestLoader.loadTestsFromTestCase(cases))
        result = json.loads(out.getvalue())
        print(result["score"], *(f'{t["name"].split()[0]} {t["score"]}/{t["max_score"]}' for t in result["tests"]), sep="; ")
    except AttributeError as error:
        print("AttributeError:", error)
PY
same "results" "$("$python" "$work/graded.py" 2>/dev/null)" "25; test_above 12/10; test_passes 3/3; test_unset 10/10
AttributeError: '_ErrorHolder' object has no attribute '_testMethodName'"
