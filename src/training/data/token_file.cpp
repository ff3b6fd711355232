#include "training/data/token_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "training/data/little_endian.h"

namespace tacho {
namespace {

constexpr std::string_view kMagic = "TACHOTOK";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kVersionWithPrompts = 2;
constexpr std::size_t kTrailer = 32;
constexpr std::size_t kPromptCount = 8;
constexpr std::size_t kPrompt = 16;

Error damaged(const std::filesystem::path& path) {
  return {ErrorCode::invalid, path.string() + ": damaged; remove it, and it will be written again"};
}

}  // namespace

Result<TokenFile> TokenFile::open(const std::filesystem::path& path) {
  TACHO_TRY(file, MappedFile::open(path));
  const auto bytes = file.bytes();
  if (bytes.size() < kTrailer) return damaged(path);
  const auto trailer = bytes.last(kTrailer);
  const auto version = little_endian::read(trailer, 8, 4);
  const bool known = std::memcmp(trailer.data(), kMagic.data(), kMagic.size()) == 0 &&
                     (version == kVersion || version == kVersionWithPrompts);
  const std::uint64_t width = little_endian::read(trailer, 12, 4);
  const std::uint64_t train = little_endian::read(trailer, 16, 8);
  const std::uint64_t eval = little_endian::read(trailer, 24, 8);
  const std::size_t end = kTrailer + (version == kVersionWithPrompts ? kPromptCount : 0);
  if (!known || bytes.size() < end) return damaged(path);
  const std::uint64_t prompts =
      version == kVersion ? 0 : little_endian::read(bytes.last(end), 0, kPromptCount);
  // Compared with the size first: the sum of damaged numbers could overflow.
  if ((width != 2 && width != 4) || train > bytes.size() || eval > bytes.size() ||
      prompts > bytes.size() || (train + eval) * width + prompts * kPrompt + end != bytes.size()) {
    return damaged(path);
  }
  return TokenFile(std::move(file),
                   {static_cast<std::int64_t>(width), static_cast<std::int64_t>(train),
                    static_cast<std::int64_t>(eval), static_cast<std::int64_t>(prompts)});
}

void TokenFile::read(std::int64_t from, std::span<std::int64_t> out) const {
  const auto width = static_cast<std::size_t>(width_);
  const auto bytes =
      file_.bytes().subspan(static_cast<std::size_t>(from) * width, out.size() * width);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<std::int64_t>(little_endian::read(bytes, i * width, width));
  }
}

TokenFile::Prompt TokenFile::prompt(std::int64_t index) const {
  const auto at = static_cast<std::size_t>((train_ + eval_) * width_) +
                  static_cast<std::size_t>(index) * kPrompt;
  const auto bytes = file_.bytes().subspan(at, kPrompt);
  return {static_cast<std::int64_t>(little_endian::read(bytes, 0, 8)),
          static_cast<std::int64_t>(little_endian::read(bytes, 8, 8))};
}

void TokenFile::replace_prompts(std::int64_t from, std::span<std::int64_t> tokens,
                                std::int64_t by) const {
  const std::int64_t to = from + static_cast<std::int64_t>(tokens.size());
  std::int64_t first = 0;  // prompt that ends after `from`
  for (std::int64_t last = prompts_; first < last;) {
    const std::int64_t middle = first + (last - first) / 2;
    if (prompt(middle).end <= from) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  for (std::int64_t index = first; index < prompts_; ++index) {
    const auto [begin, end] = prompt(index);
    if (begin >= to) return;
    for (std::int64_t at = std::max(begin, from); at < std::min(end, to); ++at) {
      tokens[static_cast<std::size_t>(at - from)] = by;
    }
  }
}

Result<TokenFileWriter> TokenFileWriter::create(std::filesystem::path path,
                                                std::int64_t vocabulary) {
  TACHO_TRY(file, AtomicFile::create(std::move(path)));
  return TokenFileWriter(std::move(file), vocabulary <= 1 << 16 ? 2 : 4);
}

Result<void> TokenFileWriter::add(std::span<const std::int32_t> tokens) {
  std::string bytes;
  bytes.reserve(tokens.size() * static_cast<std::size_t>(width_));
  for (const std::int32_t token : tokens) {
    little_endian::append(bytes, static_cast<std::uint32_t>(token),
                          static_cast<std::size_t>(width_));
  }
  tokens_ += static_cast<std::int64_t>(tokens.size());
  return file_.write(bytes);
}

Result<void> TokenFileWriter::add_prompt(std::span<const std::int32_t> tokens) {
  if (tokens.empty()) return {};
  const auto begin = static_cast<std::uint64_t>(tokens_);
  little_endian::append(prompts_, begin, 8);
  little_endian::append(prompts_, begin + tokens.size(), 8);
  return add(tokens);
}

Result<void> TokenFileWriter::finish(std::int64_t eval) {
  std::string trailer = prompts_;
  if (!prompts_.empty()) little_endian::append(trailer, prompts_.size() / kPrompt, kPromptCount);
  trailer += kMagic;
  little_endian::append(trailer, prompts_.empty() ? kVersion : kVersionWithPrompts, 4);
  little_endian::append(trailer, static_cast<std::uint64_t>(width_), 4);
  little_endian::append(trailer, static_cast<std::uint64_t>(tokens_ - eval), 8);
  little_endian::append(trailer, static_cast<std::uint64_t>(eval), 8);
  TACHO_CHECK(file_.write(trailer));
  // Can be made again after a power cut.
  return file_.commit(Outlives::kill);
}

}  // namespace tacho
