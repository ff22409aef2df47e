"""``python -m toolkit.report.attached MODULE ...``: a module as a program that ends with the process that started it.

A worker that is killed cannot end what it runs; its task is done again elsewhere, and the first run must not go on.
"""

import os
import runpy
import sys
import threading

from .processes import end_with

__all__ = ["main"]


def main():
    threading.Thread(target=end_with, args=[os.getppid()], daemon=True).start()
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
