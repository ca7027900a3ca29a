// Judged claims in words and tables.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "harness/report/claim_judgement.h"
#include "reports/document/document.h"

namespace gdbench::answers {

inline constexpr std::array kVerdictsInOrder = {report::ClaimVerdict::confirmed, report::ClaimVerdict::refuted,
                                                report::ClaimVerdict::inconclusive, report::ClaimVerdict::not_run};

// "4 claims: 2 confirmed, 1 refuted, 1 not run".
std::string claim_counts_words(const std::vector<report::ClaimJudgement>& judgements);

// Whether anything of the claim was measured, or of one of its relations.
bool was_run(const report::ClaimJudgement& judgement);
bool was_run(const report::JudgedRelation& relation);

// "2.10x [1.90, 2.40]"; a saving "40% [38, 42]"; a count has no interval. Empty where a point was not run.
std::string figure_words(const report::ClaimRelation& relation, const report::JudgedPoint& point);

// "time of a step, x/y over x/z: at least 6x, everywhere".
std::string relation_words(const report::ClaimRelation& relation);

// Of every point that was measured, of a to b: where none of them decides, they are all that there is.
std::vector<double> measured_ratios(const report::JudgedRelation& relation);
// "1.10x to 3.12x at 3 measured points"; empty where there are none.
std::string measured_words(const report::JudgedRelation& relation);

// "batch=1, rows=30".
std::string place_words(const report::Settings& at);

// What the verdict rests on, in a line: a figure with its interval, where it was measured, where it flips, and what is
// faster; or why there is none and what it would take.
std::string verdict_words(const report::ClaimJudgement& judgement);

// "True here: time of a step of x/y over that of x/z is 9.1x [7.8, 10.1] at batch=1 (claimed: at least 6x).": the
// verdict with the words above; or why there is none.
std::string answer_words(const report::ClaimJudgement& judgement);

// "Put the step into tf.function: time of a step of x/function over that of x/eager is 0.12x [0.10, 0.14] at batch=1,
// 0.80x [0.77, 0.83] at batch=1000." Of a relation that is advice.
std::string advice_words(const report::JudgedRelation& relation);

// The relation's points, a row each.
document::Columns point_table(const report::JudgedRelation& relation);

// Relation after relation, what was measured and what that says of it.
document::Blocks claim_evidence(const report::ClaimJudgement& judgement);

// "Flips between batch=32, where it holds, and batch=256, where it does not."; then each reason why points were not
// run, once, with their number.
std::vector<std::string> sentences_about(const report::JudgedRelation& relation);

// What figures and verdicts mean.
std::vector<std::string> claim_legend();

}  // namespace gdbench::answers
