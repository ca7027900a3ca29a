#include "harness/base/key_describer.h"

#include <algorithm>

#include "harness/base/json.h"

namespace gdbench {

OrderedJson KeyDescriber::merged(const std::vector<KeyDescriber>& kinds) {
  OrderedJson common = OrderedJson::object();
  for (const KeyDescriber& kind : kinds) {
    for (const auto& [key, property] : kind.properties_.items()) {
      if (!common.contains(key)) common[key] = property;
      OrderedJson& shared = common[key];
      for (auto entry = shared.begin(); entry != shared.end();) {
        const auto other = property.find(entry.key());
        entry = other != property.end() && *other == *entry ? std::next(entry) : shared.erase(entry);
      }
    }
  }
  const auto is_required = [](const KeyDescriber& kind, const std::string& key) {
    return std::ranges::find(kind.required_, key) != kind.required_.end();
  };
  OrderedJson required = OrderedJson::array();
  for (const std::string& key : kinds[0].required_) {
    const auto requires_key = [&](const KeyDescriber& kind) { return is_required(kind, key); };
    if (std::ranges::all_of(kinds, requires_key)) required.push_back(key);
  }
  OrderedJson conditions = OrderedJson::array();
  for (std::size_t i = 0; i < kinds[0].names_.size(); ++i) {
    OrderedJson then = OrderedJson::object();
    for (const auto& [key, shared] : common.items()) {
      const auto own = kinds[i].properties_.find(key);
      if (own == kinds[i].properties_.end()) then["properties"][key] = false;
      if (own == kinds[i].properties_.end()) continue;
      for (const auto& [entry, value] : own->items()) {
        if (!shared.contains(entry)) then["properties"][key][entry] = value;
      }
      const bool always = std::ranges::find(required, OrderedJson(key)) != required.end();
      if (!always && is_required(kinds[i], key)) then["required"].push_back(key);
    }
    if (then.empty()) continue;
    OrderedJson when = {{"properties", {{kinds[0].kind_, {{"const", kinds[0].names_[i]}}}}}};
    const OrderedJson& kind = common[kinds[0].kind_];
    if (!kind.contains("default") || kind["default"] != kinds[0].names_[i]) when["required"] = {kinds[0].kind_};
    conditions.push_back({{"if", std::move(when)}, {"then", std::move(then)}});
  }
  OrderedJson schema = {{"type", "object"}, {"properties", std::move(common)}};
  if (!required.empty()) schema["required"] = std::move(required);
  if (!conditions.empty()) schema["allOf"] = std::move(conditions);
  schema["additionalProperties"] = false;
  return schema;
}

}  // namespace gdbench
