// CSV files. The first byte chooses how they are read.
#include "harness/data/csv.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/target.h"

GDBENCH_FUZZ_TARGET(csv) {
  if (size == 0) return 0;
  const gdbench::fuzz::InputFile file(data + 1, size - 1);
  gdbench::scenario::CsvData csv;
  csv.path = file.path();
  csv.targets = {"y"};
  if ((data[0] & 1) != 0) csv.features = {"a", "b"};
  if ((data[0] & 2) != 0) csv.one_hot = {"b"};
  if ((data[0] & 4) != 0) csv.empty_cells = gdbench::scenario::EmptyCells::drop;
  if ((data[0] & 16) != 0) csv.numbers = {gdbench::scenario::Decimal::comma, gdbench::scenario::Thousands::point, true};
  if ((data[0] & 32) != 0) csv.separator = gdbench::scenario::Separator::blanks;
  if ((data[0] & 64) != 0) csv.comment = "#";
  if ((data[0] & 128) != 0) {
    csv.header = false;
    csv.targets = {"0"};
    csv.features.clear();
    csv.one_hot.clear();
  }
  static_cast<void>(gdbench::data::read_csv(
      file.path(), csv,
      (data[0] & 8) != 0 ? gdbench::catalogue::Targets::labels : gdbench::catalogue::Targets::shares));
  return 0;
}
