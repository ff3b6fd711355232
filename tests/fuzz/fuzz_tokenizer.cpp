// tokenizer.json of language models, and the texts that they encode.
#include <string>

#include "fuzz_loop.h"
#include "generated_json.h"
#include "training/text/text_codec.h"
#include "training/text/utf8.h"

namespace tacho {
namespace {

std::string sample_of(PieceRule rule) {
  PieceCounts counts;
  counts.add("the theory of the other 1234 ñandú\n\n  the", PieceRule::gpt2);
  Json json = learn_byte_pairs(counts, 270)->to_json();
  if (rule == PieceRule::gpt2) return json_text(json);
  Json split = {{"type", "Split"}, {"pattern", {{"Regex", expression_of(rule)}}}};
  json["pre_tokenizer"] = {
      {"type", "Sequence"},
      {"pretokenizers", {split, {{"type", "ByteLevel"}, {"use_regex", false}}}}};
  return json_text(json);
}

// What a tokenizer encodes must come back.
void check_round_trip(const TextCodec& codec, std::string_view text) {
  const auto tokens = codec.encode(text);
  if (!tokens.ok()) return;
  for (const std::int32_t token : *tokens) {
    if (token < 0 || token >= codec.size()) std::abort();
  }
  if (is_utf8(text) && codec.decode(*tokens) != text) std::abort();
}

bool read(const std::string& text) {
  static const TextCodec known[] = {*TextCodec::parse(sample_of(PieceRule::gpt2)),
                                    *TextCodec::parse(sample_of(PieceRule::llama3))};
  for (const TextCodec& codec : known) check_round_trip(codec, text);
  const auto codec = TextCodec::parse(text);
  if (codec.ok()) check_round_trip(*codec, std::string_view(text).substr(0, 4000));
  return codec.ok();
}

// One piece of many bytes.
std::string long_piece(Random& random) {
  constexpr std::string_view kParts[] = {" ", "the", "\n", "1", "'", "ñ", "\xff"};
  return repeated(kParts[static_cast<std::size_t>(random.below(std::ssize(kParts)))],
                  fuzz_size(random, 100'000));
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  using tacho::PieceRule;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  tacho::Random random = tacho::Random::scattered(seed + 1);
  tacho::JsonGenerator generate(tacho::Random::scattered(seed + 2));
  return tacho::fuzz(argc, argv,
                     {tacho::sample_of(PieceRule::gpt2), tacho::sample_of(PieceRule::llama3),
                      R"({"characters":"\n abcñ"})"},
                     tacho::read, [&](std::string& input) {
                       const std::int64_t kind = random.below(16);
                       if (kind == 0) input = generate();
                       if (kind == 1) input = tacho::long_piece(random);
                     });
}
