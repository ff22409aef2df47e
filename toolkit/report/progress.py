"""Progress of several jobs and an estimate of the remaining time, on one bar or in lines.

The estimate comes from the seconds that each step took the last time, multiplied by how much slower or faster the
steps of this run have been so far.
"""

import heapq
import threading
import time

__all__ = ["Progress", "about"]

MIN_SECONDS = 5.0  # of steps with a known time, before this run's pace is believed
QUIET_SECONDS = 30.0  # without a terminal, after which a line says how far the jobs are


class Progress:
    """One bar over the steps of all jobs; where the stream is no terminal, lines at start and end and now and then.

    `jobs` are those of `toolkit.report.runner` in the order in which they start, `n_jobs` at once.
    """

    def __init__(self, jobs, n_jobs, stream):
        self.jobs, self.n_jobs, self.stream = {job.name: job for job in jobs}, n_jobs, stream
        self.lock, self.bar = threading.Lock(), None
        self.waiting, self.at, self.ended = list(self.jobs), {}, 0  # at: step reached, and since when
        self.took, self.ought = 0.0, 0.0  # seconds of the steps done, now and the last time
        self.told = time.monotonic()

    def __enter__(self):
        if self.jobs and self.stream.isatty():
            from tqdm import tqdm

            layout = "{percentage:3.0f}% |{bar:24}| {n_fmt}/{total_fmt} cells, {elapsed}{postfix}"
            steps = sum(job.steps for job in self.jobs.values())
            self.bar = tqdm(total=steps, bar_format=layout, file=self.stream, dynamic_ncols=True)
        return self

    def __exit__(self, *_):
        if self.bar is not None:
            self.bar.close()

    def start(self, job):
        with self.lock:
            self.waiting.remove(job.name)
            self.at[job.name] = (0, time.monotonic())
            expected = f"{about(sum(job.expected))}; " if job.expected else ""
            if self.bar is None:
                self._tell(f"{job.name}: started ({expected}{self._rest()})")
            self._show()

    def step(self, job, number):
        with self.lock:
            if job.name in self.at:  # what comes over a network may be late
                self._count(job, number)
                self.at[job.name] = (number, time.monotonic())
                self._show()

    def again(self, job, why):
        """A job that runs begins again."""
        with self.lock:
            if job.name in self.at:
                self.at[job.name] = (0, time.monotonic())
                self._say(f"{job.name}: {why}")
                self._show()

    def finish(self, job, outcome):
        line = f"{job.name}: {'done' if outcome.ok else 'FAILED'} ({outcome.seconds:.1f} s)"
        with self.lock:
            self._count(job, job.steps)
            self.at.pop(job.name, None)
            self.ended += 1
            if self.bar is None:
                rest = f"; {self._rest()}" if self.ended < len(self.jobs) else ""
                self._tell(f"{line}, {self.ended} of {len(self.jobs)}{rest}")
            else:
                self._say(line)
            self._show()

    def refresh(self):
        """Let the elapsed time move on while no step ends; without a terminal, a line now and then."""
        with self.lock:
            if self.bar is None and self.at and time.monotonic() - self.told > QUIET_SECONDS:
                self._tell("; ".join([*self._cells(), self._rest()]))
            self._show()

    def left(self):
        """Seconds until all jobs are done, and whether the times of all of them are known."""
        pace = self.took / self.ought if self.ought > MIN_SECONDS else 1.0
        now, running = time.monotonic(), []
        for name, (step, since) in self.at.items():
            expected = self.jobs[name].expected
            this = expected[step] * pace - (now - since) if step < len(expected) else 0.0
            running.append(max(this, 0.0) + pace * sum(expected[step + 1 :]))
        free = running + [0.0] * (self.n_jobs - len(running))
        heapq.heapify(free)
        for name in self.waiting:  # each starts as soon as one has ended
            heapq.heappush(free, heapq.heappop(free) + pace * sum(self.jobs[name].expected))
        known = all(self.jobs[name].expected for name in [*self.at, *self.waiting])
        return max(free, default=0.0), known

    def _count(self, job, number):
        """Compare the steps before `number` that have just ended with the last time."""
        step, since = self.at.get(job.name, (0, time.monotonic()))
        if ought := sum(job.expected[step:number]):
            self.ought += ought
            self.took += time.monotonic() - since

    def _rest(self):
        seconds, known = self.left()
        left = f"{'' if known else 'at least '}{about(seconds)} left"
        return left if known or seconds >= 1 else "no times known yet"

    def _show(self):
        if self.bar is None:
            return
        whole = sum(job.steps for name, job in self.jobs.items() if name not in {*self.at, *self.waiting})
        self.bar.n = whole + sum(step for step, _ in self.at.values())
        self.bar.set_postfix_str("; ".join([self._rest(), *self._cells()]))

    def _cells(self):
        steps = {name: self.jobs[name].steps for name in self.at}
        return [name + f" cell {step + 1}/{steps[name]}" * (steps[name] > 1) for name, (step, _) in self.at.items()]

    def _say(self, line):
        if self.bar is None:
            self._tell(line)
        else:
            self.bar.write(line, file=self.stream)

    def _tell(self, line):
        print(line, file=self.stream, flush=True)
        self.told = time.monotonic()


def about(seconds):
    """A time as one says it: "about 50 s", "about 5 min"."""
    if seconds < 90:
        step = 5 if seconds < 20 else 10
        return f"about {max(step * round(seconds / step), step)} s"
    return f"about {round(seconds / 60)} min"
