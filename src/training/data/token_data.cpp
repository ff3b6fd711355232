#include "training/data/token_data.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "base/file.h"
#include "base/sha256.h"
#include "training/data/documents.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kEvalPart = 10;  // one in ten tokens without files for evaluation

Result<TextCodec> learn_characters(const TextFiles& files) {
  std::set<char32_t> characters;
  const TakeDocument add = [&](const Document& document) -> Result<void> {
    add_characters(document.prompt, characters);
    add_characters(document.text, characters);
    return {};
  };
  for (const auto* part : {&files.train, &files.eval}) {
    for (const fs::path& file : *part) TACHO_CHECK(read_documents(file, add));
  }
  TACHO_TRY(codec, Characters::of(characters));
  return TextCodec(std::move(codec));
}

Result<TextCodec> learn_pairs(const TextFiles& files, std::int64_t size) {
  PieceCounts pieces;
  const TakeDocument add = [&](const Document& document) -> Result<void> {
    pieces.add(document.prompt, PieceRule::gpt2);
    pieces.add(document.text, PieceRule::gpt2);
    return {};
  };
  for (const fs::path& file : files.train) TACHO_CHECK(read_documents(file, add));
  TACHO_TRY(codec, learn_byte_pairs(pieces, size));
  return TextCodec(std::move(codec));
}

Result<TextCodec> codec_for(const TextFiles& files, const TokenOptions& options) {
  if (!options.vocabulary.empty()) return TextCodec::read(options.vocabulary);
  if (options.tokens == TextTokens::characters) return learn_characters(files);
  return learn_pairs(files, options.vocabulary_size);
}

// Changes if a file or the tokenizer changes.
Result<std::string> key_of(const TextFiles& files, const TextCodec& codec) {
  Sha256 sum;
  sum.add(codec.to_json());
  for (const auto* part : {&files.train, &files.eval}) {
    for (const fs::path& file : *part) {
      std::error_code problem;
      const fs::path whole = fs::canonical(file, problem);
      const auto size = problem ? 0 : fs::file_size(whole, problem);
      const auto time = problem ? fs::file_time_type() : fs::last_write_time(whole, problem);
      if (problem) return system_error(file, problem.value());
      sum.add(fmt::format("{}\n{} {}\n", whole.string(), size, time.time_since_epoch().count()));
    }
    sum.add("\n");
  }
  return hex(sum.digest());
}

Result<void> write_tokens(const TextFiles& files, const TextCodec& codec, const fs::path& path) {
  TACHO_TRY(writer, TokenFileWriter::create(path, codec.size()));
  // Separately, so that a prompt has the tokens that it has without its completion.
  const TakeDocument add = [&](const Document& document) -> Result<void> {
    TACHO_TRY(prompt, codec.encode(document.prompt));
    TACHO_CHECK(writer.add_prompt(prompt));
    TACHO_TRY(tokens, codec.encode(document.text));
    if (const auto end = codec.end_of_text()) tokens.push_back(*end);
    return writer.add(tokens);
  };
  for (const fs::path& file : files.train) TACHO_CHECK(read_documents(file, add));
  const std::int64_t train = writer.tokens();
  for (const fs::path& file : files.eval) TACHO_CHECK(read_documents(file, add));
  return writer.finish(files.eval.empty() ? train / kEvalPart : writer.tokens() - train);
}

}  // namespace

Result<TokenData> load_tokens(const fs::path& path, const TokenOptions& options) {
  TACHO_TRY(files, find_text_files(path));
  TACHO_TRY(codec, codec_for(files, options));
  TACHO_TRY(key, key_of(files, codec));
  const fs::path cached = options.cache / (key + ".tokens");
  std::error_code absent;
  if (!fs::exists(cached, absent)) {
    TACHO_CHECK(make_folders(options.cache));
    TACHO_CHECK(write_tokens(files, codec, cached));
  }
  TACHO_TRY(tokens, TokenFile::open(cached));
  return TokenData{std::move(codec), std::move(tokens)};
}

}  // namespace tacho
