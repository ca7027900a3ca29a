// CSV files as NPY files of numbers, which are made once and kept.
#pragma once

#include <filesystem>
#include <memory>

#include "harness/base/result.h"
#include "harness/base/scratch_folder.h"
#include "harness/data/reading_options.h"
#include "harness/data/table.h"
#include "harness/scenario/scenario.h"

namespace gdbench::data {

struct Converted {
  std::filesystem::path file;                   // NPY, <f8 [rows, features + targets], labels as numbers
  Table table;                                  // without its rows
  std::shared_ptr<const ScratchFolder> folder;  // of a file that goes with this
};

// Reads at most a block of rows at once. A file of the same bytes and keys is not read again where one is kept. Errors:
// those of CsvReader; the file cannot be written.
Result<Converted> convert_csv(const std::filesystem::path& file, const scenario::CsvData& data,
                              catalogue::Targets targets, const ReadingOptions& options);

// With its rows, within max_data_bytes().
Result<Table> read_converted(Converted converted);

}  // namespace gdbench::data
