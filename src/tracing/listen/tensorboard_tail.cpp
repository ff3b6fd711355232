#include "tracing/listen/tensorboard_tail.h"

#include <bit>
#include <cmath>
#include <fstream>

#include "core/emit/crc32c.h"
#include "tracing/listen/protobuf_cursor.h"

namespace tacho {
namespace {

constexpr std::size_t kHead = 12;  // length and its checksum
constexpr std::size_t kTail = 4;   // checksum of the data
// A file may also contain images and graphs; longer records than this count as damage.
constexpr std::uint64_t kLongestRecord = 256 << 20;
constexpr std::size_t kLongestTag = 200;

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

// Reads a tensor with one number, which newer writers use for scalars.
std::optional<double> only_number(std::string_view tensor) {
  constexpr std::uint64_t kFloat = 1;
  constexpr std::uint64_t kDouble = 2;
  std::uint64_t type = 0;
  std::optional<double> value;
  ProtobufCursor fields(tensor);
  while (const auto field = fields.next()) {
    const std::string_view bytes = field->bytes;
    if (field->number == 1) type = field->bits;
    if (field->number == 5 && bytes.empty()) value = field->as_float();
    const bool packed_float = (field->number == 5 || (field->number == 4 && type == kFloat));
    if (packed_float && bytes.size() == 4) {
      value = std::bit_cast<float>(word_at(bytes, 0));
    }
    const bool packed_double = (field->number == 6 || (field->number == 4 && type == kDouble));
    if (packed_double && bytes.size() == 8) {
      value = std::bit_cast<double>(static_cast<std::uint64_t>(word_at(bytes, 4)) << 32U |
                                    word_at(bytes, 0));
    }
  }
  return value;
}

void add_value(std::string_view message, FiguresSeen& figures) {
  std::string_view tag;
  std::optional<double> number;
  ProtobufCursor fields(message);
  while (const auto field = fields.next()) {
    if (field->number == 1) tag = field->bytes;
    if (field->number == 2) number = field->as_float();
    if (field->number == 8) number = only_number(field->bytes);
  }
  if (!number || !std::isfinite(*number) || tag.empty() || tag.size() > kLongestTag) return;
  figures.values.insert_or_assign(std::string(tag), *number);
}

// Returns nothing for an event without scalars.
std::optional<Event> figures_of_event(std::string_view message) {
  double unix_seconds = 0;
  FiguresSeen figures{.from = "tensorboard"};
  ProtobufCursor fields(message);
  while (const auto field = fields.next()) {
    if (field->number == 1) unix_seconds = field->as_double();
    if (field->number == 2) figures.step = static_cast<std::int64_t>(field->bits);
    if (field->number != 5) continue;
    ProtobufCursor values(field->bytes);
    while (const auto value = values.next()) {
      if (value->number == 1) add_value(value->bytes, figures);
    }
  }
  if (figures.values.empty()) return std::nullopt;
  return Event{unix_seconds, std::move(figures)};
}

}  // namespace

Result<std::vector<Event>> TensorBoardTail::read_new() {
  std::vector<Event> seen;
  if (damaged_) return seen;
  std::ifstream in(file_, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(read_));
  while (in) {
    std::string head(kHead, '\0');
    if (!in.read(head.data(), kHead)) break;
    const std::uint64_t length = word_at(head, 0) | static_cast<std::uint64_t>(word_at(head, 4))
                                                        << 32U;
    damaged_ = length > kLongestRecord || masked_crc32c(head.substr(0, 8)) != word_at(head, 8);
    if (damaged_) break;
    std::string data(length + kTail, '\0');
    if (!in.read(data.data(), static_cast<std::streamsize>(data.size()))) break;
    const std::string_view message(data.data(), length);
    damaged_ = masked_crc32c(message) != word_at(data, length);
    if (damaged_) break;
    read_ += kHead + data.size();
    if (auto event = figures_of_event(message)) seen.push_back(*std::move(event));
  }
  if (damaged_ && seen.empty()) {
    return Error{ErrorCode::invalid,
                 file_.string() + ": not a TensorBoard record at byte " + std::to_string(read_)};
  }
  return seen;
}

}  // namespace tacho
