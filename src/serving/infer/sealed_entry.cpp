#include "serving/infer/sealed_entry.h"

#include "base/hmac.h"

namespace tacho::infer {
namespace {

// Precedes each entry; identifies the format.
constexpr std::string_view kSeal = "ts1:";
constexpr std::size_t kSignature = 64;  // hexadecimal digits

// The length separates name and content.
std::string signature(std::string_view key, std::string_view name, std::string_view content) {
  std::string message = std::to_string(name.size());
  message.append(":").append(name).append(content);
  return hmac_sha256_hex(key, message);
}

}  // namespace

std::string seal_entry(std::string_view key, std::string_view name, std::string_view content) {
  std::string entry(kSeal);
  entry += signature(key, name, content);
  entry += content;
  return entry;
}

std::optional<std::string_view> open_entry(std::string_view key, std::string_view name,
                                           std::string_view entry) {
  if (!entry.starts_with(kSeal) || entry.size() < kSeal.size() + kSignature) return std::nullopt;
  entry.remove_prefix(kSeal.size());
  const std::string_view content = entry.substr(kSignature);
  const bool ours =
      equal_in_constant_time(entry.substr(0, kSignature), signature(key, name, content));
  return ours ? std::optional(content) : std::nullopt;
}

}  // namespace tacho::infer
