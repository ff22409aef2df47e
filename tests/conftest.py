"""What several test files share."""

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import nbformat
import psutil
import tqdm
from measuring import (  # noqa: F401
    check_claim,
    pytest_runtest_call,
    pytest_runtest_setup,
    scale,
)
from pytest import fixture
from small_notebooks import notebook


@fixture
def bars(monkeypatch):
    """[(steps done, steps announced)] of the progress bars that have all_end."""
    all_end = []

    class CountingBar(tqdm.tqdm):
        def close(self):
            if not self.disable:
                all_end.append((self.n, self.total))
            super().close()

    monkeypatch.setattr(tqdm, "tqdm", CountingBar)
    return all_end


@fixture(scope="session")
def course(tmp_path_factory):
    """The folder of the project's course: syllabus, and both editions of all notebooks."""
    from toolkit.report.course import write_course
    from toolkit.report.project import Project

    return write_course(
        tmp_path_factory.mktemp("course"), Project.find()
    ).parent


@fixture(scope="module")
def cluster():
    """A client of two workers of Dask, processes with one thread each."""
    from distributed import Client, LocalCluster

    # ports that are free
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0"
        ) as workers,
        Client(workers) as client,
    ):
        yield client


@fixture
def gone():
    """Function (pids): whether these processes end within a while. One that nobody has buried yet has all_end."""

    def all_end(pids):
        deadline = time.monotonic() + 20
        while any(map(lives, pids)) and time.monotonic() < deadline:
            time.sleep(0.1)
        return not any(map(lives, pids))

    def lives(pid):
        try:
            return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False

    return all_end


@fixture
def server():
    """A server on the loopback interface that gives `answers[path] = (status, body, sent)`, 404 for other paths.

    `sent` below the length of the body ends the line early; `asked` are the paths that
    it was asked for.
    """
    answers = {}
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            status, body, sent = answers.get(self.path, (404, b"", 0))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[:sent])
            self.wfile.flush()
            self.close_connection = True

        def log_message(self, *args):
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(
        target=httpd.serve_forever, args=[0.01], daemon=True
    ).start()
    httpd.answers = answers
    httpd.asked = asked
    httpd.address = f"http://127.0.0.1:{httpd.server_port}"
    yield httpd
    httpd.shutdown()
    httpd.server_close()


@fixture
def write_notebook(tmp_path):
    """Function (name, *sources): write a notebook into ``notebooks/`` of a project in a folder of its own."""

    def write(name, *sources, **options):
        path = tmp_path / "notebooks" / f"{name}.ipynb"
        path.parent.mkdir(exist_ok=True)
        nbformat.write(notebook(*sources, **options), path)
        return path

    return write
