#include "harness/measure/eligibility.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace gdbench::measure {
namespace {

using protocol::ImplementationDescription;
using protocol::OptionType;

ImplementationDescription able_implementation() {
  ImplementationDescription implementation;
  implementation.id = "able/one";
  implementation.tasks = {"train"};
  implementation.dtypes = {"f32", "f64"};
  implementation.activations = {"identity", "relu"};
  implementation.losses = {"mse", "half_mse"};
  implementation.optimizers = {"sgd"};
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

TEST(ReasonUnsupported, IsEmptyForWhatIsOffered) {
  EXPECT_EQ(reason_unsupported(able_implementation(), two_layers(), true, false, 2), "");
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

TEST(ReasonUnsupported, NamesWhatTheImplementationLacks) {
  const auto reason = [](const std::function<void(ImplementationDescription&)>& change, int threads = 1) {
    ImplementationDescription implementation = able_implementation();
    change(implementation);
    return reason_unsupported(implementation, two_layers(), true, false, threads);
  };
  EXPECT_EQ(reason([](auto& able) { able.tasks = {"floor"}; }), "able/one has no task train");
  EXPECT_EQ(reason([](auto& able) { able.dtypes = {"f64"}; }), "able/one has no f32");
  EXPECT_EQ(reason([](auto& able) { able.losses = {"half_mse"}; }), "able/one has no loss mse");
  EXPECT_EQ(reason([](auto& able) { able.optimizers = {"adam"}; }), "able/one has no optimizer sgd");
  EXPECT_EQ(reason([](auto& able) { able.activations = {"identity"}; }), "able/one has no activation relu");
  EXPECT_EQ(reason([](auto& able) { able.max_layers = 1; }), "able/one has at most 1 layer(s), the model has 2");
  EXPECT_EQ(reason([](auto& able) { able.max_layers = 0; }), "");  // any number
  EXPECT_EQ(reason([](auto& able) { able.capabilities = {"schedule"}; }), "able/one cannot follow shuffled batches");
  EXPECT_EQ(reason([](auto& able) { able.capabilities = {"shuffle"}; }), "able/one has no learning-rate schedule");
  EXPECT_EQ(reason([](auto&) {}, 3), "able/one has at most 2 compute thread(s)");
  EXPECT_EQ(reason([](auto& able) { able.max_compute_threads = 0; }, 300), "");
}

TEST(ReasonUnsupported, NamesWhatThisProblemNeedsBesides) {
  scenario::Problem problem = two_layers();
  problem.optimizer.weight_decay = 0.1;
  EXPECT_EQ(reason_unsupported(able_implementation(), problem, true, false, 1), "able/one has no weight decay");
  problem = two_layers();
  problem.micro_batches = 2;
  EXPECT_EQ(reason_unsupported(able_implementation(), problem, true, false, 1),
            "able/one does not accumulate gradients over micro-batches");
}

TEST(ReasonUnsupported, AsksForNoMoreThanTheProblemNeeds) {
  ImplementationDescription plain = able_implementation();
  plain.capabilities = {};
  scenario::Problem problem = two_layers();
  problem.optimizer.learning_rates = {0.1};
  EXPECT_EQ(reason_unsupported(plain, problem, false, false, 1), "");
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

TEST_F(Options, HaveTheirDefaults) {
  const auto options = resolve_options(implementation_, {});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options.value(),
            (std::map<std::string, std::string>{
                {"fast", "false"}, {"tile", "8"}, {"share", "0.5"}, {"mode", "a"}, {"name", ""}, {"parts", "all"}}));
}

TEST_F(Options, TakeWhatIsWantedAndDeclared) {
  const auto options = resolve_options(
      implementation_,
      {{"fast", "true"}, {"tile", "-3"}, {"share", "1e-3"}, {"mode", "b"}, {"name", "any text"}, {"other", "1"}});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->at("tile"), "-3");
  EXPECT_EQ(options->at("name"), "any text");
  EXPECT_FALSE(options->contains("other"));
}

TEST_F(Options, RefuseWhatTheirTypeDoesNotAllow) {
  const auto error = [&](const std::string& key, const std::string& value) {
    const auto options = resolve_options(implementation_, {{key, value}});
    EXPECT_FALSE(options.ok()) << key << "=" << value;
    if (options.ok()) return std::string();
    EXPECT_EQ(options.error().kind, ErrorKind::usage);
    return options.error().message;
  };
  EXPECT_EQ(error("fast", "yes"), "impl.fast: found \"yes\", expected true or false");
  EXPECT_EQ(error("tile", "8.5"), "impl.tile: found \"8.5\", expected an integer");
  EXPECT_EQ(error("tile", ""), "impl.tile: found \"\", expected an integer");
  EXPECT_EQ(error("tile", "99999999999999999999"), "impl.tile: found \"99999999999999999999\", expected an integer");
  EXPECT_EQ(error("share", "half"), "impl.share: found \"half\", expected a number");
  EXPECT_EQ(error("mode", "c"), "impl.mode: found \"c\", expected one of a, b");
  EXPECT_EQ(error("parts", "-c,e"),
            "impl.parts: found \"-c,e\", expected all, none, or -NAME or +NAME, separated by commas, with NAME one of "
            "c, d");
}

}  // namespace
}  // namespace gdbench::measure
