"""scripts/check-dump as a module."""

import importlib.machinery
import importlib.util
import pathlib
import sys

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))
loader = importlib.machinery.SourceFileLoader("check_dump", str(SCRIPTS / "check-dump"))
check_dump = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_dump", loader))
loader.exec_module(check_dump)
