#include "training/data/image_folder.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/file.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

struct Listing {
  std::vector<std::string> folders;  // sorted
  std::vector<std::string> files;
  std::int64_t others = 0;  // neither, such as a dangling link
};

// Most file systems report the type with the name; links and other entries need a stat().
mode_t kind_of(DIR* folder, const dirent& entry) {
  if (entry.d_type == DT_REG) return S_IFREG;
  if (entry.d_type == DT_DIR) return S_IFDIR;
  struct stat status {};
  const bool there = ::fstatat(::dirfd(folder), entry.d_name, &status, 0) == 0;
  return there ? status.st_mode & S_IFMT : 0;
}

Result<Listing> list(const fs::path& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
  if (!folder) return system_error(path, errno);
  Listing listing;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(folder.get());
    if (entry == nullptr && errno != 0) return system_error(path, errno);
    if (entry == nullptr) break;
    if (entry->d_name[0] == '.') continue;
    const mode_t kind = kind_of(folder.get(), *entry);
    if (kind == S_IFREG) {
      listing.files.emplace_back(entry->d_name);
    } else if (kind == S_IFDIR) {
      listing.folders.emplace_back(entry->d_name);
    } else {
      ++listing.others;
    }
  }
  std::sort(listing.folders.begin(), listing.folders.end());
  std::sort(listing.files.begin(), listing.files.end());
  return listing;
}

// Appends the images of one class; returns the number of other entries.
Result<std::int64_t> add_class(ImageList& list_of_part, const fs::path& below, std::int64_t label) {
  TACHO_TRY(listing, list(list_of_part.root / below));
  const std::string prefix = below.string() + "/";
  std::int64_t skipped = listing.others + static_cast<std::int64_t>(listing.folders.size());
  for (const std::string& name : listing.files) {
    if (!is_image_name(name)) {
      ++skipped;
      continue;
    }
    list_of_part.files.push_back(prefix + name);
    list_of_part.labels.push_back(label);
  }
  return skipped;
}

Error no_image(const fs::path& folder) {
  return {ErrorCode::invalid,
          fmt::format("{}: contains no image (.jpg, .jpeg or .png); add some or remove it",
                      folder.string())};
}

Result<ImageList> list_train(const fs::path& root, std::int64_t& skipped) {
  const fs::path folder = root / kTrainPart;
  TACHO_TRY(entries, list(folder));
  skipped += entries.others + static_cast<std::int64_t>(entries.files.size());
  ImageList part{.root = root, .classes = std::move(entries.folders)};
  if (part.classes.empty()) {
    return Error{
        ErrorCode::invalid,
        fmt::format("{}: contains no class; create one folder per class", folder.string())};
  }
  for (std::size_t label = 0; label < part.classes.size(); ++label) {
    const std::size_t before = part.files.size();
    TACHO_TRY(others, add_class(part, fs::path(kTrainPart) / part.classes[label],
                                static_cast<std::int64_t>(label)));
    if (part.files.size() == before) return no_image(folder / part.classes[label]);
    skipped += others;
  }
  return part;
}

Result<ImageList> list_eval(const fs::path& root, const std::vector<std::string>& classes,
                            std::int64_t& skipped) {
  const std::string_view name = eval_part_of(root);
  TACHO_TRY(entries, list(root / name));
  skipped += entries.others + static_cast<std::int64_t>(entries.files.size());
  ImageList part{.root = root, .classes = classes};
  for (const std::string& class_name : entries.folders) {
    const auto at = std::lower_bound(classes.begin(), classes.end(), class_name);
    if (at == classes.end() || *at != class_name) {
      return Error{ErrorCode::invalid,
                   fmt::format("{}: there is no such class in {}",
                               (root / name / class_name).string(), (root / kTrainPart).string())};
    }
    TACHO_TRY(others, add_class(part, fs::path(name) / class_name, at - classes.begin()));
    skipped += others;
  }
  if (part.files.empty()) return no_image(root / name);
  return part;
}

}  // namespace

std::string_view eval_part_of(const fs::path& folder) {
  for (const std::string_view part : kEvalParts) {
    std::error_code ignored;
    if (fs::status(folder / part, ignored).type() != fs::file_type::not_found) return part;
  }
  return kEvalParts.front();
}

Result<ImageFolder> load_image_folder(const fs::path& folder) {
  ImageFolder images;
  TACHO_TRY(train, list_train(folder, images.skipped));
  TACHO_TRY(eval, list_eval(folder, train.classes, images.skipped));
  images.train = std::move(train);
  images.eval = std::move(eval);
  return images;
}

bool is_image_name(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return false;
  std::string ending(name.substr(dot + 1));
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return ending == "jpg" || ending == "jpeg" || ending == "png";
}

bool begins_like_an_image(std::string_view bytes) {
  return bytes.starts_with("\xFF\xD8\xFF") || bytes.starts_with("\x89PNG\r\n\x1A\n");
}

}  // namespace tacho
