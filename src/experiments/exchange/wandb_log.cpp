#include "experiments/exchange/wandb_log.h"

#include <fmt/format.h>

#include <cstdint>

#include "core/emit/crc32c.h"

namespace tacho {
namespace {

constexpr std::string_view kHeader(":W&B\xE1\xBE\0", 7);  // name, magic number, version 0
constexpr std::size_t kBlock = 32768;
constexpr std::size_t kHead = 7;  // of a chunk: checksum, length, kind
enum Kind : unsigned char { kNone, kFull, kFirst, kMiddle, kLast };

std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = size; i-- > 0;) {
    value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

}  // namespace

Result<WandbLog> WandbLog::open(std::string_view bytes) {
  if (!bytes.starts_with(kHeader)) {
    return Error{ErrorCode::invalid, "not a log of W&B (format version 0)"};
  }
  WandbLog log(bytes);
  log.at_ = kHeader.size();
  return log;
}

Error WandbLog::damaged() const {
  return {ErrorCode::invalid,
          fmt::format("damaged at byte {}; copy the file again from where it was written", at_)};
}

Result<std::optional<std::string_view>> WandbLog::next() {
  bool within = false;  // a record of several chunks
  while (true) {
    const std::size_t left = kBlock - at_ % kBlock;
    if (left < kHead) {  // padding
      at_ += left;
      continue;
    }
    if (bytes_.size() < at_ + kHead) return std::optional<std::string_view>();
    const std::uint32_t checksum = number_at(bytes_, at_, 4);
    const std::size_t length = number_at(bytes_, at_ + 4, 2);
    const auto kind = static_cast<unsigned char>(bytes_[at_ + 6]);
    if (checksum == 0 && length == 0 && kind == kNone) {  // a block that was never written
      at_ += left;
      continue;
    }
    if (kHead + length > left || kind > kLast) return damaged();
    if (bytes_.size() < at_ + kHead + length) return std::optional<std::string_view>();
    const std::string_view chunk = bytes_.substr(at_ + 6, 1 + length);
    const bool begins = kind == kFull || kind == kFirst;
    if (crc32(chunk) != checksum || kind == kNone || begins == within) return damaged();
    at_ += kHead + length;
    if (kind == kFull) return std::optional(chunk.substr(1));
    if (begins) joined_.clear();
    joined_ += chunk.substr(1);
    if (kind == kLast) return std::optional<std::string_view>(joined_);
    within = true;
  }
}

}  // namespace tacho
