#include "implementations/strategies/common/column_masks.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/implementations/backend_fixture.h"

namespace gdbench::strategies {
namespace {

template <class Entry>
void expect_masks(catalogue::Dtype dtype, std::int64_t max_rows, std::int64_t outputs) {
  Session session(backends::backend_named("naive"), backends::settings_for(1));
  const ColumnMasks masks(session, dtype, max_rows, outputs);
  ASSERT_EQ(masks.count(), outputs);
  for (const std::int64_t rows : {max_rows, std::int64_t{1}}) {
    for (std::int64_t column = 0; column < outputs; ++column) {
      const Matrix mask = masks.mask(column, rows);
      EXPECT_EQ(mask.rows, rows);
      EXPECT_EQ(mask.columns, outputs);
      std::vector<Entry> entries(static_cast<std::size_t>(rows * outputs));
      session.download(mask.buffer, entries.data(), entries.size() * sizeof(Entry));
      for (std::int64_t i = 0; i < rows * outputs; ++i) {
        EXPECT_EQ(entries[static_cast<std::size_t>(i)], i % outputs == column ? 1 : 0) << column << " at " << i;
      }
    }
  }
}

TEST(ColumnMasks, HaveOnesInOneColumn) {
  for (const std::int64_t outputs : {1, 2, 5}) {
    expect_masks<float>(catalogue::Dtype::f32, 4, outputs);
    expect_masks<double>(catalogue::Dtype::f64, 3, outputs);
  }
}

}  // namespace
}  // namespace gdbench::strategies
