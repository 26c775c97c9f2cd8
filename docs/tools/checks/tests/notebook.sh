#!/bin/sh
# notebook.sh FILE: is a notebook of Jupyter's format 4.5, small, without results, with no address and no machine's path in its code;
# nothing in it waits for an answer that cannot be typed there, or draws progress as on a terminal, which a notebook is not.
# Running it is a test of the full tier (autograder/tests/systems/notebook.sh).
# test: docs/notebook @SOURCE@/docs/colab.ipynb
command -v python3 >/dev/null || { echo "skipped: there is no python3 to read JSON"; exit 77; }
exec python3 - "$1" <<'TEXT'
import json, re, sys
text = open(sys.argv[1], encoding="utf-8").read()
notebook = json.loads(text)
faults = []
def must(right, fault):
    if not right: faults.append(fault)
must(len(text) < 8000, f"{len(text)} characters")
must((notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5), "another format")
must(set(notebook) == {"cells", "metadata", "nbformat", "nbformat_minor"}, "other keys")
must(notebook["metadata"]["kernelspec"]["name"] == "python3", "another kernel")
ids = [cell["id"] for cell in notebook["cells"]]
must(len(set(ids)) == len(ids) and all(re.fullmatch("[a-zA-Z0-9_-]{1,64}", name) for name in ids), "identifiers of cells")
for cell in notebook["cells"]:
    source = "".join(cell["source"])
    must(isinstance(cell["source"], list) and all(line.endswith("\n") for line in cell["source"][:-1]), "a source is no list of lines")
    if cell["cell_type"] == "markdown": continue
    must(cell["cell_type"] == "code" and cell["outputs"] == [] and cell["execution_count"] is None, "a result is stored")
    must(not re.search(r'://|["\s(]/(?!dev/null)\w', source), f"an address or a path: {source}")
    for line in source.split("\n"):
        must(not line.startswith("!./ladder") or line.endswith(" </dev/null 2>&1 | cat"), f"takes it for a terminal: {line}")
print("\n".join(faults))
sys.exit(bool(faults) or not ids)
TEXT
