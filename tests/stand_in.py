"""A stand-in for the execution of a notebook, for tests of what is done with its result: it starts no kernel.

``python tests/stand_in.py JOB`` takes what `toolkit.report.execute` takes and tells what that tells, in the same form.
The cells run in this process, of which only what they print and the exception that ends them are outputs.
"""

import contextlib
import io
import json
import os
import sys
import traceback
from pathlib import Path


def execute(job, tell):
    """Run the cells of the notebook of `job`; whether all of them ran."""
    nb = json.loads(Path(job["notebook"]).read_text(encoding="utf-8"))
    os.chdir(Path(job["notebook"]).parent)
    names, error = {}, None
    for number, cell in enumerate(nb["cells"]):
        if cell["cell_type"] != "code":
            continue
        tell({"cell": number})
        said = io.StringIO()
        try:
            with contextlib.redirect_stdout(said):
                exec("".join(cell["source"]), names)
        except Exception as raised:
            error = {"cell": number, "name": type(raised).__name__, "says": str(raised)}
            error["lines"] = traceback.format_exc().splitlines()
        cell["outputs"] = outputs(said.getvalue(), error)
        if error:
            break
    nb["metadata"]["toolkit"] = {"substituted": []}
    Path(job["output"]).write_text(json.dumps(nb), encoding="utf-8")
    tell({"error": error} if error else {"done": True})
    return error is None


def outputs(text, error):
    found = [{"output_type": "stream", "name": "stdout", "text": text}] if text else []
    if error:
        found.append({"output_type": "error", "ename": error["name"], "evalue": error["says"], "traceback": []})
    return found


def main():
    def tell(event):
        print(json.dumps(event), flush=True)

    return 0 if execute(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), tell) else 1


if __name__ == "__main__":
    sys.exit(main())
