#include "harness/scenario/expand.h"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "harness/base/text.h"
#include "harness/scenario/settings.h"

namespace gdbench::scenario {

namespace {

// A run of more cells takes days, and a matrix of a few kilobytes must not take gigabytes.
constexpr double kMaxPoints = 1e5;
constexpr double kMaxSettings = 1e6;

struct Axis {
  std::string key;
  std::vector<std::string> values;
  std::string source{};  // as Setting::source

  bool has_alternatives() const { return source.empty() && values.size() > 1; }
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

class Expansion {
 public:
  Expansion(const Matrix& matrix, const Selection& selection, const std::vector<KnownScenario>& scenarios,
            const std::vector<KnownImplementation>& implementations)
      : matrix_(matrix), selection_(selection), scenarios_(scenarios), implementations_(implementations) {}

  Result<std::vector<Point>> run() {
    for (const Setting& setting : selection_.settings) {
      if (!is_own_axis(setting.key)) continue;
      return usage_error("--set " + setting.key + ": found an axis of matrices, expected a key of scenarios or " +
                         kOptionPrefix + "KEY");
    }
    // A matrix of includes alone has no product of axes.
    if (!matrix_.axes.empty() || matrix_.includes.empty()) TRY(add_product(matrix_.axes, "/axes", false));
    for (std::size_t i = 0; i < matrix_.includes.size(); ++i) {
      TRY(add_product(matrix_.includes[i], "/include/" + std::to_string(i), true));
    }
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

  // What a name is and what globs that select it contain; mostly nothing. Globs without an environment match in each.
  struct Name {
    std::string text;
    std::string mark{};

    bool matches(const std::string& glob) const {
      return glob_match(glob, text) || glob_match(glob, without_environment(text));
    }
    bool matches_any(const std::vector<std::string>& globs) const {
      return std::ranges::any_of(globs, [this](const std::string& glob) { return matches(glob); });
    }
  };

  static Name name_of(const KnownImplementation& known) {
    if (!known.has_ranks) return {known.id};
    const std::string id = without_environment(known.id);
    const std::size_t policy = id.find('+');
    return {known.id, id.substr(policy != std::string::npos ? policy : std::min(id.find('/'), id.size()))};
  }

  // The names that the globs match, in the globs' order. A glob that matches nothing is a fault.
  Result<std::vector<std::size_t>> select(const std::vector<std::string>& globs, const std::vector<Name>& known,
                                          const std::string& place, const std::string& what) const {
    std::vector<std::string> names;
    for (const Name& name : known) names.push_back(name.text);
    std::vector<std::size_t> selected;
    std::vector<char> taken(names.size(), 0);
    for (const std::string& glob : globs) {
      bool matched = false;
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (!known[i].matches(glob) || glob.find(known[i].mark) == std::string::npos) continue;
        matched = true;
        if (taken[i] == 0) selected.push_back(i);
        taken[i] = 1;
      }
      if (!matched) {
        return fault(place, in_quotes(glob) + ", which no " + what + " matches",
                     names.empty() ? "some " + what + ", but there are none" : one_of(glob, names));
      }
    }
    return selected;
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

  // The product of the axes at `place`. Globs of the command line replace those of the matrix's own axes; of an
  // include, whose scenarios and implementations are the axes' unless it names others, they leave what they match.
  Status add_product(const Values& own, const std::string& place, bool is_include) {
    const auto globs_of = [&](const std::string& key) {
      for (const Values* values : {&own, &matrix_.axes}) {
        if (const auto found = values->find(key); found != values->end()) return found->second;
      }
      return std::vector<std::string>{"*"};
    };
    const auto choose = [&](const std::string& key, const std::string& option, const Globs& globs,
                            const std::vector<Name>& names) -> Result<std::vector<std::size_t>> {
      const bool replaced = !is_include && !globs.wanted.empty();
      std::vector<std::size_t> chosen =
          TRY(select(replaced ? globs.wanted : globs_of(key), names, replaced ? option : place + "/" + key, key));
      // A misspelt one would leave out nothing.
      TRY(select(globs.unwanted, names, key == kImplementationAxis ? "--exclude" : option, key));
      std::erase_if(chosen, [&](std::size_t i) {
        return (!globs.wanted.empty() && !names[i].matches_any(globs.wanted)) || names[i].matches_any(globs.unwanted);
      });
      return chosen;
    };
    std::vector<Name> scenarios;
    for (const KnownScenario& scenario : scenarios_) scenarios.push_back({scenario.name});
    std::vector<Name> implementations;
    for (const KnownImplementation& known : implementations_) implementations.push_back(name_of(known));
    Product product;
    for (const std::size_t i : TRY(choose(kScenarioAxis, "--scenario", selection_.scenarios, scenarios))) {
      product.scenarios.push_back(&scenarios_[i]);
    }
    for (const std::size_t i :
         TRY(choose(kImplementationAxis, "--impl", selection_.implementations, implementations))) {
      product.implementations.push_back(implementations_[i].id);
    }
    product.threads = selection_.threads;
    if (product.threads.empty()) {
      const auto threads = own.find(kThreadsAxis);
      for (const std::string& text : threads == own.end() ? std::vector<std::string>{"1"} : threads->second) {
        const std::vector<int> counts = as_threads(text, selection_.processors).value_or(std::vector{1});
        product.threads.insert(product.threads.end(), counts.begin(), counts.end());
      }
    }
    for (const auto& [key, values] : own) {
      if (!is_own_axis(key)) product.axes.push_back({key, values, place_of(place + "/" + key)});
    }
    add_settings(product);
    return add(product);
  }

  Status add(const Product& product) {
    double count = static_cast<double>(product.scenarios.size() * product.implementations.size()) *
                   static_cast<double>(product.threads.size());
    for (const Axis& axis : product.axes) count *= static_cast<double>(axis.values.size());
    if (count + static_cast<double>(points_.size()) > kMaxPoints) {
      return fault("/axes", "more than 100,000 cells", "fewer");
    }
    setting_count_ += count * static_cast<double>(product.axes.size());
    if (setting_count_ > kMaxSettings) {
      return fault("/axes", "more than a million settings of all cells together", "fewer");
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
          if (product.axes[i].has_alternatives()) point.alternatives[key] = value;
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
        return value && glob_match(member.second.front(), *value);
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
  const std::vector<KnownImplementation>& implementations_;
  std::unordered_set<std::string> seen_;
  std::vector<Point> points_;
  double setting_count_ = 0;  // of the products so far
};

}  // namespace

std::string base_of(const Point& point) {
  std::string base = point.scenario_file.string();  // '\n' is in no key
  for (const Setting& setting : point.scenario_settings) {
    if (!point.alternatives.contains(setting.key)) base += "\n" + setting.key + "=" + setting.value;
  }
  return base;
}

Result<std::vector<Point>> expand(const Matrix& matrix, const Selection& selection,
                                  const std::vector<KnownScenario>& scenarios,
                                  const std::vector<KnownImplementation>& implementations) {
  return Expansion(matrix, selection, scenarios, implementations).run();
}

}  // namespace gdbench::scenario
