"""A framework's worker that takes the processor for a CUDA device, so that its adapter's code for one runs anywhere.

python fake_device.py FRAMEWORKS NAME FAULT: FRAMEWORKS holds NAME_adapter.py, whose modes are offered as device/MODE.
FAULT is one of FAULTS. The device is the first of two.
"""
import importlib
import os
import sys

FAULTS = {
    "none": "it keeps to what it says",
    "absent": "there is none",
    "slow clock": "its clock shows a third of the time",
    "early": "it says that all is done before it is",
    "full": "it has no memory left",
}


def main():
    folder, name, fault = sys.argv[1:]
    if fault not in FAULTS:
        sys.exit(f"fake_device.py: found the fault {fault}, expected one of {', '.join(FAULTS)}")
    sys.path[:0] = [folder, os.path.dirname(os.path.abspath(__file__))]
    runner, adapter = importlib.import_module("runner"), importlib.import_module(f"{name}_adapter")
    fake, start = importlib.import_module(f"fake_{name}"), adapter.start

    def start_with_device(threads, **options):
        fake.replace(fault)
        return start(threads, **options)

    adapter.NAME, adapter.start = "device", start_with_device
    runner.serve(adapter, "")


if __name__ == "__main__":
    main()
