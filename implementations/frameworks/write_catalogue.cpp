// Writes the catalogue of the arithmetic as JSON to standard output, for the adapters in Python. Names are identifiers,
// which JSON takes as they are.
#include <cstdio>

#include "harness/abi/catalogue.h"

namespace {

using namespace gdbench::catalogue;

const char* text_of(bool value) { return value ? "true" : "false"; }

// "KEY": {"NAME": {what print_row writes}, ...}
template <Catalogued Enum, class PrintRow>
void print_rows(const char* key, PrintRow print_row) {
  std::printf("  \"%s\": {", key);
  const char* separator = "";
  for (const auto& row : rows_of(Enum{})) {
    std::printf("%s\n    \"%s\": {", separator, row.name);
    print_row(row);
    std::printf("}");
    separator = ",";
  }
  std::printf("\n  }");
}

}  // namespace

int main() {
  std::printf("{\n");
  print_rows<Dtype>("dtypes", [](const DtypeRow& row) { std::printf("\"bytes\": %zu", row.bytes); });
  std::printf(",\n");
  print_rows<Activation>(
      "activations", [](const ActivationRow& row) { std::printf("\"reads_input\": %s", text_of(row.reads_input)); });
  std::printf(",\n");
  print_rows<Loss>("losses", [](const LossRow& row) {
    std::printf("\"takes_labels\": %s", text_of(row.targets == Targets::labels));
  });
  std::printf(",\n");
  print_rows<OptimizerKind>("optimizers", [](const OptimizerRow& row) {
    std::printf("\"slots\": %zu, \"always_decoupled\": %s, \"corrects_moments\": %s, \"averages\": %s", row.slots,
                text_of(row.always_decoupled), text_of(row.corrects_moments), text_of(averages(row.value)));
  });
  std::printf("\n}\n");
  return 0;
}
