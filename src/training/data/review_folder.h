#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/enum_array.h"
#include "base/result.h"
#include "base/units.h"

namespace tacho {

inline constexpr Bytes kLargestReview{1 << 20};

// Shown in error messages.
inline constexpr std::string_view kReviewRelease =
    "aclImdb_v1.tar.gz, or its folder with train/pos, train/neg, test/pos and test/neg";

// The film reviews of the Large Movie Review Dataset (aclImdb), one per file: train/pos/0_9.txt,
// train/neg/…, test/pos/…, test/neg/…
class Reviews {
 public:
  enum class Part { train, test };

  // True if the path is that of a review; anything before train/ or test/ is ignored.
  static bool is_review(const std::filesystem::path& path);

  // `path` must be that of a review. HTML line breaks, tabs and line ends become spaces.
  Result<void> add(const std::filesystem::path& path, std::string content);

  [[nodiscard]] bool empty() const;

  // Lines of `review<TAB>0 or 1` for read_sentences(), negative and positive alternating, each
  // ordered by name: so the first thousand lines contain both.
  [[nodiscard]] std::string table(Part part) const;

 private:
  using ByName = std::map<std::string, std::string>;
  EnumArray<Part, std::array<ByName, 2>, 2> parts_;  // by part and label
  std::int64_t bytes_ = 0;
};

// Reads all reviews in `folder`, or in its subfolder aclImdb.
Result<Reviews> read_review_folder(const std::filesystem::path& folder);

}  // namespace tacho
