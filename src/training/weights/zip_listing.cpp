#include "training/weights/zip_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>

#include "base/terminal.h"

namespace tacho {
namespace {

constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kLocatorBytes = 20;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kRecordBytes = 46;  // of the directory, without name and extra fields
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kMostDirectoryBytes = 64 << 20;
constexpr std::uint32_t kIn64 = 0xFFFFFFFF;  // the value is in the zip64 field

Error broken_zip(std::string what) { return {ErrorCode::invalid, std::move(what)}; }

// A little-endian number of up to 8 bytes. The caller has checked the length.
std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = width; i-- > 0;) {
    value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

struct Directory {
  std::size_t begin = 0;
  std::size_t size = 0;
  std::size_t entries = 0;
};

Result<Directory> checked(const Directory& directory, std::size_t end) {
  if (directory.begin > end || directory.size != end - directory.begin ||
      directory.size > kMostDirectoryBytes || directory.entries > directory.size / kRecordBytes) {
    return broken_zip("the zip directory does not fit the file");
  }
  return directory;
}

Result<Directory> find_directory(const InputFile& file) {
  constexpr std::string_view kTruncated =
      "no zip directory at its end; it is truncated, copy or download it again";
  if (file.size() < kEndBytes) return broken_zip(std::string(kTruncated));
  const std::size_t end = file.size() - kEndBytes;
  TACHO_TRY(record, file.bytes(kEndBytes, end));
  if (!record.starts_with("PK\5\6") || number_at(record, 20, 2) != 0) {
    return broken_zip(std::string(kTruncated));
  }
  if (end >= kLocatorBytes) {
    TACHO_TRY(locator, file.bytes(kLocatorBytes, end - kLocatorBytes));
    if (locator.starts_with("PK\6\7")) {
      const std::uint64_t at = number_at(locator, 8, 8);
      if (end < kLocatorBytes + kEnd64Bytes || at != end - kLocatorBytes - kEnd64Bytes) {
        return broken_zip("the zip directory does not fit the file");
      }
      TACHO_TRY(wide, file.bytes(kEnd64Bytes, at));
      if (!wide.starts_with("PK\6\6")) return broken_zip("bad zip64 directory");
      return checked({number_at(wide, 48, 8), number_at(wide, 40, 8), number_at(wide, 32, 8)}, at);
    }
  }
  return checked({number_at(record, 16, 4), number_at(record, 12, 4), number_at(record, 10, 2)},
                 end);
}

struct Record {
  std::string_view name;
  std::uint64_t packed = 0;
  std::uint64_t size = 0;
  std::uint64_t header = 0;  // offset of the local header
};

// Replaces the values that do not fit 32 bits by those of the zip64 field.
Result<void> widen(std::string_view extra, Record& record) {
  while (extra.size() >= 4) {
    const std::uint64_t id = number_at(extra, 0, 2);
    const std::size_t length = number_at(extra, 2, 2);
    extra.remove_prefix(4);
    if (length > extra.size()) return broken_zip("bad extra field");
    if (id == 1) {
      std::string_view values = extra.substr(0, length);
      for (std::uint64_t* value : {&record.size, &record.packed, &record.header}) {
        if (*value != kIn64) continue;
        if (values.size() < 8) return broken_zip("bad zip64 field");
        *value = number_at(values, 0, 8);
        values.remove_prefix(8);
      }
      return {};
    }
    extra.remove_prefix(length);
  }
  return {};
}

// Reads a record from the front of `rest` and removes it.
Result<Record> next_record(std::string_view& rest) {
  if (rest.size() < kRecordBytes || !rest.starts_with("PK\1\2")) {
    return broken_zip("bad zip directory");
  }
  const std::size_t name = number_at(rest, 28, 2);
  const std::size_t extra = number_at(rest, 30, 2);
  const std::size_t whole = kRecordBytes + name + extra + number_at(rest, 32, 2);
  if (whole > rest.size()) return broken_zip("bad zip directory");
  Record record{rest.substr(kRecordBytes, name), number_at(rest, 20, 4), number_at(rest, 24, 4),
                number_at(rest, 42, 4)};
  TACHO_CHECK(widen(rest.substr(kRecordBytes + name, extra), record));
  if ((number_at(rest, 8, 2) & 1U) != 0) return broken_zip("it is encrypted");
  if (number_at(rest, 10, 2) != 0 || record.packed != record.size) {
    return broken_zip(
        fmt::format("'{}' is compressed; torch.save does not compress", printable(record.name)));
  }
  rest.remove_prefix(whole);
  return record;
}

Result<ZipEntry> locate(const InputFile& file, const Record& record, std::size_t end) {
  const auto misplaced = [&record] {
    return broken_zip(fmt::format("'{}' does not fit the file", printable(record.name)));
  };
  if (record.header > end || end - record.header < kLocalBytes + record.name.size()) {
    return misplaced();
  }
  TACHO_TRY(local, file.bytes(kLocalBytes + record.name.size(), record.header));
  if (!local.starts_with("PK\3\4") || number_at(local, 26, 2) != record.name.size() ||
      std::string_view(local).substr(kLocalBytes) != record.name) {
    return broken_zip(
        fmt::format("'{}' is not where the zip directory says", printable(record.name)));
  }
  const std::size_t begin =
      record.header + kLocalBytes + record.name.size() + number_at(local, 28, 2);
  if (begin > end || record.size > end - begin) return misplaced();
  return ZipEntry{std::string(record.name), begin, record.size};
}

struct Extent {
  std::size_t begin;
  std::size_t end;
};

Result<void> check_disjoint(std::vector<Extent> extents) {
  std::ranges::sort(extents, {}, &Extent::begin);
  for (std::size_t i = 1; i < extents.size(); ++i) {
    if (extents[i].begin < extents[i - 1].end) return broken_zip("its zip entries overlap");
  }
  return {};
}

}  // namespace

Result<std::vector<ZipEntry>> list_zip(const InputFile& file) {
  TACHO_TRY(directory, find_directory(file));
  TACHO_TRY(records, file.bytes(directory.size, directory.begin));
  std::string_view rest = records;
  std::vector<ZipEntry> entries;
  std::vector<Extent> extents;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < directory.entries; ++i) {
    TACHO_TRY(record, next_record(rest));
    if (!names.insert(record.name).second) {
      return broken_zip(fmt::format("'{}' occurs twice", printable(record.name)));
    }
    TACHO_TRY(entry, locate(file, record, directory.begin));
    extents.push_back({record.header, entry.begin + entry.size});
    entries.push_back(std::move(entry));
  }
  if (!rest.empty()) return broken_zip("bad zip directory");
  TACHO_CHECK(check_disjoint(std::move(extents)));
  return entries;
}

}  // namespace tacho
