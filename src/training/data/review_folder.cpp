#include "training/data/review_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/file.h"
#include "training/text/utf8.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kParts = {"train", "test"};
constexpr std::array<std::string_view, 2> kLabels = {"neg", "pos"};
constexpr std::string_view kLineBreak = "<br />";
constexpr Bytes kLargestSet{1 << 30};  // the published set has 65 MB

struct Place {
  std::size_t part;
  std::size_t label;
};

std::optional<std::size_t> index_of(const std::array<std::string_view, 2>& names,
                                    const fs::path& path) {
  const auto* const at = std::find(names.begin(), names.end(), path.filename().string());
  if (at == names.end()) return std::nullopt;
  return static_cast<std::size_t>(at - names.begin());
}

std::optional<Place> place_of(const fs::path& path) {
  if (path.extension() != ".txt" || path.filename().string().starts_with('.')) return std::nullopt;
  const fs::path folder = path.parent_path();
  const auto label = index_of(kLabels, folder);
  const auto part = index_of(kParts, folder.parent_path());
  if (!label || !part) return std::nullopt;
  return Place{*part, *label};
}

std::string on_one_line(std::string text) {
  for (std::size_t at = 0; (at = text.find(kLineBreak, at)) != std::string::npos; ++at) {
    text.replace(at, kLineBreak.size(), " ");
  }
  const auto breaks_a_line = [](char c) { return c == '\t' || c == '\n' || c == '\r'; };
  std::replace_if(text.begin(), text.end(), breaks_a_line, ' ');
  return text;
}

}  // namespace

bool Reviews::is_review(const fs::path& path) { return place_of(path).has_value(); }

Result<void> Reviews::add(const fs::path& path, std::string content) {
  const auto refused = [&path](std::string_view what) {
    return Error{ErrorCode::invalid, fmt::format("{}: {}", path.string(), what)};
  };
  const auto place = place_of(path);
  if (!place) broken_invariant("add() of a file that is not a review");
  if (static_cast<std::int64_t>(content.size()) > kLargestReview.count) {
    return refused(fmt::format("larger than the limit of {} for a review", human(kLargestReview)));
  }
  bytes_ += static_cast<std::int64_t>(content.size());
  if (bytes_ > kLargestSet.count) {
    return refused(fmt::format("the reviews exceed {} in total", human(kLargestSet)));
  }
  if (!is_utf8(content)) return refused("not UTF-8");
  std::string line = on_one_line(std::move(content));
  if (line.find_first_not_of(' ') == std::string::npos) return refused("contains no text");
  ByName& reviews = parts_[place->part][place->label];
  if (!reviews.emplace(path.filename(), std::move(line)).second) return refused("occurs twice");
  return {};
}

bool Reviews::empty() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const std::array<ByName, 2>& labels) {
    return labels[0].empty() && labels[1].empty();
  });
}

std::string Reviews::table(Part part) const {
  const auto& [against, in_favour] = parts_[part];
  std::string lines;
  const auto add_line = [&lines](const std::string& review, char label) {
    lines.append(review).append({'\t', label, '\n'});
  };
  auto con = against.begin();
  auto pro = in_favour.begin();
  while (con != against.end() || pro != in_favour.end()) {
    if (con != against.end()) add_line((con++)->second, '0');
    if (pro != in_favour.end()) add_line((pro++)->second, '1');
  }
  return lines;
}

Result<Reviews> read_review_folder(const fs::path& folder) {
  std::error_code ignored;
  const fs::path root = fs::is_directory(folder / "aclImdb", ignored) ? folder / "aclImdb" : folder;
  Reviews reviews;
  for (const std::string_view part : kParts) {
    for (const std::string_view label : kLabels) {
      const fs::path place = root / part / label;
      std::error_code error;
      for (auto at = fs::directory_iterator(place, error); !error && at != fs::end(at);
           at.increment(error)) {
        if (!Reviews::is_review(at->path())) continue;
        TACHO_TRY(content, read_file(at->path(), kLargestReview));
        TACHO_CHECK(reviews.add(at->path(), std::move(content)));
      }
      if (error == std::errc::no_such_file_or_directory) {
        return Error{ErrorCode::not_found, fmt::format("{}: has no {}/{}; expected {}",
                                                       root.string(), part, label, kReviewRelease)};
      }
      if (error) return system_error(place, error.value());
    }
  }
  return reviews;
}

}  // namespace tacho
