// Where a scenario's data come from: its key `data`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "harness/abi/catalogue.h"

namespace gdbench::scenario {

enum class SyntheticKind { linear, teacher, blobs, gradients };
inline constexpr catalogue::Named<SyntheticKind> kSyntheticKinds[] = {{SyntheticKind::linear, "linear"},
                                                                      {SyntheticKind::teacher, "teacher"},
                                                                      {SyntheticKind::blobs, "blobs"},
                                                                      {SyntheticKind::gradients, "gradients"}};
constexpr const auto& rows_of(SyntheticKind /*any*/) { return kSyntheticKinds; }

// linear: y = X w + noise. teacher: y from a random two-layer tanh network, + noise. blobs: one Gaussian blob per
// class. gradients: the task update's, one row of N(0, 1) with an entry for each of the parameters; no targets.
struct SyntheticData {
  SyntheticKind kind = SyntheticKind::linear;
  std::int64_t rows = 0;
  std::int64_t features = 0;
  std::int64_t outputs = 1;  // classes for blobs
  double noise = 0.1;
  std::uint64_t seed = 1;
  double condition = 1;  // of the features' covariance, about: the ratio of the columns' variances; kind linear only
  double density = 1;    // probability with which an entry of the features is kept; the others are 0
};

enum class EmptyCells { reject, drop, mean };
inline constexpr catalogue::Named<EmptyCells> kEmptyCells[] = {
    {EmptyCells::reject, "reject"}, {EmptyCells::drop, "drop"}, {EmptyCells::mean, "mean"}};
constexpr const auto& rows_of(EmptyCells /*any*/) { return kEmptyCells; }

enum class Separator { automatic, comma, semicolon, tab, bar, blanks };
inline constexpr catalogue::Named<Separator> kSeparators[] = {
    {Separator::automatic, "auto"}, {Separator::comma, ","}, {Separator::semicolon, ";"},
    {Separator::tab, "tab"},        {Separator::bar, "|"},   {Separator::blanks, "blanks"}};
constexpr const auto& rows_of(Separator /*any*/) { return kSeparators; }

enum class Decimal { point, comma };
inline constexpr catalogue::Named<Decimal> kDecimals[] = {{Decimal::point, "."}, {Decimal::comma, ","}};
constexpr const auto& rows_of(Decimal /*any*/) { return kDecimals; }

enum class Thousands { none, comma, point, blank, apostrophe };
inline constexpr catalogue::Named<Thousands> kThousands[] = {{Thousands::none, "none"},
                                                             {Thousands::comma, ","},
                                                             {Thousands::point, "."},
                                                             {Thousands::blank, "blank"},
                                                             {Thousands::apostrophe, "'"}};
constexpr const auto& rows_of(Thousands /*any*/) { return kThousands; }

// How the numbers of a text file are written.
struct NumberFormat {
  Decimal decimal = Decimal::point;
  Thousands thousands = Thousands::none;
  bool percent = false;  // 12% is 0.12
  bool operator==(const NumberFormat&) const = default;
};

struct CsvData {
  std::filesystem::path path;
  std::vector<std::string> features;  // names or, without a header, numbers; empty: every column that is not a target
  std::vector<std::string> targets;
  Separator separator = Separator::automatic;
  bool header = true;
  std::int64_t skip = 0;             // lines before the header, or the first row, that are left out
  std::string comment;               // lines that begin with it are left out; empty: none
  std::vector<std::string> missing;  // texts of cells that count as empty
  EmptyCells empty_cells = EmptyCells::reject;
  NumberFormat numbers;
  std::string positive;              // of targets that are two texts: the one that is 1
  std::vector<std::string> one_hot;  // features that hold names: each becomes a column of 0 and 1 for each name
  bool operator==(const CsvData&) const = default;
};

struct NpyData {
  std::filesystem::path x;
  std::filesystem::path y;
};

struct IdxData {
  std::filesystem::path x;  // unsigned bytes, flattened to [rows, features]
  std::filesystem::path labels;
};

struct LibsvmData {
  std::filesystem::path path;
};

// Rows that stay in their file and are read in order: an NPY file [rows, columns] of <f4 or <f8, or a CSV file. One
// that has more than a header and plain numbers is converted to such an NPY file before.
struct StreamData : CsvData {
  std::int64_t memory_cap = std::int64_t{64} << 20;  // bytes of a worker's buffers
  bool is_npy() const { return path.extension() == ".npy"; }
};

using Data = std::variant<SyntheticData, CsvData, NpyData, IdxData, LibsvmData, StreamData>;

// The alternatives of Data, in their order.
enum class Source { synthetic, csv, npy, idx, libsvm, stream };
inline constexpr catalogue::Named<Source> kSources[] = {
    {Source::synthetic, "synthetic"}, {Source::csv, "csv"},      {Source::npy, "npy"}, {Source::idx, "idx"},
    {Source::libsvm, "libsvm"},       {Source::stream, "stream"}};
constexpr const auto& rows_of(Source /*any*/) { return kSources; }

}  // namespace gdbench::scenario
