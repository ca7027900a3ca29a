// From a matrix to the points of a run. No scenario file is read here.
#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "harness/base/text.h"
#include "harness/scenario/axes.h"
#include "harness/scenario/matrix.h"
#include "harness/scenario/settings.h"

namespace gdbench::scenario {

namespace {

constexpr double kMaxPoints = 1e6;

struct Axis {
  std::string key;
  std::vector<std::string> values;
  std::string source{};  // as Setting::source
};

// One product of axes: the matrix's own, or an include's.
struct Product {
  std::vector<const KnownScenario*> scenarios;
  std::vector<std::string> implementations;
  std::vector<int> threads;
  std::vector<Axis> axes;  // settings and impl.* options
};

bool is_option(const std::string& key) { return key.rfind(kOptionPrefix, 0) == 0; }

bool is_own_axis(const std::string& key) {
  return key == kScenarioAxis || key == kImplementationAxis || key == kThreadsAxis;
}

bool matches_any(const std::vector<std::string>& globs, const std::string& text) {
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) { return glob_match(glob, text); });
}

class Expansion {
 public:
  Expansion(const Matrix& matrix, const Selection& selection, const std::vector<KnownScenario>& scenarios,
            const std::vector<std::string>& implementations)
      : matrix_(matrix), selection_(selection), scenarios_(scenarios), implementations_(implementations) {}

  Result<std::vector<Point>> run() {
    for (const Setting& setting : selection_.settings) {
      if (!is_own_axis(setting.key)) continue;
      return usage_error("--set " + setting.key + ": found an axis of matrices, expected a key of scenarios or " +
                         kOptionPrefix + "KEY");
    }
    Status status = add_axes_product();
    for (std::size_t i = 0; status.ok() && i < matrix_.includes.size(); ++i) status = add_include(i);
    if (!status.ok()) return status.error();
    if (points_.empty()) return fault("", "no cell", "at least one that is selected and not excluded");
    return std::move(points_);
  }

 private:
  std::string name() const { return matrix_.file.empty() ? "matrix " + matrix_.name : matrix_.file.string(); }
  std::string place_of(const std::string& pointer) const { return one_line(pointer + " of " + name()); }

  // `place` is an option of the command line, or a pointer into the matrix.
  Error fault(const std::string& place, const std::string& found, const std::string& expected) const {
    const std::string where = place.starts_with("--") ? place : name() + (place.empty() ? "" : ": " + place);
    return usage_error(one_line(where + ": found " + found + ", expected " + expected));
  }

  // The names that the globs match, in the globs' order. A glob that matches nothing is a fault.
  Result<std::vector<std::size_t>> select(const std::vector<std::string>& globs, const std::vector<std::string>& names,
                                          const std::string& place, const std::string& what) const {
    std::vector<std::size_t> selected;
    std::vector<char> taken(names.size(), 0);
    for (const std::string& glob : globs) {
      bool matched = false;
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (!glob_match(glob, names[i])) continue;
        matched = true;
        if (taken[i] == 0) selected.push_back(i);
        taken[i] = 1;
      }
      if (!matched) {
        return fault(place, in_quotes(glob) + ", which no " + what + " matches",
                     (names.empty() ? "some " + what + ", but there are none" : "one of " + joined(names)) +
                         suggestion(glob, names));
      }
    }
    return selected;
  }

  Status select_scenarios(const std::vector<std::string>& globs, const std::string& place, Product& product) const {
    std::vector<std::string> names;
    for (const KnownScenario& scenario : scenarios_) names.push_back(scenario.name);
    std::vector<std::size_t> selected = TRY(select(globs, names, place, "scenario"));
    for (const std::size_t i : selected) product.scenarios.push_back(&scenarios_[i]);
    return {};
  }

  Status select_implementations(const std::vector<std::string>& globs, const std::string& place,
                                Product& product) const {
    std::vector<std::size_t> selected = TRY(select(globs, implementations_, place, "implementation"));
    for (const std::size_t i : selected) product.implementations.push_back(implementations_[i]);
    return {};
  }

  std::vector<std::string> axis_or(const std::string& key, const std::string& fallback) const {
    const auto found = matrix_.axes.find(key);
    return found == matrix_.axes.end() ? std::vector<std::string>{fallback} : found->second;
  }

  // --set beats an axis of the same key; several for one key are an axis of their own.
  void add_settings(Product& product) const {
    std::vector<Axis> settings;
    for (const Setting& setting : selection_.settings) {
      const auto same_key = [&](const Axis& axis) { return full_key(axis.key) == full_key(setting.key); };
      std::erase_if(product.axes, same_key);
      const auto known = std::find_if(settings.begin(), settings.end(), same_key);
      Axis& axis = known == settings.end() ? settings.emplace_back(Axis{setting.key, {}}) : *known;
      axis.values.push_back(setting.value);
    }
    product.axes.insert(product.axes.end(), settings.begin(), settings.end());
  }

  Status add_axes_product() {
    // A matrix of includes alone has no product of axes.
    if (matrix_.axes.empty() && !matrix_.includes.empty()) return {};
    Product product;
    const bool own_scenarios = selection_.scenario_globs.empty();
    Status status = select_scenarios(own_scenarios ? axis_or(kScenarioAxis, "*") : selection_.scenario_globs,
                                     own_scenarios ? "/axes/scenario" : "--scenario", product);
    if (!status.ok()) return status;
    const bool own_implementations = selection_.implementation_globs.empty();
    status = select_implementations(
        own_implementations ? axis_or(kImplementationAxis, "*") : selection_.implementation_globs,
        own_implementations ? "/axes/implementation" : "--impl", product);
    if (!status.ok()) return status;
    product.threads = selection_.threads;
    if (product.threads.empty()) {
      for (const std::string& text : axis_or(kThreadsAxis, "1"))
        product.threads.push_back(as_threads(text).value_or(1));
    }
    for (const auto& [key, values] : matrix_.axes) {
      if (!is_own_axis(key)) product.axes.push_back({key, values, place_of("/axes/" + key)});
    }
    add_settings(product);
    return add(product);
  }

  // An include is a product of one value per axis; what it does not name is as in the axes.
  Status add_include(std::size_t index) {
    const std::map<std::string, std::string>& include = matrix_.includes[index];
    const std::string place = "/include/" + std::to_string(index);
    const auto globs = [&](const char* key) {
      const auto found = include.find(key);
      return found == include.end() ? axis_or(key, "*") : std::vector<std::string>{found->second};
    };
    Product product;
    Status status = select_scenarios(globs(kScenarioAxis), place + "/scenario", product);
    if (status.ok()) status = select_implementations(globs(kImplementationAxis), place + "/implementation", product);
    if (!status.ok()) return status;
    if (!selection_.scenario_globs.empty()) {
      std::erase_if(product.scenarios, [&](const KnownScenario* scenario) {
        return !matches_any(selection_.scenario_globs, scenario->name);
      });
    }
    if (!selection_.implementation_globs.empty()) {
      std::erase_if(product.implementations,
                    [&](const std::string& id) { return !matches_any(selection_.implementation_globs, id); });
    }
    product.threads = selection_.threads;
    const auto threads = include.find(kThreadsAxis);
    if (product.threads.empty()) {
      product.threads = {threads == include.end() ? 1 : as_threads(threads->second).value_or(1)};
    }
    for (const auto& [key, value] : include) {
      if (!is_own_axis(key)) product.axes.push_back({key, {value}, place_of(place + "/" + key)});
    }
    add_settings(product);
    return add(product);
  }

  Status add(const Product& product) {
    double count = static_cast<double>(product.scenarios.size() * product.implementations.size()) *
                   static_cast<double>(product.threads.size());
    for (const Axis& axis : product.axes) count *= static_cast<double>(axis.values.size());
    if (count + static_cast<double>(points_.size()) > kMaxPoints) {
      return fault("/axes", "more than a million cells", "fewer");
    }
    if (count == 0) return {};
    for (const KnownScenario* scenario : product.scenarios) add_scenario(product, *scenario);
    return {};
  }

  // Counts through the axes, the last one fastest, then threads, then implementations.
  void add_scenario(const Product& product, const KnownScenario& scenario) {
    std::vector<std::size_t> choice(product.axes.size(), 0);
    while (true) {
      Point point;
      point.scenario = scenario.name;
      point.scenario_file = scenario.file;
      for (std::size_t i = 0; i < product.axes.size(); ++i) {
        const std::string& key = product.axes[i].key;
        const std::string& value = product.axes[i].values[choice[i]];
        if (is_option(key)) {
          point.options[key.substr(std::string(kOptionPrefix).size())] = value;
        } else {
          point.scenario_settings.push_back({key, value, product.axes[i].source});
        }
      }
      for (const int threads : product.threads) {
        point.threads = threads;
        for (const std::string& implementation : product.implementations) {
          point.implementation = implementation;
          add_point(point, scenario.name);
        }
      }
      std::size_t i = choice.size();
      while (i > 0 && ++choice[i - 1] == product.axes[i - 1].values.size()) choice[--i] = 0;
      if (i == 0) return;
    }
  }

  void add_point(const Point& point, const std::string& name) {
    if (is_excluded(point, name)) return;
    std::string identity = name;  // '\n' is in no key: keys and values come from JSON text or an argument
    identity.append("\n").append(point.implementation).append("\n").append(std::to_string(point.threads));
    for (const Setting& setting : point.scenario_settings) {
      identity.append("\n").append(setting.key).append("=").append(setting.value);
    }
    for (const auto& [key, value] : point.options) {
      identity.append("\n").append(kOptionPrefix).append(key).append("=").append(value);
    }
    if (seen_.insert(std::move(identity)).second) points_.push_back(point);
  }

  bool is_excluded(const Point& point, const std::string& name) const {
    return std::any_of(matrix_.excludes.begin(), matrix_.excludes.end(), [&](const auto& exclude) {
      return std::all_of(exclude.begin(), exclude.end(), [&](const auto& member) {
        const std::optional<std::string> value = value_of(point, name, member.first);
        return value && glob_match(member.second, *value);
      });
    });
  }

  static std::optional<std::string> value_of(const Point& point, const std::string& name, const std::string& key) {
    if (key == kScenarioAxis) return name;
    if (key == kImplementationAxis) return point.implementation;
    if (key == kThreadsAxis) return std::to_string(point.threads);
    if (is_option(key)) {
      const auto found = point.options.find(key.substr(std::string(kOptionPrefix).size()));
      return found == point.options.end() ? std::nullopt : std::optional(found->second);
    }
    for (const Setting& setting : point.scenario_settings) {
      if (full_key(setting.key) == full_key(key)) return setting.value;
    }
    return std::nullopt;
  }

  const Matrix& matrix_;
  const Selection& selection_;
  const std::vector<KnownScenario>& scenarios_;
  const std::vector<std::string>& implementations_;
  std::unordered_set<std::string> seen_;
  std::vector<Point> points_;
};

}  // namespace

Result<std::vector<Point>> expand(const Matrix& matrix, const Selection& selection,
                                  const std::vector<KnownScenario>& scenarios,
                                  const std::vector<std::string>& implementations) {
  return Expansion(matrix, selection, scenarios, implementations).run();
}

}  // namespace gdbench::scenario
