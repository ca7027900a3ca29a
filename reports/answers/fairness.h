// Whether two timed trainings were compared fairly, in words.
#pragma once

#include "harness/questions/fairness/comparison.h"
#include "reports/document/document.h"

namespace gdbench::answers {

// "Fair", or what to mend first; what is unequal with what it does to the result, the worst first; what is not known.
document::Document document_of(const fairness::Comparison& comparison);

}  // namespace gdbench::answers
