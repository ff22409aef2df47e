"""pyproject.toml, environment.yml and requirements.lock say the same; the wheel has what the command line needs."""

import os
import re
import shutil
import subprocess
import sys
import tomllib

import yaml
from features import ROOT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from pytest import mark

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
PYTHONS = "3.11", "3.12", "3.13"


def required():
    """Every requirement of the project and its extras, by name; extras that name the project itself are resolved."""
    extras = PROJECT["project"]["optional-dependencies"]
    lines = [
        *PROJECT["project"]["dependencies"],
        *(line for extra in extras.values() for line in extra),
    ]
    found = [Requirement(line) for line in lines]
    return {
        canonicalize_name(r.name): r
        for r in found
        if r.name != PROJECT["project"]["name"]
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
        (specifier,) = requirement.specifier
        assert specifier.operator == "=="
        yield canonicalize_name(requirement.name), specifier.version, requirement.marker


def test_conda_gets_the_same_names_and_ranges():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))
    lines = [line for line in environment["dependencies"] if isinstance(line, str)]
    (pip,) = [
        entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict)
    ]
    assert pip[-1] == "-e ."
    conda = {
        canonicalize_name(r.name): r.specifier
        for r in map(Requirement, [*lines, *pip[:-1]])
    }
    assert conda.pop("pip") == ""
    assert conda.pop("python") == PROJECT["project"]["requires-python"]
    assert conda == {
        name: requirement.specifier for name, requirement in required().items()
    }
    assert environment["name"] == PROJECT["project"]["name"]


@mark.parametrize("python", PYTHONS)
def test_the_lock_fulfils_every_requirement_on_every_python(python):
    system = {
        "python_version": python,
        "python_full_version": f"{python}.9",
        "sys_platform": "linux",
    }
    system |= {
        "os_name": "posix",
        "platform_system": "Linux",
        "implementation_name": "cpython",
    }
    locked = {
        name: version
        for name, version, marker in pins()
        if marker is None or marker.evaluate(system)
    }
    for name, requirement in required().items():
        assert name in locked, f"{name} is not in the lock: run make lock"
        assert requirement.specifier.contains(locked[name]), (
            name,
            locked[name],
            str(requirement.specifier),
        )


def test_one_version_for_all_pythons_so_that_numbers_agree():
    assert [marker for found, _, marker in pins() if found in ("numpy", "scipy")] == [
        None,
        None,
    ]


def test_every_pin_is_hashed_and_no_index_is_named():
    assert len(LINES) > 50 and all("--hash=sha256:" in line for line in LINES)
    assert not re.search(r"index-url|find-links|file:|https?:|trusted-host", LOCK)


def test_the_tested_pythons_are_the_declared_ones():
    declared = [
        c.rsplit(" ", 1)[1]
        for c in PROJECT["project"]["classifiers"]
        if re.search(r":: 3\.\d+$", c)
    ]
    assert tuple(declared) == PYTHONS


def test_the_wheel_has_every_package_and_file():
    setuptools = PROJECT["tool"]["setuptools"]
    folders = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for path in (ROOT / "toolkit").rglob("*.py")
    }
    beside = {f"toolkit.{name}" for name in ("notebooks", "data", "figures")}
    assert set(setuptools["packages"]) == folders | beside
    assert setuptools["package-dir"] == {
        name: name.partition(".")[2] for name in beside
    }
    patterns = setuptools["package-data"]
    for path in (ROOT / "toolkit").rglob("*"):
        if path.is_file() and path.suffix not in (".py", ".pyc"):
            package = ".".join(path.parent.relative_to(ROOT).parts)
            assert any(path.match(pattern) for pattern in patterns.get(package, [])), (
                f"{path.name} is not packed"
            )


def test_versions_agree():
    import toolkit

    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert toolkit.__version__ == PROJECT["project"]["version"] == cff["version"]
    assert cff["license"] == PROJECT["project"]["license"] == "BSD-3-Clause"


def test_subpackages_load_when_they_are_first_used():
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
    environment = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    command = [
        "make",
        "-n",
        "-C",
        str(ROOT),
        "lab",
        "PYTHON=python3",
        "ARGS=--no-browser --port 9999",
    ]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    )
    said = (
        done.stdout[done.stdout.index("-m jupyterlab") :].replace("\\\n", " ").split()
    )
    assert f'--ServerApp.root_dir="{ROOT}"' in said
    assert ("--allow-root" in said) == (user == 0)
    assert said[said.index("--no-browser") :][:3] == ["--no-browser", "--port", "9999"]
