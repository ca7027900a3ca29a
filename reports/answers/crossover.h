// Where one implementation is faster than another: every measured size, or what so many steps take.
#pragma once

#include "harness/report/crossover.h"
#include "reports/document/document.h"

namespace gdbench::answers {

document::Document document_of(const report::Crossover& crossover);
document::Document document_of(const report::StepsCrossover& crossover);

}  // namespace gdbench::answers
