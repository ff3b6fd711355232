// Compares every model, optimizer and schedule with results of Python's PyTorch (reference.json,
// written by tests/reference/make_reference.py).
#include <gtest/gtest.h>

#include <cmath>

#include "base/file.h"
#include "base/json_object.h"
#include "core/record/classifier_catalog.h"
#include "training/train/models/registry.h"
#include "training/train/models/without_dropout.h"
#include "training/train/optimizer.h"
#include "training/train/schedule.h"

namespace tacho {
namespace {

constexpr std::int64_t kBatch = 8;

struct Case {
  std::string model;
  at::DeviceType device = at::kCPU;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* model : {"mlp", "lenet5", "mnist-cnn", "lstm", "resnet18"}) {
    all.push_back({model, at::kCPU});
    if (torch::cuda::is_available()) all.push_back({model, at::kCUDA});
  }
  return all;
}

const Json& reference() {
  static const Json json = *parse_json(*read_file(TACHO_TRAIN_REFERENCE));
  return json;
}

at::Tensor wave(std::int64_t count, double phase) {
  const at::Tensor values = at::empty({count}, at::kDouble);
  for (std::int64_t i = 0; i < count; ++i) {
    values.data_ptr<double>()[i] = std::sin(0.37 * static_cast<double>(i) + phase);
  }
  return values;
}

// Uniform in [-1, 1), by a hash of the index: required by deep models (see make_reference.py).
at::Tensor noise(std::int64_t count, std::uint64_t seed) {
  const at::Tensor values = at::empty({count}, at::kDouble);
  for (std::int64_t i = 0; i < count; ++i) {
    auto h = static_cast<std::uint32_t>(static_cast<std::uint64_t>(i) + seed * 1000003);
    h = (h ^ (h >> 16U)) * 0x85EBCA6BU;
    h = (h ^ (h >> 13U)) * 0xC2B2AE35U;
    h ^= h >> 16U;
    values.data_ptr<double>()[i] = static_cast<double>(h) / 2147483648.0 - 1;
  }
  return values;
}

bool is_deep(const std::string& name) { return name == "resnet18"; }

void fill_deep(Classifier& model) {
  std::uint64_t position = 0;
  for (const auto& item : model.named_parameters()) {
    at::Tensor parameter = item.value();
    const at::Tensor values = noise(parameter.numel(), position++).view_as(parameter);
    if (parameter.dim() > 1) {
      parameter.copy_(values * std::sqrt(6.0 / static_cast<double>(parameter[0].numel())));
    } else {
      parameter.copy_(values * 0.1 + (item.key().ends_with("weight") ? 1 : 0));
    }
  }
}

void fill(Classifier& model) {
  double position = 0;
  for (const at::Tensor& parameter : model.parameters()) {
    const auto fan = parameter.dim() > 1 ? parameter[0].numel() : parameter.numel();
    parameter.copy_((wave(parameter.numel(), position) / std::sqrt(fan)).view_as(parameter));
    ++position;
  }
}

std::shared_ptr<Classifier> build(const Case& wanted) {
  const std::string& name = wanted.model;
  InputShape shape{.vocabulary = 50, .classes = name == "lstm" ? 2 : 10};
  if (is_deep(name)) shape = {.channels = 3, .height = 64, .width = 64, .classes = 10};
  auto model = *make_model(name, shape);
  const torch::NoGradGuard no_grad;
  is_deep(name) ? fill_deep(*model) : fill(*model);
  model->to(wanted.device);
  train_without_dropout(*model);
  return model;
}

Batch on_host(const std::string& name) {
  Batch batch;
  batch.labels = at::empty({kBatch}, at::kLong);
  auto* labels = batch.labels.data_ptr<std::int64_t>();
  for (std::int64_t n = 0; n < kBatch; ++n) labels[n] = name == "lstm" ? n % 2 : 3 * n % 10;
  if (is_deep(name)) {
    batch.inputs = noise(kBatch * 3 * 64 * 64, 99).view({kBatch, 3, 64, 64}).to(at::kFloat);
    return batch;
  }
  if (name != "lstm") {
    batch.inputs = wave(kBatch * 784, 0.5).view({kBatch, 1, 28, 28}).to(at::kFloat);
    return batch;
  }
  batch.inputs = at::zeros({kBatch, 3 + 2 * (kBatch - 1)}, at::kLong);
  batch.lengths = at::empty({kBatch}, at::kLong);
  for (std::int64_t n = 0; n < kBatch; ++n) {
    batch.lengths.data_ptr<std::int64_t>()[n] = 3 + 2 * n;
    for (std::int64_t t = 0; t < 3 + 2 * n; ++t) batch.inputs[n][t] = 1 + (7 * n + 3 * t) % 49;
  }
  return batch;
}

Batch batch_for(const Case& wanted) {
  Batch batch = on_host(wanted.model);
  batch.inputs = batch.inputs.to(wanted.device);
  batch.labels = batch.labels.to(wanted.device);
  if (batch.lengths.defined()) batch.lengths = batch.lengths.to(wanted.device);
  return batch;
}

at::Tensor loss_of(Classifier& model, const Batch& batch) {
  return at::cross_entropy_loss(model.logits(batch), batch.labels);
}

class AgainstPyTorch : public testing::TestWithParam<Case> {
 protected:
  // Tensor cores round fp32 to 10 bits of mantissa by default.
  void SetUp() override {
    at::globalContext().setAllowTF32CuDNN(false);
    at::globalContext().setAllowTF32CuBLAS(false);
  }
};

// Through twenty layers, a sum in another order, as on another processor or in cuDNN, changes the
// sign of numbers close to 0 before a ReLU: 2e-4 to 4e-4 of a gradient. tests/gpu/compare_models.py
// compares deep models with PyTorch on the same device.
double tolerance_of(const Case& one) { return is_deep(one.model) ? 1e-3 : 1e-4; }

TEST_P(AgainstPyTorch, LogitsLossAndEveryGradientAgree) {
  const Json& expected = reference()["models"][GetParam().model];
  const auto model = build(GetParam());
  EXPECT_EQ(parameter_count(*model), expected["parameters"].get<std::int64_t>());
  const Batch batch = batch_for(GetParam());
  const at::Tensor logits = model->logits(batch).flatten();
  // Rounding errors grow through twenty layers.
  const double tolerance = is_deep(GetParam().model) ? 2e-4 : 1e-5;
  for (std::int64_t i = 0; i < logits.numel(); ++i) {
    EXPECT_NEAR(logits[i].item<float>(),
                expected["logits"][static_cast<std::size_t>(i)].get<double>(), tolerance);
  }
  const at::Tensor loss = loss_of(*model, batch);
  EXPECT_NEAR(loss.item<float>(), expected["loss"].get<double>(), tolerance);
  loss.backward();
  for (const auto& item : model->named_parameters()) {
    const Json& print = expected["gradients"][item.key()];
    const at::Tensor gradient = item.value().grad().flatten().to(at::kCPU, at::kDouble);
    const double norm = print["norm"].get<double>();
    const double most = tolerance_of(GetParam()) * norm;
    EXPECT_NEAR(gradient.norm().item<double>(), norm, most) << item.key();
    const at::Tensor weights = at::sin(0.11 * at::arange(gradient.numel(), at::kDouble));
    EXPECT_NEAR(gradient.dot(weights).item<double>(), print["projection"].get<double>(), most)
        << item.key();
  }
}

struct NamedOptimizer {
  const char* name;
  OptimizerSpec spec;
};

std::vector<NamedOptimizer> optimizers(const std::string& model) {
  using enum OptimizerKind;
  if (is_deep(model)) {
    return {{"sgd-momentum",
             {.kind = sgd, .learning_rate = 5e-4, .momentum = 0.9, .weight_decay = 1e-3}},
            {"adamw", {.kind = adamw, .learning_rate = 2e-5, .weight_decay = 1e-2}}};
  }
  return {
      {"sgd", {.kind = sgd, .learning_rate = 0.05}},
      {"sgd-momentum", {.kind = sgd, .learning_rate = 0.05, .momentum = 0.9, .weight_decay = 1e-3}},
      {"sgd-nesterov", {.kind = sgd, .learning_rate = 0.05, .momentum = 0.9, .nesterov = true}},
      {"adam", {.kind = adam, .learning_rate = 2e-3, .weight_decay = 1e-2}},
      {"adamw", {.kind = adamw, .learning_rate = 2e-3, .weight_decay = 1e-2}},
  };
}

TEST_P(AgainstPyTorch, StepsOfEveryOptimizerGiveTheSameLosses) {
  const Batch batch = batch_for(GetParam());
  for (const NamedOptimizer& kind : optimizers(GetParam().model)) {
    const Json& expected = reference()["models"][GetParam().model]["losses"][kind.name];
    const auto model = build(GetParam());
    Optimizer optimizer(kind.spec, *model);
    for (const Json& loss_then : expected) {
      const at::Tensor loss = loss_of(*model, batch);
      loss.backward();
      optimizer.step(kind.spec.learning_rate);
      const double there = loss_then.get<double>();
      const double most = tolerance_of(GetParam()) * std::max(there, 0.1);
      EXPECT_NEAR(loss.item<float>(), there, most) << kind.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryModel, AgainstPyTorch, testing::ValuesIn(cases()),
                         [](const auto& one) {
                           std::string name = one.param.model;
                           std::erase(name, '-');
                           return name + (one.param.device == at::kCUDA ? "OnCuda" : "");
                         });

TEST(AgainstPyTorchSchedules, TheRateOfEveryStepAgrees) {
  const std::vector<std::pair<const char*, ScheduleSpec>> kinds = {
      {"step", {.kind = ScheduleKind::step, .step_epochs = 2, .step_factor = 0.3}},
      {"cosine", {.kind = ScheduleKind::cosine}},
      {"one-cycle", {.kind = ScheduleKind::one_cycle}},
  };
  for (const auto& [name, schedule] : kinds) {
    const Json& expected = reference()["schedules"][name];
    ASSERT_EQ(expected.size(), 100U);
    for (std::int64_t step = 0; step < 100; ++step) {
      EXPECT_NEAR(learning_rate_at(schedule, 0.4, step, 10, 100),
                  expected[static_cast<std::size_t>(step)].get<double>(), 1e-9)
          << name << " step " << step;
    }
  }
}

// The published models are tested in models_test.cpp.
TEST(Registry, BuildsEverySmallModelOfTheCatalog) {
  for (const ModelInfo& info : classifier_catalog()) {
    if (info.sample.height >= 224 || info.tokens == TokenKind::wordpiece) continue;
    EXPECT_TRUE(make_model(info.name, {.vocabulary = 10}).ok()) << info.name;
  }
}

TEST(Registry, RefusesImagesTooSmallForTheLayers) {
  const auto made = make_model("lenet5", {.height = 8, .width = 8});
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message.find("at least 12x12"), std::string::npos);
}

}  // namespace
}  // namespace tacho
