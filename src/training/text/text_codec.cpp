#include "training/text/text_codec.h"

#include <fmt/format.h>

#include "base/file.h"

namespace tacho {
namespace {

constexpr std::string_view kCharacters = "characters";

Result<TextCodec> read_vocabulary(const std::filesystem::path& file) {
  const auto beside = file.parent_path() / "merges.txt";
  TACHO_TRY(vocabulary, read_file(file));
  TACHO_TRY(merges, read_file(beside));
  TACHO_TRY(pairs, BytePairs::of_vocabulary(vocabulary, merges).in(file.parent_path().string()));
  return TextCodec(std::move(pairs));
}

}  // namespace

Result<TextCodec> TextCodec::read(const std::filesystem::path& path) {
  std::error_code unreadable;  // reported by read_file()
  if (std::filesystem::is_directory(path, unreadable)) {
    const bool whole = std::filesystem::exists(path / "tokenizer.json", unreadable);
    return read(path / (whole ? "tokenizer.json" : "vocab.json"));
  }
  if (path.filename() == "vocab.json") return read_vocabulary(path);
  TACHO_TRY(text, read_file(path));
  return parse(text).in(path.string());
}

Result<TextCodec> TextCodec::parse(std::string_view text) {
  TACHO_TRY(json, parse_json(text));
  if (json.is_object() && json.contains(kCharacters)) {
    TACHO_TRY(characters, Characters::of_json(json[std::string(kCharacters)]));
    return TextCodec(std::move(characters));
  }
  TACHO_TRY(pairs, BytePairs::of_tokenizer(json));
  return TextCodec(std::move(pairs));
}

std::int64_t TextCodec::size() const {
  return std::visit([](const auto& codec) { return codec.size(); }, codec_);
}

Result<std::vector<TextCodec::Token>> TextCodec::encode(std::string_view text) const {
  return std::visit(
      [text](const auto& codec) -> Result<std::vector<Token>> { return codec.encode(text); },
      codec_);
}

std::string TextCodec::decode(std::span<const Token> tokens) const {
  return std::visit([tokens](const auto& codec) { return codec.decode(tokens); }, codec_);
}

std::optional<TextCodec::Token> TextCodec::end_of_text() const {
  const auto* pairs = std::get_if<BytePairs>(&codec_);
  return pairs == nullptr ? std::nullopt : pairs->end_of_text();
}

std::string TextCodec::to_json() const {
  if (const auto* characters = std::get_if<Characters>(&codec_)) {
    return json_text({{kCharacters, characters->to_json()}}) + "\n";
  }
  return json_text(std::get<BytePairs>(codec_).to_json()) + "\n";
}

Result<void> TextCodec::save(const std::filesystem::path& file) const {
  return write_file_atomically(file, to_json());
}

}  // namespace tacho
