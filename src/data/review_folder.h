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

// What a user is told to bring.
inline constexpr std::string_view kReviewRelease =
    "aclImdb_v1.tar.gz, or its folder with train/pos, train/neg, test/pos and test/neg";

// Film reviews as the Large Movie Review Dataset (aclImdb) keeps them, one a file:
// train/pos/0_9.txt, train/neg/…, test/pos/…, test/neg/…
class Reviews {
 public:
  enum class Part { train, test };

  // Whether a file with this path is a review; what stands before train/ or test/ does not matter.
  static bool is_review(const std::filesystem::path& path);

  // `path` is a review's. HTML's line breaks, and all that would break a line of a table, become
  // spaces.
  Result<void> add(const std::filesystem::path& path, std::string content);

  [[nodiscard]] bool empty() const;

  // Lines of `review<TAB>0 or 1` for read_sentences(), against and for in turn, each in the order
  // of their names: so the first thousand lines hold both.
  [[nodiscard]] std::string table(Part part) const;

 private:
  using ByName = std::map<std::string, std::string>;
  EnumArray<Part, std::array<ByName, 2>, 2> parts_;  // by part and label
  std::int64_t bytes_ = 0;
};

// All reviews in `folder`, or in the folder aclImdb there.
Result<Reviews> read_review_folder(const std::filesystem::path& folder);

}  // namespace tacho
