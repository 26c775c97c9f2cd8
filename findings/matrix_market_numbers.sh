#!/bin/sh
# SciPy 1.17.1, scipy.io.mmread: a number of a Matrix Market file is read up to the first character that does not fit, and
# what is left of the line is dropped without a word. 1.5D+02, as Fortran programs write 150, becomes 1.5; 2.5 in a file of
# integers 2; 0x10 zero; a complex entry in a file headed `real` its real part. A sign is refused in front (+1.5).
# Expected before it was run: an error for each of the first four (as for an index out of range), and 1.5 for +1.5.
. "$(dirname "$0")/common.sh"
packages scipy==1.17.1 numpy==2.4.6
cat >"$work/read.py" <<'PY'
import io, scipy.io
for field, entry in ("real", "1.5D+02"), ("integer", "2.5"), ("real", "0x10"), ("real", "3 4"), ("real", "+1.5"):
    text = f"%%MatrixMarket matrix coordinate {field} general\n1 1 1\n1 1 {entry}\n"
    try:
        print(f"{field} {entry}: {scipy.io.mmread(io.BytesIO(text.encode())).toarray()[0, 0]}")
    except ValueError as error:
        print(f"{field} {entry}: {error}")
PY
same "read" "$("$python" "$work/read.py")" "real 1.5D+02: 1.5
integer 2.5: 2
real 0x10: 0.0
real 3 4: 3.0
real +1.5: Line 3: Invalid floating-point value."
