"""Workers of Dask on this machine: ``python -m toolkit.report.workers N`` prints the address of their scheduler.

They run until the standard input ends, as it does when the process that started them is gone. A worker that dies is
replaced by its nanny.
"""

import sys

from .execute import KERNELS

__all__ = ["ENVIRONMENT", "main"]

# Of workers. Dask's own also returns freed memory at once, by which loops over arrays take a tenth to a half longer.
ENVIRONMENT = {"OMP_NUM_THREADS": 1, "MKL_NUM_THREADS": 1, "OPENBLAS_NUM_THREADS": 1} | KERNELS


def main(argv=None):
    import dask
    from distributed import LocalCluster

    dask.config.set({"distributed.nanny.pre-spawn-environ": ENVIRONMENT})
    (number,) = sys.argv[1:] if argv is None else argv
    # ports that are free
    with LocalCluster(int(number), threads_per_worker=1, dashboard_address=":0") as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
