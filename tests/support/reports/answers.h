// Answers as documents, looked at as a whole.
#pragma once

#include <string>

#include "reports/document/document.h"

namespace gdbench::tests {

// All that a document says, as text without a limit of width: figures with their sentences and numbers, folds opened.
std::string outline_of(const document::Document& document);

// The outline of `name` in tests/golden/answers. The page goes to the folder GDBENCH_PAGES, where there is one: for a
// browser (tests/pages).
void expect_golden_answer(const std::string& name, const document::Document& document);

}  // namespace gdbench::tests
