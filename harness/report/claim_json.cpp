#include <nlohmann/json.hpp>

#include "harness/report/claim_judgement.h"
#include "harness/report/fields.h"

namespace gdbench::report {

namespace {

OrderedJson json_of(const Settings& settings) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [key, value] : settings) json[key] = value;
  return json;
}

OrderedJson json_of(const ClaimRelation& relation) {
  OrderedJson json = OrderedJson::object();
  json["kind"] = name_of(relation.kind);
  json["quantity"] = name_of(relation.quantity);
  json["a"] = json_of(relation.a);
  json["b"] = json_of(relation.b);
  if (relation.at_least) json["at_least"] = *relation.at_least;
  if (relation.at_most) json["at_most"] = *relation.at_most;
  json["points"] = name_of(relation.rule);
  json["decides"] = relation.decides;
  if (!relation.along.empty()) json["along"] = relation.along;
  return json;
}

OrderedJson json_of(const JudgedPoint& point) {
  OrderedJson json = OrderedJson::object();
  json["at"] = json_of(point.at);
  json["a"] = point.a;
  json["b"] = point.b;
  json["decides"] = point.decides;
  json["state"] = name_of(point.state);
  if (point.ratio) {
    json["ratio"] = RecordWriter::encode(*point.ratio);
    json["position"] = stats::name_of(point.position);
  }
  if (!point.remark.empty()) json["remark"] = point.remark;
  if (point.needed_launches > 0) json["needed_launches"] = point.needed_launches;
  return json;
}

OrderedJson json_of(const Flip& flip) {
  return {{"at", json_of(flip.at)},
          {"axis", flip.axis},
          {"from", flip.from},
          {"to", flip.to},
          {"holds_at_from", flip.holds_at_from}};
}

OrderedJson json_of(const JudgedRelation& judged) {
  OrderedJson json = json_of(judged.relation);
  json["verdict"] = name_of(judged.verdict);
  if (judged.deciding) json["deciding_point"] = *judged.deciding;
  json["judged"] = OrderedJson::array();
  for (const JudgedPoint& point : judged.points) json["judged"].push_back(json_of(point));
  json["flips"] = OrderedJson::array();
  for (const Flip& flip : judged.flips) json["flips"].push_back(json_of(flip));
  return json;
}

OrderedJson json_of(const ClaimJudgement& judgement) {
  OrderedJson json = OrderedJson::object();
  json["id"] = judgement.id;
  json["sentence"] = judgement.sentence;
  json["source"] = judgement.source;
  json["verdict"] = name_of(judgement.verdict);
  json["deciding_relation"] = judgement.deciding;
  if (judgement.needed_launches > 0) {
    json["needed"] = {{"launches", judgement.needed_launches}, {"seconds", judgement.needed_seconds}};
  }
  json["relations"] = OrderedJson::array();
  for (const JudgedRelation& relation : judgement.relations) json["relations"].push_back(json_of(relation));
  return json;
}

}  // namespace

OrderedJson to_ordered_json(const std::vector<ClaimJudgement>& judgements) {
  OrderedJson json = OrderedJson::object();
  json["schema"] = "gdbench-claims";
  json["schema_version"] = {{"major", 1}, {"minor", 0}};
  json["claims"] = OrderedJson::array();
  for (const ClaimJudgement& judgement : judgements) json["claims"].push_back(json_of(judgement));
  return json;
}

}  // namespace gdbench::report
