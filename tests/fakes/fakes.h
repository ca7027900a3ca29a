// Plugins that are fake_core's regression except for one fault each, out of a table: fake_entry.cpp is built once for
// each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "fake_core.h"

struct Fake {
  std::string_view name;  // of its library, behind fake_
  const char* id;
  const char* description;
  gdbench_status (*run)(gdbench_instance* instance, std::uint64_t steps) = fake_run;
  gdbench_status (*prepare)(gdbench_instance* instance, const gdbench_problem* problem,
                            const gdbench_settings* settings) = fake_prepare;
  void (*change)(gdbench_implementation& fake) = nullptr;  // of the rest
};

template <std::size_t count>
gdbench_plugin* plugin_of(const Fake (&fakes)[count], std::string_view name, const gdbench_host* host) {
  const Fake& chosen = *std::ranges::find(fakes, name, &Fake::name);
  gdbench_implementation* const fake = fake_implementation(host, chosen.id, chosen.description);
  fake->run = chosen.run;
  fake->prepare = chosen.prepare;
  if (chosen.change != nullptr) chosen.change(*fake);
  return fake_plugin();
}

// Calls act(value) for each option of a key that has one.
template <class Act>
void with_option(const gdbench_settings* settings, std::string_view key, const Act& act) {
  for (std::int64_t i = 0; i < settings->option_count; ++i) {
    if (settings->options[i].key == key) act(settings->options[i].value);
  }
}

// Of the table's row of that name.
gdbench_plugin* make_fake(std::string_view name, const gdbench_host* host);
