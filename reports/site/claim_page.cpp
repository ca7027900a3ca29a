#include <algorithm>
#include <cctype>
#include <utility>

#include "harness/base/text.h"
#include "reports/answers/claim_words.h"
#include "reports/answers/format.h"
#include "reports/site/addresses.h"
#include "reports/site/verdicts.h"

namespace gdbench::site {

namespace {

using answers::counted;
using document::Blocks;
using document::Column;
using document::Columns;
using document::Filter;
using document::left;

// "Depends on the machine: confirmed on 2 machines, refuted on 1 machine.", with the sentence where a question is
// asked.
std::string answer_of(const Claim& claim, const ClaimRow& row) {
  std::string counts;
  for (const report::ClaimVerdict verdict : answers::kVerdictsInOrder) {
    const auto count = std::ranges::count_if(row.speakers, [&](const Entry* entry) {
      return entry != nullptr && judged_by(*entry, claim)->judgement.verdict == verdict;
    });
    if (count > 0) answers::join(counts, cat(report::name_of(verdict), " on ", counted(count, "machine")));
  }
  const std::string about = claim.question.empty() ? "" : cat("\"", claim.sentence, "\" ");
  std::string verdict = row.verdict;
  if (about.empty()) verdict.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(verdict.front())));
  return cat(about, about.empty() ? "" : "is ", verdict, counts.empty() ? "" : ": ", counts, ".");
}

}  // namespace

Page claim_page(const Collection& collection, const ClaimRow& row) {
  const Claim& claim = *row.claim;
  EntryPointers entries;
  for (const Entry& entry : collection.entries) {
    if (judged_by(entry, claim) != nullptr) entries.push_back(&entry);
  }
  Page page{file_of(claim), {.title = claim.question.empty() ? claim.sentence : claim.question}};
  Document& document = page.document;
  document.links = links();
  document.answer = {{answer_of(claim, row)}};
  Columns table = {left("machine"), left("report"), left("day")};
  Column verdict = left("verdict");
  Column versions = left("versions");
  Filter verdicts{"Verdict", {}};
  Filter machines{"Machine", {}};
  for (const Entry* entry : entries) {
    add_row(table, {entry->machine, entry->name, entry->day()});
    table[0].links.push_back(machine_file(entry->machine));
    table[1].links.push_back(file_of(*entry));
    add_verdict(claim, entry, verdict);
    versions.texts.push_back(entry->versions);
    verdicts.values.push_back(verdict.texts.back());
    machines.values.push_back(entry->machine);
  }
  table.insert(table.end(), {std::move(verdict), std::move(versions)});
  document.section("", Blocks().paragraph("from: " + claim.source, document::Style::dim));
  document.section("Where it was measured", Blocks().table("", std::move(table), {verdicts, machines}));
  for (const Entry* entry : entries) {
    Blocks blocks;
    const Document& answer = judged_by(*entry, claim)->answer;
    for (const document::Paragraph& paragraph : answer.answer) blocks.add({paragraph});
    blocks.paragraph(entry->environment, document::Style::dim);
    for (const document::Section& section : answer.sections) {
      Blocks below;
      for (const document::Block& block : section.blocks) below.add(block);
      blocks.fold(section.title, std::move(below), true);
    }
    document.section(section_of(*entry), std::move(blocks));
  }
  document.section("To answer it on another machine", Blocks().command(command_of(claim)));
  return page;
}

}  // namespace gdbench::site
