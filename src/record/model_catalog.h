#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/result.h"
#include "record/run_spec.h"

namespace tacho {

enum class InputKind { image, text };
inline constexpr Names<InputKind, 2> kInputKinds{
    "kind of input", {{{InputKind::image, "images"}, {InputKind::text, "text"}}}};

// How a text model's sentences are cut: into whole words, or into the pieces that Hugging Face's
// BERT tokenizers make, with [CLS] in front.
enum class TokenKind { word, wordpiece };
inline constexpr Names<TokenKind, 2> kTokenKinds{
    "kind of token", {{{TokenKind::word, "words"}, {TokenKind::wordpiece, "word pieces"}}}};

// What one sample looks like where no dataset says otherwise: the sizes that a model's published
// figures are for.
struct SampleShape {
  std::int64_t channels = 0;  // images
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t length = 0;      // text: tokens in a sentence …
  std::int64_t vocabulary = 0;  // … and different ones there are
  std::int64_t classes = 0;
};
inline constexpr SampleShape kMnistSample{.channels = 1, .height = 28, .width = 28, .classes = 10};
inline constexpr SampleShape kImageNetSample{
    .channels = 3, .height = 224, .width = 224, .classes = 1000};
inline constexpr SampleShape kWordsSample{.length = 200, .vocabulary = 20000, .classes = 2};
inline constexpr SampleShape kWordPiecesSample{.length = 128, .vocabulary = 30522, .classes = 2};

// What can be said of a model without building it, so that a wrong name is refused before any
// process starts. src/train/models holds the models themselves.
struct ModelInfo {
  std::string_view name;
  InputKind input;
  std::string_view help;
  OptimizerSpec optimizer;  // what trains it well, taken where the user names nothing else
  SampleShape sample;
  TokenKind tokens = TokenKind::word;  // of text models
  // Up to this batch a step is so short that waking other threads costs more than they bring.
  std::int64_t one_thread_batch = 0;
};

std::span<const ModelInfo> model_catalog();
Result<const ModelInfo*> find_model(std::string_view name);
std::vector<std::string_view> model_names();

}  // namespace tacho
