// Labels of scenarios: what they say, and as long as there is room for them.
#pragma once

#include <string>
#include <vector>

namespace gdbench::answers {

// Labels without the words that all of them share, which go to `common`; keys, then their ends are left out where that
// makes them fit: "mlp-10-50-1[batch.micro_batches=4]" is "mlp-10-50-1 micro_batches=4", "mlp-10-50-1 4",
// "mlp-10-50..".
std::vector<std::string> shortened(const std::vector<std::string>& labels, std::size_t width, std::string& common);

// A cell's id without its scenario.
std::string short_id(const std::string& label, const std::string& id);

// "optimizer=adam" and "batch=64" of "mlp-10-50-1[optimizer=adam,batch=64]".
std::vector<std::string> overrides_of(const std::string& label);
// "batch" of "batch=64".
std::string key_of(const std::string& setting);

}  // namespace gdbench::answers
