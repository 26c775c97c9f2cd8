#!/bin/sh
# nbgrader 0.9.6 takes a number that ends a test cell for its points, so that a test can give a part of them. It reads the
# number from the text of the output: with NumPy 2 that of a NumPy number is np.float64(2.0), which it does not read, and the cell
# earns all points. So 5 * np.mean(right) gives 5 of 5 whatever is right, where 5 * float(np.mean(right)) gives 2 (NumPy 1
# wrote 2.0). A negative number and NaN earn all points, too, and a test that happens to end in 0 earns none.
# Expected before it was run: 2 for the first two, and no points for a negative number.
. "$(dirname "$0")/common.sh"
packages nbgrader==0.9.6 numpy==2.4.6 ipykernel==7.4.0
cat >"$work/points.py" <<'PY'
import nbformat, nbclient
from nbgrader.utils import determine_grade
right = "import numpy as np; right = np.array([1, 0, 0, 1, 0])\n"
ends = ("5 * np.mean(right)", "5 * float(np.mean(right))", "-2.0", "float('nan')", "0", "None")
cells = [nbformat.v4.new_code_cell(right + end, metadata={"nbgrader": {
    "grade": True, "solution": False, "locked": True, "grade_id": f"t{i}", "points": 5, "cell_type": "code",
    "schema_version": 3}}) for i, end in enumerate(ends)]
notebook = nbformat.v4.new_notebook(cells=cells)
nbclient.NotebookClient(notebook, kernel_name="python3").execute()
for end, cell in zip(ends, notebook.cells):
    print(f"{end}: {determine_grade(cell)[0]:g} of 5")
PY
same "points" "$(JUPYTER_PATH=$work/venv/share/jupyter "$python" "$work/points.py" 2>/dev/null)" "5 * np.mean(right): 5 of 5
5 * float(np.mean(right)): 2 of 5
-2.0: 5 of 5
float('nan'): 5 of 5
0: 0 of 5
None: 5 of 5"
