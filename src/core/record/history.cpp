#include "core/record/history.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "base/confined_file.h"
#include "core/record/event_log.h"

namespace tacho {

namespace fs = std::filesystem;

namespace {

class HistoryBuilder {
 public:
  // What a resumed attempt repeats replaces the earlier events, as in the record.
  void add(double /*now*/, const RunStarted& started) {
    std::erase_if(entries_, [&](const Entry& e) { return e.epoch > started.resumed_epochs; });
  }
  // The event is written after the last step of the chunk.
  void add(double now, const StepsDone& chunk) {
    double end = now;
    for (const double seconds : chunk.seconds) end -= seconds;
    for (std::size_t i = 0; i < chunk.seconds.size(); ++i) {
      end += chunk.seconds[i];
      last_step_ = chunk.first_step + static_cast<std::int64_t>(i);
      add(chunk.epoch, end,
          {{"train/loss", chunk.loss[i]},
           {"train/step_s", chunk.seconds[i]},
           {"train/input_s", chunk.input_seconds[i]}});
    }
  }
  void add(double now, const EpochDone& epoch) {
    add(epoch.epoch, now,
        {{"epoch", static_cast<double>(epoch.epoch)},
         {"epoch/train_loss", epoch.train_loss},
         {"epoch/train_top1", epoch.train_top1},
         {"epoch/learning_rate", epoch.learning_rate},
         {"eval/loss", epoch.eval_loss},
         {"eval/top1", epoch.top1},
         {"eval/top5", epoch.top5}});
  }
  void add(double now, FiguresSeen seen) {
    entries_.push_back({0, {seen.step, now, std::move(seen.values)}});
  }

  std::vector<HistoryPoint> done() {
    std::vector<HistoryPoint> points;
    points.reserve(entries_.size());
    for (Entry& entry : entries_) points.push_back(std::move(entry.point));
    std::ranges::stable_sort(points, {}, &HistoryPoint::unix_seconds);
    return points;
  }

 private:
  struct Entry {
    std::int64_t epoch = 0;  // 0: not of a training
    HistoryPoint point;
  };
  void add(std::int64_t epoch, double now, std::map<std::string, double> values) {
    entries_.push_back({epoch, {last_step_, now, std::move(values)}});
  }

  std::vector<Entry> entries_;
  std::int64_t last_step_ = 0;
};

std::vector<fs::path> logged_files(const RunFolder& folder) {
  std::vector<fs::path> files;
  std::error_code absent;
  if (fs::is_directory(fs::symlink_status(folder.logged(), absent))) {
    for (const auto& entry : fs::directory_iterator(folder.logged(), absent)) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

// Adds what all processes logged or an import wrote, and returns its sources. Events are large, so
// that only some are in memory at a time.
Result<std::set<std::string>> add_logged(const RunFolder& folder, HistoryBuilder& history) {
  constexpr std::size_t kPieceBytes = 1 << 20;
  std::set<std::string> sources;
  for (const fs::path& file : logged_files(folder)) {
    TACHO_TRY(text, read_confined(folder.path(), file));
    EventParser parser;
    for (std::size_t at = 0; at < text.size(); at += kPieceBytes) {
      const std::string_view piece = std::string_view(text).substr(at, kPieceBytes);
      TACHO_TRY(events, parser.feed(piece).in(file.string()));
      for (Event& event : events) {
        auto* seen = std::get_if<FiguresSeen>(&event.body);
        if (seen == nullptr) continue;
        sources.insert(seen->from);
        history.add(event.unix_seconds, std::move(*seen));
      }
    }
  }
  return sources;
}

}  // namespace

Result<std::vector<HistoryPoint>> read_history(const RunFolder& folder) {
  HistoryBuilder history;
  TACHO_TRY(logged_by, add_logged(folder, history));
  TACHO_TRY(events, read_events(folder.events()));
  for (Event& event : events) {
    const double now = event.unix_seconds;
    if (const auto* started = std::get_if<RunStarted>(&event.body)) {
      history.add(now, *started);
    } else if (const auto* chunk = std::get_if<StepsDone>(&event.body)) {
      history.add(now, *chunk);
    } else if (const auto* epoch = std::get_if<EpochDone>(&event.body)) {
      history.add(now, *epoch);
    } else if (auto* seen = std::get_if<FiguresSeen>(&event.body)) {
      // Of what was logged, these are a selection, with other times.
      if (!logged_by.contains(seen->from)) history.add(now, std::move(*seen));
    }
  }
  return history.done();
}

}  // namespace tacho
