#include "training/train/fine_tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/record/classifier_catalog.h"
#include "training/train/best_epoch.h"
#include "training/train/models/registry.h"
#include "training/train/weight_average.h"

namespace tacho {
namespace {

using testing::HasSubstr;

bool is_trained(const torch::nn::Module& model, const std::string& name) {
  return model.named_parameters()[name].requires_grad();
}

TEST(Freeze, FixesParametersByTheBeginningOfTheirNames) {
  const auto model = *make_model("lenet5", {});
  ASSERT_TRUE(freeze(*model, {"conv", "fc1.weight"}).ok());
  EXPECT_FALSE(is_trained(*model, "conv2.bias"));
  EXPECT_FALSE(is_trained(*model, "fc1.weight"));
  EXPECT_TRUE(is_trained(*model, "fc1.bias"));
}

TEST(Freeze, NamesParametersIfNoneFits) {
  const auto model = *make_model("lenet5", {});
  EXPECT_EQ(freeze(*model, {"conv", "layer1"}).error().message,
            "--freeze: no parameter's name begins with 'layer1'; the model has conv1.weight, "
            "conv1.bias, conv2.weight, conv2.bias, fc1.weight and 5 more");
  const auto nothing_left = freeze(*model, {"conv", "fc"});
  EXPECT_EQ(nothing_left.error().code, ErrorCode::usage);
  EXPECT_THAT(nothing_left.error().message, HasSubstr("no parameter to train"));
}

TEST(Freeze, LeavesFrozenParametersWithoutMoments) {
  const auto model = *make_model("lenet5", {});
  ASSERT_TRUE(freeze(*model, {"conv", "fc1", "fc2"}).ok());
  const Optimizer optimizer({.kind = OptimizerKind::adam}, *model);
  EXPECT_EQ(optimizer.weights().size(), 10U);
  ASSERT_EQ(optimizer.state().size(), 4U);
  EXPECT_EQ(optimizer.state()[0].first, "fc3.weight.first");
}

TEST(Head, IsTheOutputOfEveryModel) {
  for (const ModelInfo& info : classifier_catalog()) {
    const auto model = *make_model(
        info.name, {.channels = 3, .height = 64, .width = 64, .vocabulary = 20, .classes = 7});
    std::size_t outputs = 0;
    for (const auto& item : model->named_parameters()) {
      const bool output = item.key().ends_with("bias") && item.value().size(0) == 7;
      EXPECT_TRUE(!output || is_in_head(info, item.key())) << info.name << " " << item.key();
      outputs += output ? 1 : 0;
    }
    EXPECT_EQ(outputs, 1U) << info.name;
    EXPECT_FALSE(is_in_head(info, model->named_parameters()[0].key())) << info.name;
  }
}

// The head moves as with an optimizer of its rate, all else as with one of the other rate.
class HeadRate : public testing::TestWithParam<OptimizerKind> {};

TEST_P(HeadRate, IsSeparateFromTheOthers) {
  RunSpec spec;
  spec.model = "mlp";
  spec.optimizer = {.kind = GetParam(), .learning_rate = 0.01, .weight_decay = 0.1};
  if (GetParam() == OptimizerKind::sgd) spec.optimizer.momentum = 0.9;
  spec.head_learning_rate = 0.05;
  const auto one_update = [&spec](const Optimizer::Options& options, double rate) {
    torch::manual_seed(4);
    auto model = *make_model("mlp", {});
    Optimizer optimizer(spec.optimizer, *model, options);
    for (const at::Tensor& parameter : model->parameters()) {
      parameter.mutable_grad() = at::ones_like(parameter).mul_(0.1);
    }
    optimizer.step(rate);
    return model;
  };
  const auto both = one_update(optimizer_options(spec), 0.01);
  const auto slow = one_update({}, 0.01);
  const auto fast = one_update({}, 0.05);
  for (const auto& item : both->named_parameters()) {
    const auto& same = item.key().starts_with("fc2.") ? fast : slow;
    const auto& other = item.key().starts_with("fc2.") ? slow : fast;
    EXPECT_TRUE(at::allclose(item.value(), same->named_parameters()[item.key()], 1e-6, 1e-8));
    EXPECT_FALSE(at::allclose(item.value(), other->named_parameters()[item.key()], 1e-6, 1e-8));
  }
}

INSTANTIATE_TEST_SUITE_P(EveryOptimizer, HeadRate,
                         testing::Values(OptimizerKind::sgd, OptimizerKind::adam,
                                         OptimizerKind::adamw),
                         [](const auto& kind) { return std::string(kOptimizers.of(kind.param)); });

TEST(BestEpoch, IsTheFirstOfEqualOnes) {
  BestEpoch best;
  best.add(1, BestBy::top1, 0.5, 2);
  best.add(2, BestBy::top1, 0.5, 1);
  EXPECT_EQ(best.epoch, 1);
  best.add(3, BestBy::top1, 0.6, 3);
  EXPECT_EQ(best.epoch, 3);
}

TEST(BestEpoch, MayBeTheOneWithTheLowestLoss) {
  BestEpoch best;
  best.add(1, BestBy::loss, 0.5, std::nan(""));
  EXPECT_EQ(best.epoch, 0);
  best.add(2, BestBy::loss, 0.9, 2);
  best.add(3, BestBy::loss, 0.1, 1.5);
  best.add(4, BestBy::loss, 0.9, 1.6);
  EXPECT_EQ(best.epoch, 3);
  EXPECT_EQ(best.value, 1.5);
}

TEST(WeightAverage, FollowsTheWeightsAndSwapsWithThem) {
  torch::nn::Linear layer(1, 1);
  const auto set = [&layer](float value) { layer->weight.detach().fill_(value); };
  set(1);
  Optimizer optimizer({}, *layer);
  WeightAverage average(0.9, *layer, optimizer);
  set(2);
  average.add();
  set(5);
  average.add();
  average.swap(optimizer);
  EXPECT_FLOAT_EQ(layer->weight.item<float>(), 0.9F * (0.9F * 1 + 0.1F * 2) + 0.1F * 5);
  EXPECT_EQ(average.other()[0].first, "weight");
  EXPECT_FLOAT_EQ(average.other()[0].second.item<float>(), 5);
  average.swap(optimizer);
  EXPECT_FLOAT_EQ(layer->weight.item<float>(), 5);
}

}  // namespace
}  // namespace tacho
