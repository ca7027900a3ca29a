// Time to the scenario's target loss, as a table and sentences that the console and Markdown share.
#pragma once

#include <string>
#include <vector>

#include "reports/answers/table.h"

namespace gdbench::answers {

// "time to target: loss 0.01, ...". Empty where no cell trained to the target.
std::string target_title(const ScenarioTable& table);

// A row for every cell that reached the target, the first to do so at the top.
Columns target_table(const ScenarioTable& table);

// How the other trainings ended, one sentence each, and who reaches the target first where that is not who is fastest
// per step.
std::vector<std::string> target_sentences(const ScenarioTable& table);

// That sentence; empty unless another one than the fastest per step surely reaches the target first.
std::string target_first_words(const ScenarioTable& table);

}  // namespace gdbench::answers
