#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/result.h"
#include "core/record/run_spec.h"

namespace tacho {

enum class InputKind { image, text };
inline constexpr Names<InputKind, 2> kInputKinds{
    "kind of input", {{{InputKind::image, "images"}, {InputKind::text, "text"}}}};

// Tokens of text models: whole words, or the word pieces of Hugging Face's BERT tokenizers with a
// leading [CLS].
enum class TokenKind { word, wordpiece };
inline constexpr Names<TokenKind, 2> kTokenKinds{
    "kind of token", {{{TokenKind::word, "words"}, {TokenKind::wordpiece, "word pieces"}}}};

// The default shape of one sample, without a dataset: the sizes of the model's published results.
struct SampleShape {
  std::int64_t channels = 0;  // images
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t length = 0;      // text: tokens per sample
  std::int64_t vocabulary = 0;  // text: number of different tokens
  std::int64_t classes = 0;
};
inline constexpr SampleShape kMnistSample{.channels = 1, .height = 28, .width = 28, .classes = 10};
inline constexpr SampleShape kImageNetSample{
    .channels = 3, .height = 224, .width = 224, .classes = 1000};
inline constexpr SampleShape kWordsSample{.length = 200, .vocabulary = 20000, .classes = 2};
inline constexpr SampleShape kWordPiecesSample{.length = 128, .vocabulary = 30522, .classes = 2};

// Properties of a model that are known without building it, so that a wrong name is refused before
// any process starts. The models themselves are in src/training/train/models.
struct ModelInfo {
  std::string_view name;
  InputKind input;
  std::string_view help;
  OptimizerSpec optimizer;  // default unless the user gives another
  SampleShape sample;
  // The layers that produce the classes and that fine-tuning initialises newly, by name.
  std::array<std::string_view, 2> head;
  TokenKind tokens = TokenKind::word;  // of text models
  // Up to this batch size a step is so short that more threads make it slower.
  std::int64_t one_thread_batch = 0;
};

// Returns true for the parameters of the model's head, such as "fc.weight".
bool is_in_head(const ModelInfo& model, std::string_view parameter);

std::span<const ModelInfo> model_catalog();
Result<const ModelInfo*> find_model(std::string_view name);
std::vector<std::string_view> model_names();

}  // namespace tacho
