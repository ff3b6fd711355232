#include "experiments/exchange/run_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "core/record/event_log.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

// Collects the points of a run's events.
class PointCollector {
 public:
  void add(const Event& event) {
    if (const auto* started = std::get_if<RunStarted>(&event.body)) {
      drop_after(started->resumed_epochs);
    } else if (const auto* steps = std::get_if<StepsDone>(&event.body)) {
      add(event.unix_seconds, *steps);
    } else if (const auto* epoch = std::get_if<EpochDone>(&event.body)) {
      add(event.unix_seconds, *epoch);
    } else if (const auto* seen = std::get_if<FiguresSeen>(&event.body)) {
      add(event.unix_seconds, *seen);
    }
  }

  std::vector<RunPoint> done() {
    std::vector<RunPoint> points;
    for (Entry& entry : entries_) points.push_back(std::move(entry.point));
    std::ranges::stable_sort(points, {}, &RunPoint::unix_seconds);
    return points;
  }

 private:
  struct Entry {
    std::int64_t epoch;
    RunPoint point;
  };

  // A resumed attempt repeats these epochs.
  void drop_after(std::int64_t epoch) {
    std::erase_if(entries_, [epoch](const Entry& entry) { return entry.epoch > epoch; });
  }

  // The event is written at the end of its last step.
  void add(double unix_seconds, const StepsDone& steps) {
    double ended = unix_seconds - std::accumulate(steps.seconds.begin(), steps.seconds.end(), 0.0);
    for (std::size_t i = 0; i < steps.seconds.size(); ++i) {
      ended += steps.seconds[i];
      last_step_ = steps.first_step + static_cast<std::int64_t>(i);
      entries_.push_back({steps.epoch,
                          {last_step_,
                           ended,
                           {{"train/loss", steps.loss[i]},
                            {"train/step_s", steps.seconds[i]},
                            {"train/input_s", steps.input_seconds[i]}}}});
    }
  }

  void add(double unix_seconds, const EpochDone& epoch) {
    entries_.push_back({epoch.epoch,
                        {last_step_,
                         unix_seconds,
                         {{"epoch", static_cast<double>(epoch.epoch)},
                          {"epoch/train_loss", epoch.train_loss},
                          {"epoch/train_top1", epoch.train_top1},
                          {"epoch/learning_rate", epoch.learning_rate},
                          {"eval/loss", epoch.eval_loss},
                          {"eval/top1", epoch.top1},
                          {"eval/top5", epoch.top5}}}});
  }

  // Figures without a step are numbered in their order.
  void add(double unix_seconds, const FiguresSeen& seen) {
    const std::int64_t step = seen.step ? *seen.step : unnumbered_++;
    entries_.push_back({0, {step, unix_seconds, seen.values}});
  }

  std::vector<Entry> entries_;
  std::int64_t last_step_ = 0;
  std::int64_t unnumbered_ = 0;
};

// The complete logs of the program's processes: the run's events have a selection of them.
Result<std::vector<Event>> logged_figures(const RunFolder& folder) {
  std::vector<fs::path> files;
  std::error_code gone;
  for (fs::directory_iterator at(folder.logged(), gone), end; !gone && at != end;
       at.increment(gone)) {
    files.push_back(at->path());
  }
  std::ranges::sort(files);
  std::vector<Event> all;
  for (const fs::path& file : files) {
    TACHO_TRY(events, read_events(file));
    for (Event& event : events) {
      if (std::holds_alternative<FiguresSeen>(event.body)) all.push_back(std::move(event));
    }
  }
  return all;
}

// The settings of a training.
std::map<std::string, std::string> settings_of(const RunSpec& spec) {
  std::map<std::string, std::string> out;
  const Json json = to_json(spec);
  for (const auto& [name, value] : json.items()) {
    if (!value.is_null()) add_settings(name, value, out);
  }
  return out;
}

}  // namespace

Result<PortableRun> portable_run(const StoredRun& stored) {
  const RunRecord& record = stored.record;
  const RunFolder folder(stored.row.folder);
  const std::string place = fmt::format("run {}", stored.row.id);
  TACHO_TRY(events, read_events(folder.events()).in(place));
  TACHO_TRY(logged, logged_figures(folder).in(place));
  std::set<std::string> sources;
  PointCollector points;
  for (const Event& event : logged) {
    sources.insert(std::get<FiguresSeen>(event.body).from);
    points.add(event);
  }
  for (const Event& event : events) {
    const auto* seen = std::get_if<FiguresSeen>(&event.body);
    if (seen == nullptr || !sources.contains(seen->from)) points.add(event);
  }
  PortableRun run{.id = record.order.key, .source = folder.path()};
  if (record.described) run.described = *record.described;
  if (run.described.name.empty()) run.described.name = stored.row.model;
  if (!record.order.command) run.described.config = settings_of(record.order.spec);
  run.began = record.started_at.value_or(record.order.created_at);
  run.ended = run.began + record.totals.wall_seconds;
  run.outcome = record.outcome;
  run.reason = record.reason;
  run.points = points.done();
  cover_points(run);
  return run;
}

}  // namespace tacho
