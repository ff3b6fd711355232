#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/result.h"
#include "core/record/run_spec.h"

namespace tacho {

enum class InputKind {
  image,
  text,       // labelled sentences
  documents,  // text of which a language model predicts each next token
};
inline constexpr Names<InputKind, 3> kInputKinds{"kind of input",
                                                 {{{InputKind::image, "images"},
                                                   {InputKind::text, "text"},
                                                   {InputKind::documents, "documents"}}}};

// Tokens of text models: whole words, or the word pieces of Hugging Face's BERT tokenizers with a
// leading [CLS].
enum class TokenKind { word, wordpiece };
inline constexpr Names<TokenKind, 2> kTokenKinds{
    "kind of token", {{{TokenKind::word, "words"}, {TokenKind::wordpiece, "word pieces"}}}};

// Size of a decoder language model.
struct DecoderShape {
  std::int64_t layers = 0;
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;  // heads of keys and values; each is shared by heads / kv_heads
  std::int64_t inner = 0;     // width within the feed-forward layers
  bool tied = true;           // the head shares the weights of the embedding
  bool operator==(const DecoderShape&) const = default;
};

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
inline constexpr SampleShape kGpt2Sample{.length = 1024, .vocabulary = 50257, .classes = 50257};
inline constexpr SampleShape kLlamaSample{.length = 2048, .vocabulary = 128256, .classes = 128256};

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
  DecoderShape decoder = {};  // of language models
};

// The size of the spec's language model: that of the catalog with the options of the spec.
DecoderShape decoder_shape(const ModelInfo& model, const RunSpec& spec);
// Tokens of each sample of a language model; absent for other models.
std::optional<std::int64_t> tokens_per_sample(const RunSpec& spec);

// Returns true for the parameters of the model's head, such as "fc.weight".
bool is_in_head(const ModelInfo& model, std::string_view parameter);

std::span<const ModelInfo> model_catalog();
Result<const ModelInfo*> find_model(std::string_view name);
std::vector<std::string_view> model_names();

}  // namespace tacho
