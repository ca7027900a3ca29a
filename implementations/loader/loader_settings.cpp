#include "implementations/loader/loader_settings.h"

#include <charconv>
#include <string>

#include "implementations/common/failure.h"
#include "implementations/common/options.h"

namespace gdbench::loader {
namespace {

using implementations::Failure;

int batches_ahead(const std::string& text) {
  if (text.empty()) return 0;
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 0 && value <= kMaxPrefetch) return value;
  throw Failure(GDBENCH_UNSUPPORTED,
                "prefetch: found " + text + ", expected an integer from 0 to " + std::to_string(kMaxPrefetch));
}

}  // namespace

LoaderSettings read_loader_settings(const gdbench_settings& settings) {
  LoaderSettings result;
  result.rank = rank_of(settings);
  result.loader = implementations::chosen<Loader>(settings, kLoaderOption);
  result.prefetch = batches_ahead(implementations::option_value(settings, kPrefetchOption.key));
  if (settings.helper_core_count > 0) {
    result.helper_cores.assign(settings.helper_cores, settings.helper_cores + settings.helper_core_count);
  }
  if (result.prefetch > 0 && result.helper_cores.empty()) {
    throw Failure(GDBENCH_UNSUPPORTED, "prefetch needs a processor for its helper thread; all are compute processors");
  }
  return result;
}

}  // namespace gdbench::loader
