#include "harness/measure/eligibility.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "harness/base/text.h"

namespace gdbench::measure {
namespace {

using protocol::ImplementationDescription, protocol::OptionDeclaration, protocol::OptionType;

ImplementationDescription able_implementation() {
  ImplementationDescription implementation;
  implementation.id = "able/one";
  implementation.dtypes = {"f32", "f64"};
  implementation.activations = {"identity", "relu"};
  implementation.losses = {"mse", "half_mse"};
  implementation.capabilities = {"shuffle", "schedule"};
  implementation.max_layers = 2;
  implementation.max_compute_threads = 2;
  return implementation;
}

scenario::Problem two_layers() {
  scenario::Problem problem;
  problem.layers = {{3, 4, scenario::Activation::relu, true}, {4, 1, scenario::Activation::identity, true}};
  problem.rows = problem.batch_rows = 10;
  problem.optimizer.learning_rates = {0.1, 0.01};
  return problem;
}

TEST(ReasonUnsupported, NamesThePlaceOfEpsilonThatItHas) {
  using enum catalogue::EpsilonPlace;
  const auto reason = [](const ImplementationDescription& implementation, catalogue::EpsilonPlace place) {
    scenario::Problem problem = two_layers();
    problem.optimizer.kind = catalogue::OptimizerKind::adam;
    problem.optimizer.epsilon_place = place;
    return reason_unsupported(implementation, problem, true, false, 1);
  };
  ImplementationDescription plain = able_implementation();
  plain.optimizers = {"adam"};
  EXPECT_EQ(reason(plain, outside), "");
  EXPECT_EQ(reason(plain, own), "");
  EXPECT_EQ(reason(plain, hat), "able/one has adam with optimizer.epsilon_place=outside alone, not hat");
  ImplementationDescription hatted = plain;
  hatted.epsilon_places = {{"adam", "hat"}, {"rmsprop", "inside"}};
  EXPECT_EQ(reason(hatted, hat), "");
  EXPECT_EQ(reason(hatted, own), "");
  EXPECT_EQ(reason(hatted, outside), "able/one has adam with optimizer.epsilon_place=hat alone, not outside");
  EXPECT_EQ(own_epsilon_place(hatted, catalogue::OptimizerKind::adam), hat);
  EXPECT_EQ(own_epsilon_place(hatted, catalogue::OptimizerKind::nadam), outside);
  plain.capabilities.push_back("epsilon_place");
  EXPECT_EQ(reason(plain, hat), "");
}

struct Unmet {
  std::function<void(ImplementationDescription& able, scenario::Problem& problem)> change;
  const char* lack;  // behind the id; "" where nothing is lacking
  int threads = 1;
  bool is_shuffled = true;
};

TEST(ReasonUnsupported, NamesWhatTheImplementationLacks) {
  const Unmet cases[] = {
      {[](auto&, auto&) {}, "", 2},
      {[](auto& able, auto&) { able.tasks = {"floor"}; }, " has no task train"},
      {[](auto& able, auto&) { able.dtypes = {"f64"}; }, " has no f32"},
      {[](auto& able, auto&) { able.losses = {"half_mse"}; }, " has no loss mse"},
      {[](auto& able, auto&) { able.optimizers = {"adam"}; }, " has no optimizer sgd"},
      {[](auto& able, auto&) { able.activations = {"identity"}; }, " has no activation relu"},
      {[](auto& able, auto&) { able.max_layers = 1; }, " has at most 1 layer(s), the model has 2"},
      {[](auto& able, auto&) { able.max_layers = 0; }, ""},  // any number
      {[](auto& able, auto&) { able.capabilities = {"schedule"}; }, " cannot follow shuffled batches"},
      {[](auto& able, auto&) { able.capabilities = {"shuffle"}; }, " has no learning-rate schedule"},
      {[](auto&, auto&) {}, " has at most 2 compute thread(s)", 3},
      {[](auto& able, auto&) { able.max_compute_threads = 0; }, "", 300},
      {[](auto&, auto& problem) { problem.optimizer.weight_decay = 0.1; }, " has no weight decay"},
      {[](auto&, auto& problem) { problem.micro_batches = 2; }, " does not accumulate gradients over micro-batches"},
      {[](auto&, auto& problem) { problem.drops_last_batch = true; },
       " does not leave out an epoch's smaller last batch"},
      {[](auto& able, auto& problem) {
         able.capabilities = {};
         problem.optimizer.learning_rates = {0.1};
       },
       "", 1, false}};
  for (const auto& [change, lack, threads, is_shuffled] : cases) {
    ImplementationDescription implementation = able_implementation();
    scenario::Problem problem = two_layers();
    change(implementation, problem);
    EXPECT_EQ(reason_unsupported(implementation, problem, is_shuffled, false, threads),
              *lack == '\0' ? "" : std::string("able/one") + lack);
  }
}

class Options : public testing::Test {
 protected:
  Options() {
    implementation_.options = {
        {"fast", OptionType::boolean, "false", {}, ""}, {"tile", OptionType::integer, "8", {}, ""},
        {"share", OptionType::number, "0.5", {}, ""},   {"mode", OptionType::choice, "a", {"a", "b"}, ""},
        {"name", OptionType::string, "", {}, ""},       {"parts", OptionType::switches, "all", {"c", "d"}, ""}};
  }

  ImplementationDescription implementation_ = able_implementation();
};

TEST_F(Options, AreWhatIsWantedAndDeclaredOrTheirDefaults) {
  using Values = std::map<std::string, std::string>;
  const Values all = {{"fast", "true"}, {"tile", "-3"},       {"share", "1e-3"},
                      {"mode", "b"},    {"name", "any text"}, {"parts", "-c"}};
  Values wanted = all;
  wanted["other"] = "1";
  EXPECT_EQ(resolve_options(implementation_, wanted).value(), all);
  EXPECT_EQ(
      resolve_options(implementation_, {}).value(),
      (Values{{"fast", "false"}, {"tile", "8"}, {"share", "0.5"}, {"mode", "a"}, {"name", ""}, {"parts", "all"}}));
}

TEST_F(Options, RefuseWhatTheirTypeDoesNotAllow) {
  struct Wrong {
    std::string key;
    std::string value;
    std::string expected;
  };
  const Wrong cases[] = {{"fast", "yes", "true or false"},
                         {"tile", "8.5", "an integer"},
                         {"tile", "", "an integer"},
                         {"tile", "99999999999999999999", "an integer"},
                         {"share", "half", "a number"},
                         {"mode", "c", "one of a, b"},
                         {"parts", "-c,e", "all, none, or -NAME or +NAME, separated by commas, with NAME one of c, d"}};
  for (const auto& [key, value, expected] : cases) {
    const auto options = resolve_options(implementation_, {{key, value}});
    EXPECT_EQ(options.error().kind, ErrorKind::usage);
    EXPECT_EQ(options.error().message, cat("impl.", key, ": found \"", value, "\", expected ", expected));
  }
}

using On = std::vector<bool>;

const OptionDeclaration kSwitches = {"parts", OptionType::switches, "all", {"a", "b", "c-d"}, ""};

TEST(Switches, WordsApplyInOrder) {
  const std::pair<const char*, On> cases[] = {
      {"", {true, true, true}},           {"all", {true, true, true}},       {"none", {false, false, false}},
      {"-a", {false, true, true}},        {"-a,-c-d", {false, true, false}}, {"none,+b", {false, true, false}},
      {"+b,none", {false, false, false}}, {"-a,+a", {true, true, true}},     {"-a,", {false, true, true}},
  };
  for (const auto& [value, expected] : cases) EXPECT_EQ(parse_switches(kSwitches, value), expected) << value;
  for (const char* wrong : {"a", "-", "+", "-e", "-a,b", "*a", "-a -b", "-none"}) {
    EXPECT_FALSE(parse_switches(kSwitches, wrong)) << wrong;
  }
}

TEST(Switches, OneMoreIsSwitchedOff) {
  for (const char* all : {"all", ""}) EXPECT_EQ(without_switch(all, "a"), "-a") << all;
  for (const char* some : {"-b", "none,+a,+b"}) EXPECT_EQ(without_switch(some, "a"), std::string(some) + ",-a");
}

TEST(Switches, AreFoundAmongTheOptions) {
  protocol::ImplementationDescription implementation;
  implementation.options = {{"tile", OptionType::integer, "8", {}, ""}, {"none", OptionType::switches, "all", {}, ""}};
  EXPECT_EQ(find_switches(implementation), nullptr);  // without names there is nothing to switch
  implementation.options.push_back(kSwitches);
  ASSERT_NE(find_switches(implementation), nullptr);
  EXPECT_EQ(find_switches(implementation)->key, "parts");
}

}  // namespace
}  // namespace gdbench::measure
