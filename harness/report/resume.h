// Going on with a run that was stopped: killed, or interrupted.
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/report/report.h"

namespace gdbench::report {

// Gives the cells of a planned report what the journal or the report of the stopped run knows of them: status, block,
// launches, samples, profiles; and the run its id, start, seed and first ceilings. Errors, which name `origin`: the
// journal is of another run (other cells, another seed, another build of an implementation), or of one that is
// complete.
Status take_over(const Report& stopped, const std::string& origin, Report& planned);

}  // namespace gdbench::report
