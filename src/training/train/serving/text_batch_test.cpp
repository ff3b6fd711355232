#include "training/train/serving/text_batch.h"

#include <gtest/gtest.h>

#include <limits>

#include "training/train/models/registry.h"

namespace tacho {
namespace {

constexpr std::int64_t kVocabulary = 40;
constexpr std::int64_t kLength = 12;
using Tokens = std::vector<TextBatch::Token>;

// Fresh weights are so small that all tokens are about as likely; larger ones make a difference.
std::shared_ptr<Decoder> small_decoder(const char* name) {
  torch::manual_seed(5);
  InputShape shape = default_shape(**find_model(name));
  shape.vocabulary = shape.classes = kVocabulary;
  shape.length = kLength;
  const bool llama = std::string_view(name).starts_with("llama");
  shape.decoder = {.layers = 2, .width = 32, .heads = 4, .kv_heads = llama ? 2 : 4, .inner = 64};
  auto model = std::dynamic_pointer_cast<Decoder>(*make_model(name, shape));
  const torch::NoGradGuard no_grad;
  for (auto& weights : model->parameters()) {
    if (weights.dim() == 2) weights.mul_(10);
  }
  model->eval();
  return model;
}

Sampling drawn(std::int64_t seed) { return {.temperature = 1, .seed = seed}; }

class TextBatches : public testing::TestWithParam<const char*> {
 protected:
  TextBatch batch() { return {model_, kLength, at::kCPU}; }
  Tokens alone(const Tokens& prompt, const Sampling& sampling, int count) {
    TextBatch one = batch();
    one.join(prompt, sampling);
    Tokens made;
    while (static_cast<int>(made.size()) < count) made.push_back(one.step().front().value());
    return made;
  }
  std::shared_ptr<Decoder> model_ = small_decoder(GetParam());
};

TEST_P(TextBatches, EachTextIsTheOneThatIsMadeAlone) {
  const std::vector<Tokens> prompts = {{1, 2, 3}, {4}, {5, 6, 7, 8, 9, 10, 11}, {12, 13}};
  const std::vector<Sampling> samplings = {{.temperature = 0}, drawn(7), drawn(7), drawn(8)};
  TextBatch together = batch();
  std::vector<std::size_t> in_row;
  std::vector<Tokens> made(prompts.size());
  constexpr int kSteps = 40;  // each text exceeds the model's length several times
  for (int step = 0; step < kSteps; ++step) {
    if (step % 5 == 0 && step / 5 < 4) {  // one joins every five steps
      const auto next = static_cast<std::size_t>(step / 5);
      together.join(prompts[next], samplings[next]);
      in_row.push_back(next);
    }
    if (step == 22) {  // the first leaves
      together.leave(0);
      in_row = {3, 1, 2};
    }
    const auto tokens = together.step();
    ASSERT_EQ(tokens.size(), in_row.size());
    for (std::size_t row = 0; row < in_row.size(); ++row) {
      made[in_row[row]].push_back(tokens[row].value());
    }
  }
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    EXPECT_EQ(made[i], alone(prompts[i], samplings[i], static_cast<int>(made[i].size()))) << i;
  }
  EXPECT_NE(made[1], alone(prompts[1], drawn(9), static_cast<int>(made[1].size())));
}

// After a text has reached the model's length, its last half of that length is read again.
TEST_P(TextBatches, LongTextsContinueFromTheirLastHalf) {
  Tokens text;
  for (int i = 0; i < 30; ++i) text.push_back(i);
  const Sampling greedy{.temperature = 0};
  EXPECT_EQ(alone(text, greedy, 20), alone({text.end() - kLength / 2, text.end()}, greedy, 20));
  const torch::NoGradGuard no_grad;
  Tokens all = {1, 2, 3};
  for (std::ptrdiff_t begin = 0; all.size() < 30;) {
    const std::vector<std::int64_t> seen(all.begin() + begin, all.end());
    Batch whole;
    whole.inputs = at::tensor(seen, at::kLong).view({1, -1});
    all.push_back(static_cast<int>(model_->logits(whole)[-1].argmax().item<std::int64_t>()));
    const std::ptrdiff_t size = std::ssize(all);
    if (size - begin > kLength) begin = size - kLength / 2;
  }
  EXPECT_EQ(alone({1, 2, 3}, greedy, 27), Tokens(all.begin() + 3, all.end()));
}

TEST_P(TextBatches, AModelWithoutAnAnswerHarmsNoOtherText) {
  TextBatch texts = batch();
  texts.join({1, 2}, drawn(1));
  EXPECT_THROW(texts.join({1, kVocabulary + 5, 3}, drawn(1)), c10::Error);
  EXPECT_EQ(texts.size(), 1U);
  Tokens made;
  for (int i = 0; i < 5; ++i) made.push_back(texts.step().front().value());
  EXPECT_EQ(made, alone({1, 2}, drawn(1), 5));
  const torch::NoGradGuard no_grad;
  for (auto& weights : model_->parameters()) weights.fill_(std::numeric_limits<float>::quiet_NaN());
  EXPECT_FALSE(texts.step().front().has_value());
}

INSTANTIATE_TEST_SUITE_P(Both, TextBatches, testing::Values("gpt2", "llama-125m"),
                         [](const auto& one) { return one.index == 0 ? "gpt2" : "llama"; });

at::Tensor logits_of(std::vector<float> probabilities) { return at::tensor(probabilities).log(); }

int share_of(const Sampling& sampling, std::int32_t token) {
  int chosen = 0;
  TokenSampler sampler(sampling);
  const at::Tensor logits = logits_of({0.1F, 0.5F, 0.25F, 0.15F});
  for (int i = 0; i < 1000; ++i) chosen += sampler.choose(logits) == token ? 1 : 0;
  return chosen;
}

TEST(TokenSampler, DrawsFromTheMostLikelyTokens) {
  EXPECT_EQ(share_of({.temperature = 0}, 1), 1000);
  EXPECT_NEAR(share_of({.temperature = 1}, 1), 500, 50);
  EXPECT_NEAR(share_of({.temperature = 1}, 0), 100, 30);
  EXPECT_NEAR(share_of({.temperature = 1, .top_k = 2}, 1), 667, 50);
  EXPECT_EQ(share_of({.temperature = 1, .top_k = 1}, 1), 1000);
  // 0.5 and 0.25 have 0.7 together.
  EXPECT_NEAR(share_of({.temperature = 1, .top_p = 0.7}, 1), 667, 50);
  EXPECT_NEAR(share_of({.temperature = 1, .top_p = 0.7}, 2), 333, 50);
  EXPECT_EQ(share_of({.temperature = 1, .top_p = 0.7}, 3), 0);
  EXPECT_GT(share_of({.temperature = 1, .top_p = 0.8}, 3), 0);
  EXPECT_EQ(share_of({.temperature = 1, .top_p = 0.01}, 1), 1000);
}

}  // namespace
}  // namespace tacho
