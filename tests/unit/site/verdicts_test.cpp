#include "reports/site/verdicts.h"

#include <gtest/gtest.h>

#include "reports/site/addresses.h"

namespace gdbench::site {
namespace {

using report::ClaimVerdict;

Entry entry_of(const std::string& machine, const std::string& started_at, ClaimVerdict verdict) {
  Entry entry;
  entry.machine = machine;
  entry.name = "r-" + started_at;
  entry.run.started_at = started_at;
  Judged judged;
  judged.judgement.verdict = verdict;
  judged.answer.answer = {{"because of " + started_at}};
  entry.claims.emplace("mine", std::move(judged));
  return entry;
}

// By machine, as pages have them.
Collection collection_of(std::vector<Entry> entries) {
  Collection collection;
  collection.claims = {{"mine", "It is so.", "Is it so?", "a page"}};
  collection.entries = std::move(entries);
  return collection;
}

std::string verdict_of(std::vector<Entry> entries) { return rows_of(collection_of(std::move(entries)))[0].verdict; }

TEST(Site, TakesMachinesTogether) {
  const Entry yes = entry_of("a", "1", ClaimVerdict::confirmed);
  const Entry no = entry_of("b", "1", ClaimVerdict::refuted);
  const Entry open = entry_of("c", "1", ClaimVerdict::inconclusive);
  EXPECT_EQ(verdict_of({}), "not measured");
  EXPECT_EQ(verdict_of({yes}), "true");
  EXPECT_EQ(verdict_of({no}), "not true");
  EXPECT_EQ(verdict_of({open}), "not decided");
  EXPECT_EQ(verdict_of({yes, open}), "true");
  EXPECT_EQ(verdict_of({yes, no, open}), "depends on the machine");
}

TEST(Site, TheNewestReportThatDecidesSpeaksForItsMachine) {
  Entry of_nothing;
  of_nothing.machine = "c";
  const Collection collection =
      collection_of({entry_of("a", "1", ClaimVerdict::confirmed), entry_of("a", "2", ClaimVerdict::refuted),
                     entry_of("a", "3", ClaimVerdict::inconclusive), entry_of("b", "1", ClaimVerdict::inconclusive),
                     entry_of("b", "2", ClaimVerdict::inconclusive), of_nothing});
  const ClaimRow row = rows_of(collection)[0];
  ASSERT_EQ(row.speakers.size(), 3);
  EXPECT_EQ(row.speakers[0]->name, "r-2");
  EXPECT_EQ(row.speakers[1]->name, "r-2");
  EXPECT_EQ(row.speakers[2], nullptr);
  EXPECT_EQ(row.verdict, "not true");
  const Page page = claim_page(collection, row);
  EXPECT_EQ(page.document.title, "Is it so?");
  EXPECT_EQ(page.document.answer[0].text,
            "\"It is so.\" is not true: refuted on 1 machine, inconclusive on 1 machine.");
}

TEST(Site, OfReportsThatDecideNothingTheOneOfMostLaunchesSpeaks) {
  const auto of_launches = [](const std::string& started_at, int launches) {
    Entry entry = entry_of("a", started_at, ClaimVerdict::inconclusive);
    report::JudgedPoint point;
    point.ratio.emplace().launches = launches;
    report::JudgedRelation relation;
    relation.points = {report::JudgedPoint(), point};
    relation.deciding = 1;
    entry.claims.at("mine").judgement.relations = {relation};
    return entry;
  };
  const Collection collection = collection_of({of_launches("1", 5), of_launches("2", 9), of_launches("3", 9),
                                               of_launches("4", 2), entry_of("a", "5", ClaimVerdict::inconclusive)});
  EXPECT_EQ(rows_of(collection)[0].speakers[0]->name, "r-3");
}

TEST(Site, AVerdictLeadsToItsAnswer) {
  const Collection collection = collection_of({entry_of("a", "1", ClaimVerdict::confirmed)});
  document::Column column;
  add_verdict(collection.claims[0], collection.entries.data(), column);
  add_verdict(collection.claims[0], nullptr, column);
  EXPECT_EQ(column.texts, (std::vector<std::string>{"confirmed", ""}));
  EXPECT_EQ(column.links, (std::vector<std::string>{"claim-mine.html#on-a-r-1", ""}));
  EXPECT_EQ(column.shades, (std::vector<int>{0, -1}));
}

}  // namespace
}  // namespace gdbench::site
