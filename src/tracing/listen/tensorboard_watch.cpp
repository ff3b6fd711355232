#include "tracing/listen/tensorboard_watch.h"

#include <system_error>

namespace tacho {
namespace {

namespace fs = std::filesystem;

// A program may be started in a home folder: limits the search to the usual depth of log folders.
constexpr int kDeepest = 4;
constexpr std::size_t kMostEntries = 20000;

bool is_event_file(const fs::path& path) {
  return path.filename().string().find("tfevents") != std::string::npos;
}

std::map<fs::path, std::uintmax_t> event_files(const TensorBoardWatch::Place& place) {
  std::map<fs::path, std::uintmax_t> found;
  std::error_code problem;
  fs::recursive_directory_iterator entries(place.folder,
                                           fs::directory_options::skip_permission_denied, problem);
  std::size_t seen = 0;
  for (; !problem && entries != fs::recursive_directory_iterator(); entries.increment(problem)) {
    if (!place.everywhere && ++seen > kMostEntries) break;
    const fs::path& path = entries->path();
    std::error_code gone;
    if (entries->is_directory(gone)) {
      const bool hidden = path.filename().string().starts_with('.');
      if (path == place.except || (!place.everywhere && (hidden || entries.depth() >= kDeepest))) {
        entries.disable_recursion_pending();
      }
    } else if (is_event_file(path) && entries->is_regular_file(gone)) {
      const auto size = entries->file_size(gone);
      if (!gone) found.emplace(path, size);
    }
  }
  return found;
}

}  // namespace

TensorBoardWatch::TensorBoardWatch(Place place)
    : place_(std::move(place)), before_(event_files(place_)) {}

void TensorBoardWatch::find_files() {
  for (const auto& [path, size] : event_files(place_)) {
    const auto old = before_.find(path);
    const std::uintmax_t known = old == before_.end() ? 0 : old->second;
    if (size > known) tails_.try_emplace(path, path, known);
  }
}

std::vector<FiguresSeen> TensorBoardWatch::look() {
  find_files();
  std::vector<FiguresSeen> seen;
  for (auto& [path, tail] : tails_) {
    auto figures = tail.read_new();
    if (!figures.ok()) {
      notes_.push_back(figures.error().message);
      continue;
    }
    for (Event& each : *figures) seen.push_back(std::get<FiguresSeen>(std::move(each.body)));
  }
  return seen;
}

}  // namespace tacho
