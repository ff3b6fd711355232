#include "training/train/adapters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/file.h"
#include "training/train/models/registry.h"
#include "training/train/optimizer.h"
#include "training/train/safetensors.h"
#include "training/train/serving/export_weights.h"
#include "training/train/training_session.h"
#include "training/train/weights.h"

namespace tacho {
namespace {

using testing::ElementsAre;

std::shared_ptr<Classifier> tiny_decoder(const std::string& name) {
  InputShape shape = default_shape(**find_model(name));
  shape.vocabulary = shape.classes = 50;
  shape.length = 16;
  const bool llama = name.starts_with("llama");
  shape.decoder = {.layers = 2, .width = 32, .heads = 4, .kv_heads = llama ? 2 : 4, .inner = 64};
  torch::manual_seed(3);
  auto model = *make_model(name, shape);
  model->eval();
  return model;
}

RunSpec with_rank(std::int64_t rank) {
  RunSpec spec;
  spec.lora_rank = rank;
  return spec;
}

Batch some_tokens() {
  torch::manual_seed(5);
  Batch batch;
  batch.inputs = at::randint(50, {2, 10}, at::kLong);
  batch.labels = at::randint(50, {20}, at::kLong);
  return batch;
}

// Without adapters nothing is drawn, so the weights are those of tiny_decoder().
void draw_adapters(torch::nn::Module& model) {
  const torch::NoGradGuard no_grad;
  for (const auto& item : model.named_parameters()) {
    if (item.key().ends_with("lora_B.weight")) item.value().normal_(0, 0.1);
  }
}

std::vector<std::string> trained_names(const torch::nn::Module& model) {
  std::vector<std::string> names;
  for (const auto& item : model.named_parameters()) {
    if (item.value().requires_grad()) names.push_back(item.key());
  }
  return names;
}

class Adapters : public testing::TestWithParam<const char*> {};

TEST_P(Adapters, ChangeNothingAtFirst) {
  const Batch batch = some_tokens();
  const at::Tensor plain = tiny_decoder(GetParam())->logits(batch);
  const auto model = tiny_decoder(GetParam());
  ASSERT_TRUE(add_adapters(*model, with_rank(4)).ok());
  EXPECT_TRUE(at::equal(model->logits(batch), plain));
}

TEST_P(Adapters, AloneAreTrained) {
  const Batch batch = some_tokens();
  const auto model = tiny_decoder(GetParam());
  ASSERT_TRUE(add_adapters(*model, with_rank(4)).ok());
  std::map<std::string, at::Tensor> before;
  for (const auto& item : model->named_parameters()) before[item.key()] = item.value().clone();
  Optimizer optimizer({.kind = OptimizerKind::adamw, .weight_decay = 0.1}, *model);
  for (int step = 0; step < 3; ++step) {
    at::cross_entropy_loss(model->logits(batch), batch.labels).backward();
    optimizer.step(1e-2);
  }
  std::size_t adapters = 0;
  for (const auto& item : model->named_parameters()) {
    const bool adapter = item.key().find(".lora_") != std::string::npos;
    EXPECT_NE(at::equal(item.value(), before[item.key()]), adapter) << item.key();
    adapters += adapter ? 1 : 0;
  }
  EXPECT_EQ(trained_names(*model).size(), adapters);
  EXPECT_EQ(optimizer.state().size(), 2 * adapters);  // two moments each
}

TEST_P(Adapters, MergedIntoTheWeightsGiveTheSame) {
  const Batch batch = some_tokens();
  const auto model = tiny_decoder(GetParam());
  const auto names = model->named_parameters().keys();
  const at::Tensor plain = model->logits(batch);
  ASSERT_TRUE(add_adapters(*model, with_rank(4)).ok());
  draw_adapters(*model);
  const at::Tensor beside = model->logits(batch);
  merge_adapters(*model);
  EXPECT_EQ(model->named_parameters().keys(), names);
  EXPECT_TRUE(at::allclose(model->logits(batch), beside, 1e-5, 1e-6));
  EXPECT_FALSE(at::allclose(beside, plain, 1e-2, 1e-2));
}

INSTANTIATE_TEST_SUITE_P(Both, Adapters, testing::Values("gpt2", "llama-125m"),
                         [](const auto& one) { return one.index == 0 ? "gpt2" : "llama"; });

TEST(AdaptedLayers, AreThoseOfPeftUnlessNamed) {
  const auto gpt2 = tiny_decoder("gpt2");
  ASSERT_TRUE(add_adapters(*gpt2, with_rank(2)).ok());
  EXPECT_THAT(trained_names(*gpt2), ElementsAre("transformer.h.0.attn.c_attn.lora_A.weight",
                                                "transformer.h.0.attn.c_attn.lora_B.weight",
                                                "transformer.h.1.attn.c_attn.lora_A.weight",
                                                "transformer.h.1.attn.c_attn.lora_B.weight"));
  const auto llama = tiny_decoder("llama-125m");
  ASSERT_TRUE(add_adapters(*llama, with_rank(2)).ok());
  EXPECT_EQ(trained_names(*llama).size(), 8U);
  EXPECT_EQ(trained_names(*llama)[2], "model.layers.0.self_attn.v_proj.lora_A.weight");

  const auto named = tiny_decoder("gpt2");
  RunSpec spec = with_rank(2);
  spec.lora_layers = {"mlp.c_proj", "transformer.h.1.mlp.c_fc"};
  ASSERT_TRUE(add_adapters(*named, spec).ok());
  EXPECT_EQ(trained_names(*named).size(), 6U);
  EXPECT_EQ(trained_names(*named)[0], "transformer.h.0.mlp.c_proj.lora_A.weight");
}

TEST(AdaptedLayers, ThatTheModelDoesNotHaveAreRefused) {
  const auto model = tiny_decoder("gpt2");
  RunSpec spec = with_rank(2);
  spec.lora_layers = {"c_attn", "proj"};
  EXPECT_EQ(add_adapters(*model, spec).error().message,
            "--lora-layers: no layer's name is or ends with 'proj'; the model has "
            "transformer.h.0.attn.c_attn, transformer.h.0.attn.c_proj, transformer.h.0.mlp.c_fc, "
            "transformer.h.0.mlp.c_proj, transformer.h.1.attn.c_attn and 3 more");
  EXPECT_EQ(trained_names(*model).size(), model->parameters().size());
}

TEST(AdaptedLayers, AreScaledByAlphaOverTheRank) {
  const Batch batch = some_tokens();
  const auto logits = [&batch](std::optional<double> alpha) {
    const auto model = tiny_decoder("gpt2");
    RunSpec spec = with_rank(4);
    spec.lora_alpha = alpha;
    EXPECT_TRUE(add_adapters(*model, spec).ok());
    draw_adapters(*model);
    return model->logits(batch);
  };
  EXPECT_TRUE(at::equal(logits(8), logits({})));
  EXPECT_FALSE(at::equal(logits(4), logits({})));
}

// A Kaiming-uniform draw with a = √5 is uniform within 1 / √inputs.
TEST(AdaptedLayers, AreDrawnLikePefts) {
  const auto model = tiny_decoder("gpt2");
  ASSERT_TRUE(add_adapters(*model, with_rank(16)).ok());
  const auto parameters = model->named_parameters();
  const at::Tensor a = parameters["transformer.h.0.attn.c_attn.lora_A.weight"];
  EXPECT_EQ(a.sizes(), (std::vector<std::int64_t>{16, 32}));
  EXPECT_NEAR(a.abs().max().item<double>(), 1 / std::sqrt(32), 0.01);
  EXPECT_NEAR(a.std().item<double>(), 1 / std::sqrt(3 * 32), 0.01);
  EXPECT_EQ(parameters["transformer.h.0.attn.c_attn.lora_B.weight"].abs().max().item<float>(), 0);
}

// A run on a short text.
RunSpec text_spec(const std::filesystem::path& folder) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "all work and no play; ";
  EXPECT_TRUE(write_file_atomically(folder / "text.txt", text).ok());
  RunSpec spec;
  spec.model = "gpt2";
  spec.data = "text";
  spec.data_folder = (folder / "text.txt").string();
  spec.tokens = TextTokens::characters;
  spec.layers = 2;
  spec.width = 32;
  spec.heads = 4;
  spec.length = 16;
  spec.batch = 16;
  spec.epochs = 1;
  spec.threads = 1;
  spec.optimizer = {.kind = OptimizerKind::adamw, .learning_rate = 1e-2, .weight_decay = 0.1};
  return spec;
}

struct TrainedBase {
  TrainedBase() : session(text_spec(texts.path())) { EXPECT_TRUE(session.run().ok()); }
  [[nodiscard]] RunSpec adapted() const {
    RunSpec spec = session.order.spec;
    spec.weights = (session.folder.checkpoints() / checkpoint_name(1)).string();
    spec.vocabulary = session.folder.tokenizer().string();
    spec.lora_rank = 4;
    spec.epochs = 3;
    return spec;
  }
  ScratchFolder texts;
  Session session;
};

TEST(AdaptedRun, ResumesAsIfItHadNeverStopped) {
  const TrainedBase base;
  expect_resume_equals_uninterrupted(base.adapted());
}

TEST(AdaptedRun, IsExportedWithMergedWeights) {
  const TrainedBase base;
  Session session(base.adapted());
  const auto end = session.run();
  ASSERT_TRUE(end.ok()) << end.error().message;
  ASSERT_TRUE(session.folder.create(session.order).ok());
  const auto file = session.scratch.path() / "model.safetensors";
  const auto written = export_weights(session.folder, CheckpointKind::last, file);
  ASSERT_TRUE(written.ok()) << written.error().message;

  const TensorFile given = *read_safetensors(base.adapted().weights);
  const TensorFile exported = *read_safetensors(file);
  std::size_t changed = 0;
  for (const auto& [name, tensor] : exported.tensors) {
    const at::Tensor* before = given.find("model." + name);
    ASSERT_NE(before, nullptr) << name;
    const bool adapted = name.ends_with("c_attn.weight");
    EXPECT_NE(at::equal(tensor, *before), adapted) << name;
    changed += adapted ? 1 : 0;
  }
  EXPECT_EQ(changed, 2U);

  RunSpec spec = base.session.order.spec;
  spec.vocabulary = base.adapted().vocabulary;
  spec.weights = file.string();
  spec.optimizer = {.learning_rate = 1e-12};  // changes nothing
  Session again(spec);
  ASSERT_TRUE(again.run().ok());
  EXPECT_NEAR(again.record().epochs[0].eval_loss, session.record().epochs[2].eval_loss, 1e-5);
  EXPECT_LT(again.record().epochs[0].eval_loss, base.session.record().epochs[0].eval_loss);
}

}  // namespace
}  // namespace tacho
