// A plugin that is opened in the test's own process, without the harness.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <string>

#include "gdbench/plugin.h"

namespace gdbench::fakes {

// A shared object and what its entry returned.
class LoadedPlugin {
 public:
  explicit LoadedPlugin(const std::string& path) {
    host_ = {sizeof host_, GDBENCH_ABI_MAJOR, GDBENCH_ABI_MINOR, this, set_error};
    library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const symbol = library_ != nullptr ? dlsym(library_, GDBENCH_PLUGIN_ENTRY_NAME) : nullptr;
    if (symbol == nullptr) {
      load_error_ = dlerror();
      return;
    }
    plugin_ = reinterpret_cast<gdbench_plugin_entry_function>(symbol)(&host_);
  }
  ~LoadedPlugin() {
    if (library_ != nullptr) dlclose(library_);
  }
  LoadedPlugin(const LoadedPlugin&) = delete;
  LoadedPlugin& operator=(const LoadedPlugin&) = delete;

  const std::string& load_error() const { return load_error_; }  // empty where it was opened
  const gdbench_plugin* plugin() const { return plugin_; }
  const gdbench_implementation& implementation() const { return *plugin_->implementations[0]; }
  // Null where there is none.
  const gdbench_implementation* implementation(const std::string& id) const {
    for (std::int64_t i = 0; i < plugin_->implementation_count; ++i) {
      if (id == plugin_->implementations[i]->id) return plugin_->implementations[i];
    }
    return nullptr;
  }
  const std::string& reported_error() const { return reported_error_; }
  void forget_error() { reported_error_.clear(); }

 private:
  static void set_error(void* context, const char* message) {
    static_cast<LoadedPlugin*>(context)->reported_error_ = message;
  }

  gdbench_host host_{};
  std::string load_error_;
  std::string reported_error_;
  void* library_ = nullptr;
  const gdbench_plugin* plugin_ = nullptr;
};

}  // namespace gdbench::fakes
