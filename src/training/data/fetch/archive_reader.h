#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "training/data/fetch/entry_reader.h"

struct archive;

namespace tacho {

// Reads a .tar, .tar.gz, .tar.xz or .zip from front to back. Skipping the content of an entry costs
// one seek if the archive is not compressed.
class ArchiveReader final : public EntryReader {
 public:
  static Result<ArchiveReader> open(const std::filesystem::path& file);
  // Reads the .tar that is the current entry of `outer`, without storing it. `outer` must be
  // neither moved nor used meanwhile.
  static Result<ArchiveReader> within(ArchiveReader& outer);

  Result<bool> next() override;
  [[nodiscard]] std::string_view path() const override { return path_; }
  Result<std::string_view> content(Bytes limit) override;
  [[nodiscard]] Progress progress() const override;
  [[nodiscard]] Error bad(std::string_view why) const override;

  // Like next(), but returns entries of any type and name.
  Result<bool> next_entry();
  [[nodiscard]] bool is_file() const { return kind_ == Kind::file; }
  [[nodiscard]] Bytes size() const { return size_; }  // of the entry, according to the archive
  // Returns the entry's next bytes, valid until the next call; empty at its end.
  Result<std::string_view> block();

 private:
  enum class Kind { file, folder, link, other };
  struct Close {
    void operator()(struct archive* handle) const;
  };
  ArchiveReader(std::string name, Bytes total);
  [[nodiscard]] Error library_says(std::string_view where) const;

  std::unique_ptr<struct archive, Close> handle_;
  std::string name_;  // for messages: the file and the entry
  Bytes total_;
  std::string path_;
  Kind kind_ = Kind::other;
  Bytes size_;
  std::int64_t offset_ = 0;
  std::string content_;
};

}  // namespace tacho
