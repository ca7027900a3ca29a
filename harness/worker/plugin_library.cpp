#include "harness/worker/plugin_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

namespace gdbench::worker {

namespace {

void set_error(void* context, const char* message) {
  std::string& error = *static_cast<std::string*>(context);
  error = message == nullptr ? "" : message;
  std::replace(error.begin(), error.end(), '\n', ' ');  // the protocol's error texts are one line
}

std::vector<std::string> split_choices(const char* text) {
  std::vector<std::string> choices;
  if (text == nullptr) return choices;
  std::string_view rest = text;
  for (;;) {
    const std::size_t bar = rest.find('|');
    choices.emplace_back(rest.substr(0, bar));
    if (bar == std::string_view::npos) return choices;
    rest.remove_prefix(bar + 1);
  }
}

std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

// A type of a newer minor version is taken for text, as the protocol does.
protocol::OptionType option_type(std::int32_t type) {
  return type >= GDBENCH_OPTION_BOOL && type <= GDBENCH_OPTION_SWITCHES ? static_cast<protocol::OptionType>(type)
                                                                        : protocol::OptionType::string;
}

protocol::ImplementationDescription describe_implementation(const gdbench_implementation& implementation) {
  protocol::ImplementationDescription description;
  description.id = implementation.id;
  description.description = text_or_empty(implementation.description);
  description.build = text_or_empty(implementation.build);
  description.tasks = catalogue::names_of_mask<catalogue::Task>(implementation.tasks);
  description.dtypes = catalogue::names_of_mask<catalogue::Dtype>(implementation.dtypes);
  description.activations = catalogue::names_of_mask<catalogue::Activation>(implementation.activations);
  description.losses = catalogue::names_of_mask<catalogue::Loss>(implementation.losses);
  description.optimizers = catalogue::names_of_mask<catalogue::OptimizerKind>(implementation.optimizers);
  description.capabilities = catalogue::names_of_mask<catalogue::Capability>(implementation.capabilities);
  description.max_layers = implementation.max_layers;
  description.max_compute_threads = implementation.max_compute_threads;
  description.helper_threads = implementation.helper_threads;
  description.unavailable = text_or_empty(implementation.unavailable);
  for (std::int64_t i = 0; i < implementation.option_count; ++i) {
    const gdbench_option& option = implementation.options[i];
    description.options.push_back({option.key, option_type(option.type), text_or_empty(option.default_value),
                                   split_choices(option.choices), text_or_empty(option.description)});
  }
  return description;
}

}  // namespace

PluginLibrary::PluginLibrary()
    : host_{sizeof(gdbench_host), GDBENCH_ABI_MAJOR, GDBENCH_ABI_MINOR, &error_, &set_error} {}

Result<std::unique_ptr<PluginLibrary>> PluginLibrary::open(const std::string& file) {
  std::unique_ptr<PluginLibrary> library(new PluginLibrary);
  // Never closed: a plugin may leave threads or handlers behind, and the process ends soon.
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return failure(std::string("cannot open the plugin: ") + dlerror());
  void* symbol = dlsym(handle, GDBENCH_PLUGIN_ENTRY_NAME);
  if (symbol == nullptr) return failure(file + " exports no " GDBENCH_PLUGIN_ENTRY_NAME);
  const auto entry = reinterpret_cast<gdbench_plugin_entry_function>(symbol);
  library->table_ = entry(&library->host_);
  if (library->table_ == nullptr) {
    return Error{ErrorKind::unsupported, library->take_error("the plugin cannot run on this machine")};
  }
  TRY(library->check_table(file));
  for (std::int64_t i = 0; i < library->table_->implementation_count; ++i) {
    const gdbench_implementation* original = library->table_->implementations[i];
    gdbench_implementation copy{};
    std::memcpy(&copy, original, std::min(original->struct_size, sizeof copy));
    library->implementations_.push_back(copy);
  }
  return library;
}

Status PluginLibrary::check_table(const std::string& file) const {
  if (table_->abi_major != GDBENCH_ABI_MAJOR) {
    return Error{ErrorKind::unsupported, file + " was built for version " + std::to_string(table_->abi_major) +
                                             " of the plugin interface, this gdbench has version " +
                                             std::to_string(GDBENCH_ABI_MAJOR)};
  }
  if (table_->name == nullptr || table_->implementation_count < 1 || table_->implementations == nullptr) {
    return failure(file + ": the plugin's table names no implementation");
  }
  for (std::int64_t i = 0; i < table_->implementation_count; ++i) {
    const gdbench_implementation& implementation = *table_->implementations[i];
    const std::string which = file + ": implementation " + std::to_string(i);
    if (implementation.struct_size < offsetof(gdbench_implementation, evaluate)) {
      return failure(which + ": struct_size is " + std::to_string(implementation.struct_size) + ", expected at least " +
                     std::to_string(offsetof(gdbench_implementation, evaluate)));
    }
    if (implementation.id == nullptr || std::strchr(implementation.id, '/') == nullptr) {
      return failure(which + ": its id is missing or not of the form strategy/backend");
    }
    if (implementation.create == nullptr || implementation.destroy == nullptr || implementation.load == nullptr ||
        implementation.prepare == nullptr || implementation.set_state == nullptr ||
        implementation.get_state == nullptr || implementation.run == nullptr) {
      return failure(which + " (" + implementation.id +
                     "): one of create, destroy, load, prepare, set_state, get_state, run is null");
    }
  }
  return {};
}

const gdbench_implementation* PluginLibrary::find(const std::string& id) const {
  const auto found = std::ranges::find_if(implementations_, [&](const auto& known) { return id == known.id; });
  return found == implementations_.end() ? nullptr : &*found;
}

protocol::HelloAnswer PluginLibrary::describe() const {
  protocol::HelloAnswer answer;
  answer.plugin = {table_->name, text_or_empty(table_->version)};
  for (const gdbench_implementation& implementation : implementations_) {
    answer.implementations.push_back(describe_implementation(implementation));
  }
  return answer;
}

std::string PluginLibrary::take_error(const std::string& fallback) {
  const std::string message = std::exchange(error_, "");
  return message.empty() ? fallback : message;
}

}  // namespace gdbench::worker
