"""Runs the tests of a script: run_tests.py NAME [arguments of unittest]

Exit status 77: all of them are skipped, and the last line says why.
"""

import importlib
import sys
import unittest


def main():
    name, *arguments = sys.argv[1:]
    try:
        module = importlib.import_module(f"{name}_test")
    except unittest.SkipTest as reason:
        print(f"skipped: {reason}")
        return 77
    result = unittest.main(module, argv=[name, *arguments], exit=False).result
    # A test of which a part is skipped is none of these.
    skipped = [reason for test, reason in result.skipped if not hasattr(test, "test_case")]
    if result.wasSuccessful() and skipped and len(skipped) >= result.testsRun:
        print(f"skipped: {skipped[0]}")
        return 77
    return not result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
