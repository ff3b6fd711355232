#include "training/text/text_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho {
namespace {

using testing::HasSubstr;

TextCodec characters(std::string_view text) {
  std::set<char32_t> all;
  add_characters(text, all);
  return TextCodec(*Characters::of(all));
}

TEST(TextCodec, CharactersAreInTheOrderOfUnicode) {
  const TextCodec codec = characters("bañba");
  EXPECT_EQ(codec.size(), 3);
  EXPECT_EQ(*codec.encode("abñ"), (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(codec.decode(std::vector<std::int32_t>{2, 0, 7, -1}), "ña");
  EXPECT_EQ(codec.end_of_text(), std::nullopt);
  const auto unknown = codec.encode("abc");
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message, HasSubstr("'c' does not occur in the training text"));
}

TEST(TextCodec, ASavedOneIsTheSame) {
  const ScratchFolder folder;
  PieceCounts counts;
  counts.add("hello hello", PieceRule::gpt2);
  for (const TextCodec& codec :
       {characters("añb\n\"\\"), TextCodec(*learn_byte_pairs(counts, 300))}) {
    const auto file = folder.path() / "tokenizer.json";
    ASSERT_TRUE(codec.save(file).ok());
    for (const auto& path : {file, folder.path()}) {
      const auto read = TextCodec::read(path);
      ASSERT_TRUE(read.ok()) << read.error().message;
      EXPECT_EQ(read->to_json(), codec.to_json());
    }
  }
}

TEST(TextCodec, AnUnreadableOneNamesTheFile) {
  const ScratchFolder folder;
  EXPECT_THAT(TextCodec::read(folder.path()).error().message, HasSubstr("vocab.json"));
  const auto file = folder.path() / "tokenizer.json";
  for (const char* content : {"{", "[]", R"({"characters": 3})", R"({"characters": ""})"}) {
    ASSERT_TRUE(write_file_atomically(file, content).ok());
    const auto read = TextCodec::read(file);
    ASSERT_FALSE(read.ok()) << content;
    EXPECT_THAT(read.error().message, HasSubstr("tokenizer.json")) << content;
  }
}

}  // namespace
}  // namespace tacho
