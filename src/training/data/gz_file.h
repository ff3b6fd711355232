#pragma once

#include <zlib.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "base/units.h"

namespace tacho {

// Reads a file, plain or gzip-compressed. Reports a truncated stream, unlike zlib itself.
class GzFile {
 public:
  static Result<GzFile> open(const std::filesystem::path& path);

  // Fills `out`; returns fewer bytes only at the end of the content.
  Result<std::size_t> read(std::span<char> out);

 private:
  struct Close {
    void operator()(gzFile file) const { ::gzclose_r(file); }
  };
  using Handle = std::unique_ptr<gzFile_s, Close>;

  GzFile(Handle handle, std::filesystem::path path)
      : handle_(std::move(handle)), path_(std::move(path)) {}

  Handle handle_;
  std::filesystem::path path_;
};

// Reads the whole content; ErrorCode::invalid if it is larger than `limit`.
Result<std::string> read_content(const std::filesystem::path& path, Bytes limit = Bytes{1 << 30});

}  // namespace tacho
