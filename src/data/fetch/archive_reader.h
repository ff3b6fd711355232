#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "data/fetch/entry_reader.h"

struct archive;

namespace tacho {

// Reads a .tar, .tar.gz or .zip from front to back. An entry whose content is not asked for costs a
// seek where the archive is not compressed.
class ArchiveReader final : public EntryReader {
 public:
  static Result<ArchiveReader> open(const std::filesystem::path& file);
  // The .tar that `outer`'s entry is, unpacked from its data as they come. Neither move nor use
  // `outer` while this lives.
  static Result<ArchiveReader> within(ArchiveReader& outer);

  Result<bool> next() override;
  [[nodiscard]] std::string_view path() const override { return path_; }
  Result<std::string_view> content(Bytes limit) override;
  [[nodiscard]] Progress progress() const override;
  [[nodiscard]] Error bad(std::string_view why) const override;

  // Like next(), but stops at entries of any kind and name.
  Result<bool> next_entry();
  [[nodiscard]] bool is_file() const { return kind_ == Kind::file; }
  [[nodiscard]] Bytes size() const { return size_; }  // of the entry, as the archive claims
  // The entry's next bytes, until the next call; none at its end.
  Result<std::string_view> block();

 private:
  enum class Kind { file, folder, link, other };
  struct Close {
    void operator()(struct archive* handle) const;
  };
  ArchiveReader(std::string name, Bytes total);
  [[nodiscard]] Error library_says(std::string_view where) const;

  std::unique_ptr<struct archive, Close> handle_;
  std::string name_;  // for messages: the file, and within it the entry
  Bytes total_;
  std::string path_;
  Kind kind_ = Kind::other;
  Bytes size_;
  std::int64_t offset_ = 0;
  std::string content_;
};

}  // namespace tacho
