// Compares with texts, pieces and tokens from tests/reference/bpe_reference.py.
#include "training/text/byte_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/file.h"

namespace tacho {
namespace {

using Tokens = std::vector<std::int32_t>;
using testing::ElementsAre;
using testing::HasSubstr;

std::string from_hexadecimal(const std::string& hexadecimal) {
  std::string bytes;
  for (std::size_t at = 0; at < hexadecimal.size(); at += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hexadecimal.substr(at, 2), nullptr, 16)));
  }
  return bytes;
}

const Json& reference() {
  static const Json json = *parse_json(*read_file(TACHO_BPE_REFERENCE));
  return json;
}

BytePairs::Parts reference_parts(PieceRule rule = PieceRule::gpt2) {
  BytePairs::Parts parts{.rule = rule, .specials = {{0, "<|endoftext|>"}}};
  for (const Json& token : reference()["tokens"]) {
    parts.tokens.push_back(from_hexadecimal(token.get<std::string>()));
  }
  for (const Json& merge : reference()["merges"]) {
    parts.merges.push_back({merge[0].get<std::int32_t>(), merge[1].get<std::int32_t>()});
  }
  return parts;
}

std::vector<std::size_t> lengths_of_pieces(std::string_view text, PieceRule rule) {
  std::vector<std::size_t> lengths;
  while (!text.empty()) {
    lengths.push_back(first_piece(text, rule));
    text.remove_prefix(lengths.back());
  }
  return lengths;
}

TEST(BytePairs, AgreeWithTheReferenceOnEveryText) {
  for (const PieceRule rule : {PieceRule::gpt2, PieceRule::llama3}) {
    const BytePairs pairs = *BytePairs::of(reference_parts(rule));
    std::size_t compared = 0;
    for (const Json& one : reference()["cases"]) {
      if (one["rule"].get<std::string>() != kPieceRules.of(rule)) continue;
      const std::string text = from_hexadecimal(one["hex"].get<std::string>());
      EXPECT_EQ(lengths_of_pieces(text, rule), one["pieces"].get<std::vector<std::size_t>>())
          << kPieceRules.of(rule) << " " << one["hex"];
      EXPECT_EQ(pairs.encode(text), one["tokens"].get<Tokens>())
          << kPieceRules.of(rule) << " " << one["hex"];
      EXPECT_EQ(pairs.decode(pairs.encode(text)), text);
      ++compared;
    }
    EXPECT_GT(compared, 200U);
  }
}

TEST(BytePairs, AreLearnedLikeTheReferences) {
  PieceCounts counts;
  for (const Json& one : reference()["cases"]) {
    if (one["rule"].get<std::string>() != "gpt2") continue;
    counts.add(from_hexadecimal(one["hex"].get<std::string>()), PieceRule::gpt2);
  }
  const auto wanted = reference_parts();
  const auto learned = learn_byte_pairs(counts, static_cast<std::int64_t>(wanted.tokens.size()));
  ASSERT_TRUE(learned.ok());
  EXPECT_EQ(learned->to_json(), BytePairs::of(wanted)->to_json());
}

TEST(BytePairs, AnyBytesComeBack) {
  const BytePairs pairs = *BytePairs::of(reference_parts());
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  EXPECT_EQ(pairs.decode(pairs.encode(all)), all);
  const std::string long_word(100'000, 'a');
  EXPECT_EQ(pairs.decode(pairs.encode(long_word)), long_word);
}

TEST(BytePairs, ASpecialTokenIsRecognisedInAText) {
  const BytePairs pairs = *BytePairs::of(reference_parts());
  EXPECT_EQ(pairs.end_of_text(), 0);
  const Tokens tokens = pairs.encode("<|endoftext|>a<|endoftext|>");
  EXPECT_THAT(tokens, ElementsAre(0, 'a' + 1, 0));
  EXPECT_EQ(pairs.decode(tokens), "<|endoftext|>a<|endoftext|>");
  EXPECT_EQ(pairs.decode(Tokens{-1, 100'000}), "");
}

TEST(BytePairs, ASavedTokenizerIsTheSame) {
  for (const PieceRule rule : {PieceRule::gpt2, PieceRule::llama3}) {
    BytePairs::Parts parts = reference_parts(rule);
    parts.keeps_words = rule == PieceRule::llama3;
    const BytePairs pairs = *BytePairs::of(std::move(parts));
    const auto read = BytePairs::of_tokenizer(*parse_json(json_text(pairs.to_json())));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->to_json(), pairs.to_json());
    EXPECT_EQ(read->encode("naïve 1234\n"), pairs.encode("naïve 1234\n"));
  }
}

TEST(BytePairs, AWordOfTheVocabularyIsKept) {
  BytePairs::Parts parts = reference_parts();
  parts.tokens.emplace_back("zqzqz");
  const auto kept = static_cast<std::int32_t>(parts.tokens.size() - 1);
  EXPECT_NE(BytePairs::of(parts)->encode("zqzqz"), Tokens{kept});
  parts.keeps_words = true;
  EXPECT_EQ(BytePairs::of(parts)->encode("zqzqz"), Tokens{kept});
}

TEST(BytePairs, ReadGpt2sFiles) {
  const Json whole = BytePairs::of(reference_parts())->to_json();
  Json vocabulary = whole["model"]["vocab"];
  vocabulary["<|endoftext|>"] = 0;
  std::string merges = "#version: 0.2\n";
  for (const Json& merge : whole["model"]["merges"]) merges += merge.get<std::string>() + "\n";
  const auto read = BytePairs::of_vocabulary(json_text(vocabulary), merges);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->to_json(), whole);
}

std::string refusal(const std::string& change) {
  Json json = BytePairs::of(reference_parts())->to_json();
  json.merge_patch(*parse_json(change));
  const auto read = BytePairs::of_tokenizer(json);
  return read.ok() ? "accepted" : read.error().message;
}

TEST(BytePairs, RefuseWhatTheyWouldTokenizeWrongly) {
  EXPECT_EQ(refusal("{}"), "accepted");
  EXPECT_THAT(refusal(R"({"model": {"type": "Unigram"}})"), HasSubstr("byte-level BPE"));
  EXPECT_THAT(refusal(R"({"normalizer": {"type": "NFC"}})"), HasSubstr("normalizer"));
  EXPECT_THAT(refusal(R"({"pre_tokenizer": {"type": "Metaspace"}})"), HasSubstr("Metaspace"));
  EXPECT_THAT(refusal(R"({"pre_tokenizer": {"add_prefix_space": true}})"), HasSubstr("ByteLevel"));
  EXPECT_THAT(refusal(R"({"model": {"vocab": {"Ā": null}}})"), HasSubstr("byte 0 has no token"));
  EXPECT_THAT(refusal(R"({"model": {"vocab": {"a": 2000000}}})"), HasSubstr("999,999"));
  EXPECT_THAT(refusal(R"({"model": {"vocab": 3}})"), HasSubstr("vocabulary is empty"));
  EXPECT_THAT(refusal(R"({"model": {"merges": ["ab"]}})"), HasSubstr("not a pair"));
  EXPECT_THAT(refusal(R"({"model": {"merges": ["z qqqq"]}})"), HasSubstr("not in the vocabulary"));
  EXPECT_THAT(refusal(R"({"model": {"merges": ["z q"]}})"), HasSubstr("makes no token"));
  EXPECT_THAT(refusal(R"({"added_tokens": [{"id": -1, "content": "x"}]})"), HasSubstr("999,999"));
}

TEST(BytePairs, ALearnedVocabularyHasAllBytes) {
  const auto small = learn_byte_pairs({}, 256);
  ASSERT_FALSE(small.ok());
  EXPECT_EQ(small.error().code, ErrorCode::usage);
  EXPECT_EQ(learn_byte_pairs({}, 257)->size(), 257);
}

}  // namespace
}  // namespace tacho
