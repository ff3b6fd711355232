// The body of a request to `tacho infer`, for a text model, an image model and a language model.
#include <string>

#include "fuzz_loop.h"
#include "generated_json.h"
#include "serving/infer/completion_request.h"
#include "serving/infer/input.h"
#include "serving/infer/test_model.h"

namespace tacho::infer {
namespace {

bool read(const LetterModel& texts, const LetterModel& images, const std::string& body) {
  constexpr InputLimits kLimits = {.inputs = 16};
  const auto as_text = read_inputs(texts, kLimits, "application/json", body);
  const auto as_image = read_inputs(images, kLimits, "application/json", body);
  for (const auto* inputs : {&as_text, &as_image}) {
    if (inputs->ok() && ((*inputs)->empty() || (*inputs)->size() > kLimits.inputs)) std::abort();
  }
  (void)read_inputs(images, kLimits, "image/png", body);
  constexpr CompletionLimits kCompletions = {.choices = 16, .max_tokens = 100};
  const auto completion = read_completion_request(body, kCompletions, 1);
  if (completion.ok()) {
    const auto choices = std::ssize(completion->prompts) * completion->choices;
    if (choices < 1 || choices > 16 || completion->max_tokens > 100) std::abort();
  }
  return as_text.ok() || as_image.ok() || completion.ok();
}

}  // namespace
}  // namespace tacho::infer

int main(int argc, char** argv) {
  const std::string text = R"({"text": ["a\u00e9b", "\ud83d\ude00 good", "x"]})";
  const std::string completion =
      R"({"prompt": ["a", "b"], "max_tokens": 9, "temperature": 0.5, "n": 2, "stop": "\n"})";
  const std::string images = R"({"images": ["SW1hZ2U=", "SQ==", "SWE="]})";
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  tacho::Random random = tacho::Random::scattered(seed + 1);
  tacho::JsonGenerator generate(tacho::Random::scattered(seed + 2));
  const tacho::infer::LetterModel text_model;
  tacho::infer::LetterModel image_model;
  image_model.become_image_model();
  const auto read = [&](const std::string& body) {
    return tacho::infer::read(text_model, image_model, body);
  };
  return tacho::fuzz(argc, argv, {text, images, completion}, read, [&](std::string& input) {
    if (random.below(16) == 0) input = generate();
  });
}
