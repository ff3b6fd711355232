#include "serving/load/input_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <system_error>

#include "base/file.h"
#include "base/json_object.h"
#include "base/split.h"
#include "base/version.h"

namespace tacho::load {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMaxBytes = std::int64_t{1} << 30;

Error nothing_in(const fs::path& path, std::string_view what) {
  return {ErrorCode::not_found, fmt::format("{}: {}", path.string(), what)};
}

std::string content_type_of(const fs::path& file) {
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".jpg" || ending == ".jpeg") return "image/jpeg";
  return ending == ".png" ? "image/png" : "";
}

}  // namespace

Result<std::vector<Input>> read_texts(const fs::path& file) {
  TACHO_TRY(text, read_file(file, Bytes{kMaxBytes / 2}));
  std::vector<Input> inputs;
  for (std::string_view line : lines_of(text)) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    const Json body = {{"text", Json::array({std::string(line)})}};
    inputs.push_back({"application/json", json_text(body)});
  }
  if (inputs.empty()) return nothing_in(file, "contains no line of text");
  return inputs;
}

Result<std::vector<Input>> read_images(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored) && !content_type_of(at->path()).empty()) {
      files.push_back(at->path());
    }
  }
  if (error) return system_error(folder, error.value());
  if (files.empty()) return nothing_in(folder, "contains no .jpg, .jpeg or .png");
  std::ranges::sort(files);
  std::vector<Input> inputs;
  std::int64_t left = kMaxBytes;
  for (const fs::path& file : files) {
    TACHO_TRY(body, read_file(file, Bytes{kMaxBytes}));
    left -= static_cast<std::int64_t>(body.size());
    if (left < 0) {
      return nothing_in(folder, "contains more than 1 GiB of images; use a smaller folder");
    }
    inputs.push_back({content_type_of(file), std::move(body)});
  }
  return inputs;
}

Result<std::vector<Input>> read_body(const fs::path& file, const std::string& content_type) {
  TACHO_TRY(body, read_file(file, Bytes{kMaxBytes}));
  return std::vector<Input>{{content_type, std::move(body)}};
}

std::string request_bytes(const Target& target, const std::string& token, const Input* input) {
  std::string bytes = fmt::format(
      "{} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: tacho/{}\r\n", input == nullptr ? "GET" : "POST",
      target.path.empty() ? "/" : target.path, target.authority(), kVersion);
  if (!token.empty()) bytes += fmt::format("Authorization: Bearer {}\r\n", token);
  if (input == nullptr) return bytes + "\r\n";
  return bytes +
         fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n\r\n", input->content_type,
                     input->body.size()) +
         input->body;
}

}  // namespace tacho::load
