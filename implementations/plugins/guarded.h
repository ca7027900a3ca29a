// Where C++ ends and the C interface begins: nothing that is thrown may pass.
#pragma once

#include <exception>
#include <new>

#include "gdbench/plugin.h"
#include "implementations/common/failure.h"

namespace gdbench::plugins {

// Runs `body`. What it throws becomes a status; `report(status, reason)` tells the host and returns the status.
template <class Report, class Body>
gdbench_status guarded_by(const Report& report, const Body& body) {
  try {
    body();
    return GDBENCH_OK;
  } catch (const implementations::Failure& failure) {
    return report(failure.status(), failure.what());
  } catch (const std::bad_alloc&) {
    return report(GDBENCH_OUT_OF_MEMORY, "no memory");
  } catch (const std::exception& exception) {
    return report(GDBENCH_FAILED, exception.what());
  } catch (...) {
    return report(GDBENCH_FAILED, "unknown exception");
  }
}

}  // namespace gdbench::plugins
