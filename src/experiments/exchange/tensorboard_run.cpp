#include "experiments/exchange/tensorboard_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/emit/tensorboard_sink.h"
#include "tracing/listen/tensorboard_tail.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

bool is_event_file(const fs::directory_entry& entry) {
  std::error_code gone;
  return entry.path().filename().string().find("tfevents") != std::string::npos &&
         entry.is_regular_file(gone);
}

// By name, which begins with the time of its creation.
std::vector<fs::path> event_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code gone;
  for (fs::directory_iterator at(folder, gone), end; !gone && at != end; at.increment(gone)) {
    if (is_event_file(*at)) files.push_back(at->path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::vector<fs::path> tensorboard_folders(const fs::path& folder) {
  std::set<fs::path> found;
  std::error_code gone;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, gone);
  for (const fs::recursive_directory_iterator end; !gone && at != end; at.increment(gone)) {
    if (is_event_file(*at)) found.insert(at->path().parent_path());
  }
  return {found.begin(), found.end()};
}

Result<PortableRun> read_tensorboard_run(const fs::path& folder) {
  PortableRun run{.tool = "tensorboard"};
  std::int64_t left = kLargestImport.count;
  for (const fs::path& file : event_files(folder)) {
    std::error_code gone;
    left -= static_cast<std::int64_t>(fs::file_size(file, gone));
    if (left < 0) return too_large(folder);
    TensorBoardTail tail(file);
    TACHO_TRY(events, tail.read_new());
    if (tail.damaged()) {
      return Error{ErrorCode::invalid, file.string() + ": damaged; copy it again"};
    }
    for (Event& event : events) {
      auto& figures = std::get<FiguresSeen>(event.body);
      const double time = is_time(event.unix_seconds) ? event.unix_seconds : 0;
      // Step 0 is not written: it is the default.
      run.points.push_back({figures.step.value_or(0), time, std::move(figures.values)});
    }
  }
  join_points(run.points);
  cover_points(run);
  return run;
}

Result<void> write_tensorboard_run(const PortableRun& run, const fs::path& folder) {
  if (!event_files(folder).empty()) {
    return Error{ErrorCode::usage, fmt::format("{} has event files of TensorBoard, which would be "
                                               "mixed with the new one; choose another folder",
                                               folder.string())};
  }
  TACHO_TRY(sink, TensorBoardSink::open(folder, run.began));
  for (const HistoryPoint& point : run.points) {
    TACHO_CHECK(sink->write({point.unix_seconds, FiguresSeen{"", point.step, point.values}}));
  }
  return {};
}

}  // namespace tacho
