#include "training/data/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>

#include "base/file.h"
#include "base/json_object.h"
#include "training/data/gz_file.h"
#include "training/text/utf8.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestDocument{std::int64_t{4} << 30};
constexpr std::array<std::string_view, 4> kEvalNames = {"val", "eval", "dev", "test"};

bool has_lines(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.ends_with(".jsonl") || name.ends_with(".jsonl.gz");
}

bool is_text_file(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.ends_with(".txt") || name.ends_with(".txt.gz") || name.ends_with(".md") ||
         has_lines(file);
}

bool is_eval(const fs::path& file) {
  const std::string name = file.filename().string();
  return std::ranges::any_of(kEvalNames,
                             [&](std::string_view eval) { return name.starts_with(eval); });
}

struct Line {
  std::string prompt;
  std::string text;
};

Result<Line> parse_line(std::string_view line) {
  TACHO_TRY(json, parse_json(line));
  const auto has = [&json](const char* key) {
    return json.is_object() && json.contains(key) && json[key].is_string();
  };
  if (has("text")) return Line{"", json["text"].get<std::string>()};
  if (has("prompt") && has("completion")) {
    return Line{json["prompt"].get<std::string>(), json["completion"].get<std::string>()};
  }
  return Error{ErrorCode::invalid,
               R"(expected an object with a string "text", or with "prompt" and "completion")"};
}

Result<void> read_lines(const fs::path& file, const TakeDocument& take) {
  TACHO_TRY(input, GzFile::open(file));
  std::string buffer;  // lines that were not taken yet; the last one may be incomplete
  std::string chunk(1 << 20, '\0');
  std::size_t number = 0;
  const auto take_line = [&](std::string_view line) -> Result<void> {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return {};
    const auto parsed = parse_line(line).in(fmt::format("{}: line {}", file.string(), number));
    if (!parsed.ok()) return parsed.error();
    if (parsed->prompt.empty() && parsed->text.empty()) return {};
    return take({parsed->prompt, parsed->text});
  };
  while (true) {
    TACHO_TRY(bytes, input.read(chunk));
    buffer.append(chunk, 0, bytes);
    if (static_cast<std::int64_t>(buffer.size()) > kLargestDocument.count) {
      return Error{ErrorCode::invalid,
                   fmt::format("{}: line {} is too long", file.string(), number + 1)};
    }
    std::size_t begin = 0;
    for (auto end = buffer.find('\n'); end != std::string::npos; end = buffer.find('\n', begin)) {
      TACHO_CHECK(take_line(std::string_view(buffer).substr(begin, end - begin)));
      begin = end + 1;
    }
    buffer.erase(0, begin);
    if (bytes < chunk.size()) return take_line(buffer);
  }
}

}  // namespace

Result<TextFiles> find_text_files(const fs::path& path) {
  std::error_code problem;
  if (!fs::exists(path, problem)) return system_error(path, ENOENT);
  if (fs::is_regular_file(path, problem)) return TextFiles{.train = {path}, .eval = {}};
  TextFiles files;
  for (auto at = fs::directory_iterator(path, problem); !problem && at != fs::directory_iterator();
       at.increment(problem)) {
    if (!is_text_file(at->path())) continue;
    (is_eval(at->path()) ? files.eval : files.train).push_back(at->path());
  }
  if (problem) return system_error(path, problem.value());
  if (files.train.empty() && !files.eval.empty()) std::swap(files.train, files.eval);
  if (files.train.empty()) {
    return Error{ErrorCode::not_found,
                 fmt::format("{}: contains no .txt, .md or .jsonl file", path.string())};
  }
  std::ranges::sort(files.train);
  std::ranges::sort(files.eval);
  return files;
}

Result<void> read_documents(const fs::path& file, const TakeDocument& take) {
  if (has_lines(file)) return read_lines(file, take);
  TACHO_TRY(content, read_content(file, kLargestDocument));
  if (!is_utf8(content)) return Error{ErrorCode::invalid, file.string() + ": not UTF-8"};
  return content.empty() ? Result<void>() : take({"", content});
}

}  // namespace tacho
