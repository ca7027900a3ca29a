// A scenario's overrides in front of what is chosen of its cells, as --a and --b take them: "dtype=bf16/graph/jit".
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/scenario/scenario.h"

namespace gdbench::app {

struct Overridden {
  std::string overrides;  // "optimizer=adam,batch=32"; empty: none
  std::string cell;       // an implementation or the like; empty: any
};

// The overrides that begin a text, and what is left of it behind a slash. An option of a cell has its "=" behind "?".
Overridden split_overrides(const std::string& text);

// Each of the overrides; a part without a "=" belongs to the value before it ("impl.passes=none,+algebra,dtype=f64" are
// two). Errors name `option`: no key, or one that is given twice.
Result<std::vector<scenario::Setting>> parse_overrides(const std::string& option, const std::string& overrides);

// As they are spelled in a text.
std::string overrides_text(const std::vector<scenario::Setting>& settings);

}  // namespace gdbench::app
