#include "training/train/models/decoder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "training/train/describe/model_description.h"
#include "training/train/models/registry.h"

namespace tacho {
namespace {

constexpr std::int64_t kVocabulary = 50;

InputShape small_shape(const char* model) {
  InputShape shape = default_shape(**find_model(model));
  shape.vocabulary = shape.classes = kVocabulary;
  shape.length = 16;
  const bool llama = std::string_view(model).starts_with("llama");
  shape.decoder = {.layers = 2, .width = 32, .heads = 4, .kv_heads = llama ? 2 : 4, .inner = 64};
  return shape;
}

std::shared_ptr<Decoder> small_decoder(const char* model) {
  torch::manual_seed(3);
  return std::dynamic_pointer_cast<Decoder>(*make_model(model, small_shape(model)));
}

Batch tokens_of(std::int64_t samples, std::int64_t length) {
  Batch batch;
  batch.inputs = at::randint(kVocabulary, {samples, length}, at::kLong);
  batch.labels = at::randint(kVocabulary, {samples * length}, at::kLong);
  return batch;
}

class Decoders : public testing::TestWithParam<const char*> {};

TEST_P(Decoders, ATokenDoesNotDependOnLaterOnes) {
  const auto model = small_decoder(GetParam());
  model->eval();
  const torch::NoGradGuard no_grad;
  Batch batch = tokens_of(2, 10);
  const at::Tensor all = model->logits(batch).view({2, 10, kVocabulary});
  batch.inputs = batch.inputs.narrow(1, 0, 6).contiguous();
  EXPECT_TRUE(at::allclose(model->logits(batch).view({2, 6, kVocabulary}), all.narrow(1, 0, 6),
                           1e-5, 1e-6));
  batch.inputs.select(1, 0).fill_(7);
  EXPECT_FALSE(at::allclose(model->logits(batch).view({2, 6, kVocabulary}).select(1, 5),
                            all.select(1, 5), 1e-5, 1e-6));
}

TEST_P(Decoders, TokensReadOneByOneGiveTheSame) {
  const auto model = small_decoder(GetParam());
  model->eval();
  const torch::NoGradGuard no_grad;
  const Batch batch = tokens_of(2, 12);
  const at::Tensor all = model->logits(batch).view({2, 12, kVocabulary});
  KeyValueCache cache(12);
  for (std::int64_t row = 0; row < 2; ++row) {
    cache.add_row();
    model->read(batch.inputs[row].narrow(0, 0, 5), cache, row);
  }
  for (std::int64_t i = 5; i < 12; ++i) {
    const at::Tensor last = model->next(batch.inputs.select(1, i), cache);
    EXPECT_TRUE(at::allclose(last, all.select(1, i), 1e-4, 1e-5)) << i;
  }
  EXPECT_THROW((void)model->next(batch.inputs.select(1, 0), cache), c10::Error);
}

// Rows join at different times, are cleared, and leave; each text's logits are those of the text
// alone.
TEST_P(Decoders, TextsOfDifferentLengthsAreReadTogether) {
  const auto model = small_decoder(GetParam());
  model->eval();
  const torch::NoGradGuard no_grad;
  const at::Tensor texts = tokens_of(4, 16).inputs;
  KeyValueCache cache(16);
  std::vector<std::int64_t> in_row;  // numbers of texts
  const auto add = [&](std::int64_t text, std::int64_t count) {
    cache.add_row();
    in_row.push_back(text);
    if (count > 0) model->read(texts[text].narrow(0, 0, count), cache, cache.rows() - 1);
  };
  const auto step = [&] {
    std::vector<std::int64_t> next;
    for (std::size_t row = 0; row < in_row.size(); ++row) {
      const std::int64_t at = cache.length(static_cast<std::int64_t>(row));
      next.push_back(texts[in_row[row]][at].item<std::int64_t>());
    }
    const at::Tensor together = model->next(at::tensor(next, at::kLong), cache);
    for (std::size_t row = 0; row < in_row.size(); ++row) {
      const auto at_row = static_cast<std::int64_t>(row);
      Batch alone;
      alone.inputs = texts[in_row[row]].narrow(0, 0, cache.length(at_row)).unsqueeze(0);
      EXPECT_TRUE(at::allclose(together[at_row], model->logits(alone)[-1], 1e-4, 1e-5))
          << "text " << in_row[row] << ", " << cache.length(at_row) << " tokens";
    }
  };
  add(0, 7);
  step();
  add(1, 0);
  add(2, 3);
  step();
  step();
  cache.remove_row(0);
  in_row = {2, 1};
  step();
  add(3, 12);
  step();
  cache.clear_row(1);
  step();
  cache.remove_row(2);
  in_row = {2, 1};
  step();
  EXPECT_EQ(cache.length(0), 9);
  EXPECT_EQ(cache.length(1), 2);
}

// With 0.02 times unit noise the logits are small: the model begins by guessing.
TEST_P(Decoders, FreshOnesGuess) {
  const auto model = small_decoder(GetParam());
  const Batch batch = tokens_of(4, 16);
  const double loss = at::cross_entropy_loss(model->logits(batch), batch.labels).item<double>();
  EXPECT_NEAR(loss, std::log(kVocabulary), 0.1);
}

TEST_P(Decoders, TheRowsOfTheDescriptionAddUp) {
  const char* name = GetParam();
  SampleShape sample = (*find_model(name))->sample;
  sample.vocabulary = sample.classes = kVocabulary;
  sample.length = 16;
  const auto model = small_decoder(name);
  const auto rows = layer_rows(trace_forward(*model, sample_batch(sample, InputKind::documents, 2)),
                               *model, 2, Precision::fp32);
  double products = 0;
  std::int64_t parameters = 0;
  for (const LayerRow& row : rows) {
    products += row.cost.forward_multiply_adds;
    parameters += row.parameters;
  }
  const DecoderShape shape = small_shape(name).decoder;
  const bool llama = std::string_view(name).starts_with("llama");
  const std::int64_t shared = shape.width * shape.kv_heads / shape.heads;
  const std::int64_t per_token =
      shape.layers * (2 * shape.width * shape.width + 2 * shape.width * shared +
                      (llama ? 3 : 2) * shape.width * shape.inner + 2 * 16 * shape.width) +
      shape.width * kVocabulary;
  EXPECT_EQ(products, 2 * 16 * per_token);
  // The head of a tied model uses the embedding's.
  EXPECT_EQ(parameters, parameter_count(*model) + kVocabulary * shape.width);
}

INSTANTIATE_TEST_SUITE_P(Both, Decoders, testing::Values("gpt2", "llama-125m"),
                         [](const auto& one) { return one.index == 0 ? "gpt2" : "llama"; });

// OpenAI's and Meta's published counts.
TEST(DecoderModels, HaveThePublishedParameters) {
  EXPECT_EQ(parameter_count(**make_model("gpt2", default_shape(**find_model("gpt2")))),
            124'439'808);
  InputShape llama = default_shape(**find_model("llama-1b"));
  llama.decoder.layers = 1;
  // 1,235,814,400 with 16 layers of 60,821,504.
  EXPECT_EQ(parameter_count(**make_model("llama-1b", llama)), 1'235'814'400LL - 15 * 60'821'504LL);
}

TEST(DecoderModels, FreshWeightsAreGpt2s) {
  const auto model = small_decoder("gpt2");
  const auto parameters = model->named_parameters();
  EXPECT_NEAR(parameters["transformer.h.0.mlp.c_fc.weight"].std().item<double>(), 0.02, 2e-3);
  EXPECT_NEAR(parameters["transformer.h.1.attn.c_proj.weight"].std().item<double>(), 0.01, 1e-3);
  EXPECT_EQ(parameters["transformer.h.0.attn.c_attn.bias"].abs().max().item<float>(), 0);
}

}  // namespace
}  // namespace tacho
