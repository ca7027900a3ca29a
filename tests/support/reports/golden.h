// Whole outputs for fixed inputs, kept in tests/golden. After an intended change:
//   GDBENCH_UPDATE_GOLDEN=1 ctest -R Golden   and look at the difference before it is committed.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/reports/temporary_folder.h"

namespace gdbench::tests {

// `file` in tests/golden.
inline void expect_golden(const std::string& file, const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(GDBENCH_SOURCE_DIR) / "tests/golden" / file;
  if (std::getenv("GDBENCH_UPDATE_GOLDEN") != nullptr) write_text(path, text);
  EXPECT_EQ(text, text_of(path)) << "GDBENCH_UPDATE_GOLDEN=1 writes it anew";
}

}  // namespace gdbench::tests
