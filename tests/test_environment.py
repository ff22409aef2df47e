"""pyproject.toml, environment.yml and requirements.lock say the same; the wheel has what the command line needs."""

import os
import re
import shutil
import subprocess
import sys
import tomllib

import yaml
from folders import ROOT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from pytest import mark

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
PYTHONS = "3.11", "3.12", "3.13"


def requirements():
    """Every requirement of the project and its extras, by name; extras that name the project itself are resolved."""
    project = PROJECT["project"]
    lines = sum(
        project["optional-dependencies"].values(), project["dependencies"]
    )
    return {
        canonicalize_name(r.name): r.specifier
        for r in map(Requirement, lines)
        if r.name != project["name"]
    }


LINES = [
    line
    for line in re.sub(r"\\\n\s+", "", LOCK).splitlines()
    if line and not line.startswith("#")
]


def pins():
    """(name, version, marker or None) of each line of the lock."""
    for line in LINES:
        requirement = Requirement(line.split(" --hash")[0].strip())
        [specifier] = requirement.specifier
        assert specifier.operator == "=="
        yield (
            canonicalize_name(requirement.name),
            specifier.version,
            requirement.marker,
        )


def test_conda_gets_the_same_names_and_ranges():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))
    *lines, pip = environment["dependencies"]
    assert pip["pip"].pop() == "-e ."
    conda = {
        canonicalize_name(r.name): r.specifier
        for r in map(Requirement, lines + pip["pip"])
    }
    assert conda.pop("pip") == ""
    assert conda.pop("python") == PROJECT["project"]["requires-python"]
    assert conda == requirements()
    assert environment["name"] == PROJECT["project"]["name"]


SYSTEM = {
    "sys_platform": "linux",
    "os_name": "posix",
    "platform_system": "Linux",
    "implementation_name": "cpython",
}


@mark.parametrize("python", PYTHONS)
def test_the_lock_fulfils_every_requirement_on_every_python(python):
    versions = {"python_version": python, "python_full_version": f"{python}.9"}
    locked = {
        name: version
        for name, version, marker in pins()
        if marker is None or marker.evaluate(SYSTEM | versions)
    }
    for name, specifier in requirements().items():
        assert name in locked, f"{name} is not in the lock: run make lock"
        assert specifier.contains(locked[name]), (name, locked[name], specifier)


def test_one_version_for_all_pythons_so_that_numbers_agree():
    markers = [
        marker for name, _, marker in pins() if name in ("numpy", "scipy")
    ]
    assert markers == [None, None]


def test_every_pin_has_a_hash_and_none_an_index():
    assert len(LINES) > 50 and all("--hash=sha256:" in line for line in LINES)
    assert not re.search(
        r"index-url|find-links|file:|https?:|trusted-host", LOCK
    )


def test_the_tested_pythons_are_the_declared_ones():
    text = "\n".join(PROJECT["project"]["classifiers"])
    assert tuple(re.findall(r":: (3\.\d+)$", text, re.MULTILINE)) == PYTHONS


def package_of(path):
    return ".".join(path.parent.relative_to(ROOT).parts)


def test_the_wheel_has_every_package_and_file():
    setuptools = PROJECT["tool"]["setuptools"]
    folders = {package_of(path) for path in (ROOT / "toolkit").rglob("*.py")}
    beside = {
        f"toolkit.{name}": name for name in ("notebooks", "data", "figures")
    }
    assert set(setuptools["packages"]) == folders | beside.keys()
    assert setuptools["package-dir"] == beside
    patterns = setuptools["package-data"]
    for path in (ROOT / "toolkit").rglob("*"):
        if path.is_file() and path.suffix not in (".py", ".pyc"):
            packed = map(path.match, patterns.get(package_of(path), []))
            assert any(packed), f"{path.name} is not packed"


def test_versions_agree():
    import toolkit

    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert (
        toolkit.__version__ == PROJECT["project"]["version"] == cff["version"]
    )
    assert cff["license"] == PROJECT["project"]["license"] == "BSD-3-Clause"


def test_subpackages_load_at_their_first_use():
    code = (
        "import sys, toolkit\n"
        "assert not any(name.startswith('toolkit.') for name in sys.modules)\n"
        "assert {'lvq', 'show', 'fisher'} <= set(dir(toolkit))\n"
        "assert toolkit.lvq.GMLVQ and 'toolkit.lvq' in sys.modules and 'toolkit.fisher' not in sys.modules\n"
        "try:\n    toolkit.lqv\nexcept AttributeError as error:\n    assert 'lvq' in str(error)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@mark.skipif(shutil.which("make") is None, reason="no make on this machine")
@mark.parametrize("user", [0, 1000])
def test_the_lab_opens_at_the_clone_with_options_and_leave_for_root_alone(
    user, tmp_path
):
    (tmp_path / "id").write_text(f"#!/bin/sh\necho {user}\n", "utf-8")
    (tmp_path / "id").chmod(0o755)
    environment = os.environ | {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    }
    options = "PYTHON=python3", "ARGS=--no-browser --port 9999"
    text = subprocess.check_output(
        ["make", "-n", "-C", str(ROOT), "lab", *options],
        env=environment,
        text=True,
    )
    words = text.partition("-m jupyterlab")[2].replace("\\\n", " ").split()
    assert f'--ServerApp.root_dir="{ROOT}"' in words
    assert ("--allow-root" in words) == (user == 0)
    assert words[words.index("--no-browser") :][:3] == [
        "--no-browser",
        "--port",
        "9999",
    ]
