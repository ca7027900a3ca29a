#include "reports/render/model_part.h"

namespace gdbench::render {

std::string layer_numbers(const std::vector<std::int64_t>& layers) {
  if (layers.empty()) return "";
  if (layers.size() > 1 && layers.back() - layers.front() + 1 == static_cast<std::int64_t>(layers.size())) {
    return std::to_string(layers.front()) + "-" + std::to_string(layers.back());
  }
  std::string text;
  for (const std::int64_t layer : layers) text += (text.empty() ? "" : ",") + std::to_string(layer);
  return text;
}

std::string layer_words(const std::vector<std::int64_t>& layers) {
  if (layers.empty()) return "";
  return (layers.size() == 1 ? ", layer " : ", layers ") + layer_numbers(layers);
}

std::string parameter_words(const report::ProfileRecord& record) {
  if (!record.parameters || record.parameters->empty()) return "";
  const std::vector<std::string>& names = *record.parameters;
  const report::ParameterUse use = record.use.value_or(report::ParameterUse::reads);
  std::string text = report::name_of(use) + std::string(use == report::ParameterUse::gradient ? " of " : " ");
  text += names.front();
  if (names.size() > 1) text += (names.size() == 2 ? " " : "..") + names.back();
  return text;
}

std::string op_label(const report::ProfileRecord& record) {
  const std::string parameters = parameter_words(record);
  return record.op + layer_words(record.layers.value_or(std::vector<std::int64_t>())) +
         (parameters.empty() ? "" : ", " + parameters);
}

}  // namespace gdbench::render
