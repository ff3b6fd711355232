#include "experiments/exchange/import_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/confined_file.h"
#include "base/sha256.h"
#include "experiments/runner/run_state.h"
#include "tracing/listen/figure_thinner.h"

namespace tacho {
namespace {

constexpr const char* kLogFile = "import.jsonl";

std::string text_of(const std::vector<Event>& events) {
  std::string text;
  for (const Event& event : events) text += to_line(event) + "\n";
  return text;
}

// Records have no control characters in names.
template <class Value>
std::map<std::string, Value> with_plain_names(std::map<std::string, Value> entries) {
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7F; };
  std::map<std::string, Value> out;
  for (auto& [name, value] : entries) {
    std::string plain = name;
    std::ranges::replace_if(plain, is_control, '_');
    out.insert_or_assign(std::move(plain), std::move(value));
  }
  return out;
}

RunOrder order_of(const PortableRun& run) {
  RunOrder order;
  order.key = hex(Sha256::of(run.tool + '\0' + run.id)).substr(0, 16);
  order.created_at = run.began;
  // The program that ran is not known: the source stands for it.
  order.command = CommandSpec{
      .argv = {run.source.string()}, .folder = run.source.parent_path().string(), .trace = false};
  return order;
}

}  // namespace

std::vector<Event> events_of(const PortableRun& run) {
  RunDescribed described = run.described;
  described.config = with_plain_names(std::move(described.config));
  std::vector<Event> events = {{run.began, std::move(described)}};
  const std::string origin = fmt::format("imported: {}, {}", run.origin, run.source.string());
  events.push_back({run.began, Note{origin}});
  for (const std::string& note : run.notes) events.push_back({run.began, Note{note}});
  for (const HistoryPoint& point : run.points) {
    events.push_back(
        {point.unix_seconds, FiguresSeen{run.tool, point.step, with_plain_names(point.values)}});
  }
  RunEnded ended{.outcome = run.outcome, .reason = run.reason};
  ended.wall_seconds = run.ended - run.began;
  events.push_back({run.ended, ended});
  return events;
}

std::vector<Event> selected(const std::vector<Event>& events) {
  FigureThinner thinner;
  std::vector<std::int64_t> kept;
  // The step of a figure that passes the thinner is the index of its event.
  const auto keep = [&kept](const std::vector<FiguresSeen>& due) {
    for (const FiguresSeen& seen : due) kept.push_back(*seen.step);
  };
  for (std::int64_t i = 0; i < std::ssize(events); ++i) {
    if (const auto* seen = std::get_if<FiguresSeen>(&events[static_cast<std::size_t>(i)].body)) {
      keep(thinner.add({seen->from, i, seen->values}));
    } else {
      kept.push_back(i);
    }
  }
  keep(thinner.finish());
  std::ranges::sort(kept);
  std::vector<Event> out;
  for (const std::int64_t index : kept) out.push_back(events[static_cast<std::size_t>(index)]);
  return out;
}

Result<ImportedRun> import_run(const PortableRun& run, const std::filesystem::path& home,
                               RunStore& store) {
  if (run.points.size() > kMostPoints) return too_many_points(run.source);
  const RunOrder order = order_of(run);
  const RunFolder folder(home / "runs" / order.key);
  const std::vector<Event> events = events_of(run);
  const std::string text = text_of(events);
  auto known = store.find(order.key);
  if (!known.ok() && known.error().code != ErrorCode::not_found) return known.error();
  const auto before = read_confined(folder.path(), folder.logged() / kLogFile);
  if (known.ok() && before.ok() && *before == text) {
    return ImportedRun{known->row.id, std::move(known->record), ImportChange::unchanged};
  }
  TACHO_CHECK(folder.create(order));
  TACHO_TRY(lock, own_run(folder));
  (void)lock;
  TACHO_CHECK(make_folders(folder.logged()));
  TACHO_CHECK(write_file_atomically(folder.events(), text_of(selected(events))));
  if (!run.output.empty()) TACHO_CHECK(write_file_atomically(folder.output(), run.output));
  TACHO_TRY(record, inspect_run(folder));
  TACHO_TRY(id, store.put(record, folder.path()));
  // Last: it says that the import was complete.
  TACHO_CHECK(write_file_atomically(folder.logged() / kLogFile, text));
  return ImportedRun{id, std::move(record),
                     known.ok() ? ImportChange::updated : ImportChange::added};
}

}  // namespace tacho
