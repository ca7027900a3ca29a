#include "implementations/backends/jit/lower/choices.h"

#include <cstdlib>
#include <sstream>
#include <utility>

#include "implementations/common/options.h"

namespace gdbench::backends::jit {

RegionFunctions region_functions() {
  static constexpr gdbench_option kOptions[] = {
      {"block_rows", GDBENCH_OPTION_INTEGER, 0, "0", nullptr,
       "rows of a batch that are processed together; 0: as many as promise the fastest step"},
      {"scalar_limit", GDBENCH_OPTION_INTEGER, 0, "256", nullptr,
       "up to so many multiplications of a step its entries become scalars"},
      {"lanes", GDBENCH_OPTION_CHOICE, 0, "auto", "auto|columns|rows|panels",
       "what of a batch a vector holds, panels: rows, with the weights in blocks; auto: what promises the fastest "
       "step"},
      {"instructions", GDBENCH_OPTION_CHOICE, 0, "auto", "auto|avx2|avx512vl|avx512|amx|neon",
       "what vectors are made of: avx512vl has 256 bits in each, as avx2, and twice as many of them; amx is avx512 and "
       "tiles for products of bfloat16, which auto takes where they promise the fastest step"},
      {"cache", GDBENCH_OPTION_INTEGER, 0, "0", nullptr,
       "KiB of a second cache that steps are planned for; 0: as many as the processor has"},
  };
  static std::string names;
  static std::string descriptions;
  if (names.empty()) {
    for (const PassRow& row : kPasses) {
      names += std::string(names.empty() ? "" : "|") + row.name;
      descriptions += std::string(descriptions.empty() ? "" : "\n") + row.name + ": " + row.description;
    }
  }
  return {.options = kOptions,
          .option_count = std::size(kOptions),
          .passes = names.c_str(),
          .pass_descriptions = descriptions.c_str()};
}

namespace {

void switch_passes(Choices& choices, const std::string& text) {
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    for (std::size_t i = 0; i < kPassCount; ++i) {
      const std::string name = name_of(static_cast<Pass>(i));
      if (word == "all" || word == "+" + name) choices.on[i] = true;
      if (word == "none" || word == "-" + name) choices.on[i] = false;
    }
  }
}

std::int64_t number_of(const gdbench_settings& settings, const char* key, std::int64_t otherwise) {
  const std::string value = implementations::option_value(settings, key);
  return value.empty() ? otherwise : std::strtoll(value.c_str(), nullptr, 10);
}

}  // namespace

Choices choices_of(const gdbench_settings* settings) {
  Choices choices;
  if (settings == nullptr) return choices;
  switch_passes(choices, implementations::option_value(*settings, "passes"));
  choices.block_rows = number_of(*settings, "block_rows", choices.block_rows);
  choices.second_cache_kib = number_of(*settings, "cache", choices.second_cache_kib);
  choices.scalar_limit = number_of(*settings, "scalar_limit", choices.scalar_limit);
  const std::string lanes = implementations::option_value(*settings, "lanes");
  if (lanes == "columns") choices.lanes = Lanes::columns;
  if (lanes == "rows") choices.lanes = Lanes::rows;
  if (lanes == "panels") choices.lanes = Lanes::panels;
  const std::string instructions = implementations::option_value(*settings, "instructions");
  if (instructions == "avx2") choices.instructions = InstructionSet::avx2;
  if (instructions == "avx512vl") choices.instructions = InstructionSet::avx512vl;
  if (instructions == "avx512") choices.instructions = InstructionSet::avx512;
  if (instructions == "amx") choices.instructions = InstructionSet::amx;
  if (instructions == "neon") choices.instructions = InstructionSet::neon;
  choices.dump = implementations::option_value(*settings, "dump");
  return choices;
}

std::string reason_against(const Choices& choices) {
  for (const auto& [key, number] : {std::pair("block_rows", choices.block_rows),
                                    {"scalar_limit", choices.scalar_limit},
                                    {"cache", choices.second_cache_kib}}) {
    if (number < 0) return std::string(key) + ": found " + std::to_string(number) + ", expected 0 or more";
  }
  return "";
}

}  // namespace gdbench::backends::jit
