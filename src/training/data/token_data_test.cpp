#include "training/data/token_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho {
namespace {

using testing::HasSubstr;

struct Text {
  ScratchFolder folder;
  TokenOptions options{.cache = folder.path() / "cache"};

  void write(const char* name, std::string_view content) const {
    EXPECT_TRUE(make_folders(folder.path() / "text").ok());
    EXPECT_TRUE(write_file_atomically(folder.path() / "text" / name, content).ok());
  }
  [[nodiscard]] Result<TokenData> load() const {
    return load_tokens(folder.path() / "text", options);
  }
  [[nodiscard]] std::vector<std::filesystem::path> cached() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(options.cache)) {
      files.push_back(entry.path());
    }
    return files;
  }
};

std::string text_of(const TokenData& data, std::int64_t from, std::int64_t count) {
  std::vector<std::int64_t> tokens(static_cast<std::size_t>(count));
  data.tokens.read(from, tokens);
  return data.codec.decode(std::vector<std::int32_t>(tokens.begin(), tokens.end()));
}

TEST(Tokens, TheLastTenthOfATextIsForEvaluation) {
  Text text;
  text.options.tokens = TextTokens::characters;
  text.write("a.txt", std::string(90, 'a') + std::string(10, 'b'));
  const auto data = text.load();
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(data->tokens.train_tokens(), 90);
  EXPECT_EQ(data->tokens.eval_tokens(), 10);
  EXPECT_EQ(text_of(*data, 89, 3), "abb");
}

TEST(Tokens, DocumentsAreSeparated) {
  Text text;
  text.write("train.jsonl", "{\"text\": \"one one\"}\n{\"text\": \"two\"}\n");
  text.write("val.txt", "three");
  const auto data = text.load();
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(text_of(*data, 0, data->tokens.train_tokens()), "one one<|endoftext|>two<|endoftext|>");
  EXPECT_EQ(text_of(*data, data->tokens.train_tokens(), data->tokens.eval_tokens()),
            "three<|endoftext|>");
  EXPECT_FALSE(data->tokens.has_prompts());
}

TEST(Tokens, OfPromptsCanBeReplaced) {
  Text text;
  text.options.tokens = TextTokens::characters;
  text.write("train.jsonl",
             "{\"prompt\": \"ab\", \"completion\": \"c\"}\n{\"text\": \"d\"}\n"
             "{\"prompt\": \"efg\", \"completion\": \"h\"}\n");
  text.write("val.jsonl", "{\"prompt\": \"a\", \"completion\": \"b\"}\n");
  const auto data = text.load();
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_TRUE(data->tokens.has_prompts());
  EXPECT_EQ(data->tokens.train_tokens(), 8);
  const auto kept = [&data](std::int64_t from, std::size_t count) {
    std::vector<std::int64_t> tokens(count, 1);
    data->tokens.replace_prompts(from, tokens, 0);
    return tokens;
  };
  using testing::ElementsAre;
  EXPECT_THAT(kept(0, 10), ElementsAre(0, 0, 1, 1, 0, 0, 0, 1, 0, 1));
  EXPECT_THAT(kept(1, 4), ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(kept(5, 1), ElementsAre(0));
  EXPECT_THAT(kept(2, 2), ElementsAre(1, 1));
  EXPECT_EQ(text_of(*data, 0, 10), "abcdefghab");

  const auto file = text.cached().at(0);
  const std::string content = *read_file(file);
  std::string longer = content;
  longer.replace(longer.size() - 40, 1, "\x7f");  // number of prompts
  for (const std::string& damaged : {longer, content.substr(10 * 2), content.substr(1)}) {
    ASSERT_TRUE(write_file_atomically(file, damaged).ok());
    EXPECT_THAT(TokenFile::open(file).error().message, HasSubstr("damaged; remove it"));
  }
}

TEST(Tokens, AreWrittenOnceAndAgainWhenTheTextChanges) {
  const Text text;
  text.write("a.txt", "some text");
  ASSERT_TRUE(text.load().ok());
  const auto first = text.cached();
  const auto written = std::filesystem::last_write_time(first.at(0));
  ASSERT_TRUE(text.load().ok());
  EXPECT_EQ(text.cached(), first);
  EXPECT_EQ(std::filesystem::last_write_time(first.at(0)), written);
  text.write("a.txt", "some other text");
  ASSERT_TRUE(text.load().ok());
  EXPECT_EQ(text.cached().size(), 2U);
}

TEST(Tokens, AGivenVocabularyIsUsed) {
  Text text;
  text.write("a.txt", "abab");
  const auto learned = text.load();
  text.options.vocabulary = text.folder.path() / "tokenizer.json";
  ASSERT_TRUE(learned->codec.save(text.options.vocabulary).ok());
  text.write("b.txt", "cdcd");
  EXPECT_EQ(text.load()->codec.to_json(), learned->codec.to_json());
}

TEST(Tokens, ADamagedFileIsNamed) {
  const Text text;
  text.write("a.txt", "some text");
  ASSERT_TRUE(text.load().ok());
  const auto file = text.cached().at(0);
  for (const std::string& content :
       {std::string(), std::string("short"), std::string(64, 'x'), *read_file(file) + "x",
        "xx" + *read_file(file), std::string(32, '\xff').replace(0, 8, "TACHOTOK")}) {
    ASSERT_TRUE(write_file_atomically(file, content).ok());
    const auto opened = TokenFile::open(file);
    ASSERT_FALSE(opened.ok());
    EXPECT_THAT(opened.error().message, HasSubstr("damaged; remove it"));
  }
}

TEST(Tokens, AFileHoldsLargeVocabularies) {
  const ScratchFolder folder;
  for (const std::int64_t vocabulary : {1 << 16, (1 << 16) + 1}) {
    const auto last = static_cast<std::int32_t>(vocabulary - 1);
    const auto path = folder.path() / "file";
    auto writer = TokenFileWriter::create(path, vocabulary);
    ASSERT_TRUE(writer->add(std::vector{0, last, 7}).ok());
    ASSERT_TRUE(writer->finish(1).ok());
    const auto file = TokenFile::open(path);
    ASSERT_TRUE(file.ok());
    EXPECT_EQ(file->train_tokens(), 2);
    std::vector<std::int64_t> read(2);
    file->read(1, read);
    EXPECT_THAT(read, testing::ElementsAre(last, 7));
  }
}

}  // namespace
}  // namespace tacho
