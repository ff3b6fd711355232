#include "training/data/fetch/image_rows.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/json_object.h"
#include "training/data/fetch/image_source.h"
#include "training/data/fetch/verify.h"
#include "training/image/png_reader.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

Result<void> append_rows(std::string_view encoded, std::int64_t side, ImageSet& set) {
  PngReader reader;
  TACHO_TRY(size,
            reader.open({reinterpret_cast<const std::uint8_t*>(encoded.data()), encoded.size()}));
  if (size.width != side * side) {
    return Error{ErrorCode::invalid,
                 fmt::format("{} pixels wide, expected {}", size.width, side * side)};
  }
  Planes planes;
  TACHO_CHECK(reader.decode({.width = double(size.width), .height = double(size.height)}, planes));
  if (planes.count != 3) return Error{ErrorCode::invalid, "not a colour image"};
  set.channels = planes.count;
  set.height = side;
  set.width = side;
  set.count += size.height;
  for (int y = 0; y < size.height; ++y) {
    for (int i = 0; i < planes.count; ++i) {
      const std::uint8_t* row = planes.planes[static_cast<std::size_t>(i)].row(y);
      set.pixels.insert(set.pixels.end(), row, row + size.width);
    }
  }
  return {};
}

Result<void> read_labels(std::string_view text, std::size_t classes, ImageSet& set) {
  TACHO_TRY(labels, parse_json(text));
  for (const Json& label : labels) {
    if (!label.is_number_unsigned() || label.get<std::uint64_t>() >= classes) {
      return Error{ErrorCode::invalid,
                   fmt::format("label {} (expected 0 to {})", json_text(label), classes - 1)};
    }
    set.labels.push_back(label.get<std::int64_t>());
  }
  if (static_cast<std::int64_t>(set.labels.size()) == set.count) return {};
  return Error{ErrorCode::invalid,
               fmt::format("{} labels of {} images", set.labels.size(), set.count)};
}

}  // namespace

Result<ImageData> load_image_rows(const DatasetInfo& info, const fs::path& folder, const Say& say,
                                  const Watch& watch) {
  DatasetInfo package = info;
  package.files = info.npm_files;
  package.side = 0;
  TACHO_CHECK(check(verify(package, folder, say)));
  ImageData data{.classes = info.classes};
  ImageSet* part = &data.train;
  for (const DatasetFile& file : package.files) {
    if (watch.should_stop()) return stopped_before_writing();
    say(fmt::format("reading {}", file.name));
    const fs::path path = folder / file.name;
    TACHO_TRY(content, read_file(path, Bytes{file.bytes}));
    const bool ends_part = file.name.ends_with(".json");
    TACHO_CHECK((ends_part ? read_labels(content, info.labels.size(), *part)
                           : append_rows(content, info.side, *part))
                    .in(path.string()));
    if (ends_part) part = &data.eval;
  }
  return data;
}

}  // namespace tacho
