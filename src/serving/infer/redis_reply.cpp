#include "serving/infer/redis_reply.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/parse_number.h"

namespace tacho::infer {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
// Parsed bytes are removed once there are this many, so that each byte is moved a few times at
// most.
constexpr std::size_t kCutAt = 64 << 10;

Error no_reply(std::string_view what) {
  return {ErrorCode::invalid, fmt::format("not a Redis reply: {}", what)};
}

// -1 stands for a null reply.
std::optional<std::int64_t> length_of(std::string_view text, std::size_t most) {
  const auto number = parse_number<std::int64_t>(text);
  const bool fits = number && *number >= -1 && *number <= static_cast<std::int64_t>(most);
  return fits ? number : std::nullopt;
}

}  // namespace

Result<std::optional<RedisReply>> RedisReplyReader::next() {
  std::optional<RedisReply> whole;
  while (!whole) {
    TACHO_TRY(read, next_plain(list_.has_value()));
    if (!read) break;
    if (list_) {
      list_->items.push_back(*std::move(read));
    } else if (read->kind == RedisReply::Kind::list) {
      list_ = std::move(read);
    } else {
      whole = std::move(read);
    }
    if (list_ && list_->items.size() == list_size_) whole = std::exchange(list_, std::nullopt);
  }
  forget_read();
  return whole;
}

// Parses a reply that is not a list, or the head of a list, whose size is then in list_size_.
Result<std::optional<RedisReply>> RedisReplyReader::next_plain(bool in_list) {
  using Kind = RedisReply::Kind;
  const std::size_t end = bytes_.find(kLineEnd, std::max(at_, searched_));
  const std::size_t seen = (end == std::string::npos ? bytes_.size() : end) - at_;
  if (seen > kLongestLine) return no_reply("a line without an end");
  if (end == std::string::npos) {
    searched_ = bytes_.empty() ? 0 : bytes_.size() - 1;  // the last one may be '\r'
    return std::optional<RedisReply>();
  }
  if (seen == 0) return no_reply("an empty line");
  const char kind = bytes_[at_];
  const std::string_view rest = std::string_view(bytes_).substr(at_ + 1, seen - 1);
  if (kind == '$') return text_of(rest, end + kLineEnd.size());
  RedisReply reply;
  if (kind == '+' || kind == '-') {
    reply = {.kind = kind == '+' ? Kind::status : Kind::error, .text = std::string(rest)};
  } else if (kind == ':') {
    const auto number = parse_number<std::int64_t>(rest);
    if (!number) return no_reply("not a number");
    reply = {.kind = Kind::number, .number = *number};
  } else if (kind == '*' && !in_list) {
    const auto size = length_of(rest, kLongestList);
    if (!size) return no_reply(fmt::format("a list of '{:.40}'", rest));
    reply.kind = *size < 0 ? Kind::nothing : Kind::list;
    list_size_ = static_cast<std::size_t>(std::max<std::int64_t>(*size, 0));
  } else {
    return no_reply(in_list && kind == '*' ? "a list within a list" : "an unknown kind");
  }
  at_ = end + kLineEnd.size();
  return std::optional(std::move(reply));
}

Result<std::optional<RedisReply>> RedisReplyReader::text_of(std::string_view length,
                                                            std::size_t line_end) {
  const auto size = length_of(length, kLongestText);
  if (!size) return no_reply(fmt::format("a text of '{:.40}' bytes", length));
  if (*size < 0) {
    at_ = line_end;
    return std::optional(RedisReply{});
  }
  const auto count = static_cast<std::size_t>(*size);
  if (bytes_.size() < line_end + count + kLineEnd.size()) return std::optional<RedisReply>();
  if (bytes_.compare(line_end + count, kLineEnd.size(), kLineEnd) != 0) {
    return no_reply("a text that does not end where it should");
  }
  at_ = line_end + count + kLineEnd.size();
  return std::optional(
      RedisReply{.kind = RedisReply::Kind::text, .text = bytes_.substr(line_end, count)});
}

void RedisReplyReader::forget_read() {
  if (at_ < kCutAt && at_ < bytes_.size()) return;
  bytes_.erase(0, at_);
  searched_ -= std::min(searched_, at_);
  at_ = 0;
}

std::string redis_command(std::span<const std::string_view> words) {
  std::string command = fmt::format("*{}\r\n", words.size());
  for (const std::string_view word : words) {
    fmt::format_to(std::back_inserter(command), "${}\r\n", word.size());
    command.append(word).append(kLineEnd);
  }
  return command;
}

}  // namespace tacho::infer
