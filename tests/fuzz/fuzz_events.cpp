// JSON files of a run's folder: events, usage samples, operators; and the output of its program.
#include <string>

#include "core/record/event_log.h"
#include "core/record/op_trace.h"
#include "core/record/run_record.h"
#include "core/record/usage_summary.h"
#include "fuzz_loop.h"

namespace tacho {
namespace {

std::string sample_events() {
  std::string text;
  for (const EventBody& body : std::vector<EventBody>{
           RunStarted{}, InputReady{100, 10, 10, 5, 0.1}, ModelReady{7, 0.1},
           RanksReady{"shm", {{0, 0, "a", 1}, {1, 0, "a", 2}}, 0.1},
           StepsDone{1, 1, 1, {0.5, 0.25}, {0, 0.1}, {2, 1}}, EpochDone{.top1 = 0.5},
           CheckpointWritten{1, "a", 5, 0.1}, Note{"n"}, FiguresSeen{"output", 3, {{"loss", 0.5}}},
           StepsFound{1, 5, 0.1, 0.1, 0.1, 10, 1}, RunEnded{}}) {
    text += to_line(Event{1000, body}) + "\n";
  }
  return text;
}

std::string sample_usage() {
  UsageSample sample;
  sample.unix_seconds = 1000;
  sample.read_bytes = 5;
  sample.gpus.push_back({.name = "GPU", .joules = 3, .throttled_by = {"thermal"}});
  UsageFacts facts;
  facts.threads.push_back({"main", 5, 1.5});
  facts.hardware["cycles"] = 5;
  return to_line(sample) + "\n" + to_line(sample) + "\n" + to_line(facts) + "\n";
}

std::string sample_operators() {
  OpTrace trace;
  trace.step_s = {0.5};
  trace.operator_s = {0.4};
  trace.rows.push_back({"aten::mm", "[2, 3] [3, 4]", OpPhase::forward, 2, 0.1, 0.2, 48, 96});
  return json_text(to_json(trace));
}

// Every reader gets every text, and must reject other formats.
bool read_all(const std::string& text) {
  bool accepted = false;
  EventParser parser;
  if (auto events = parser.feed(text); events.ok()) {
    const RunRecord record = fold(RunOrder{}, *events);
    accepted = run_record_from_json(to_json(record)).ok() || !metrics_of(record).empty();
  }
  if (auto usage = usage_from_text(text); usage.ok()) {
    accepted = accepted || summarise(*usage).seconds >= 0;
  }
  if (auto json = parse_json(text); json.ok()) {
    accepted = accepted || op_trace_from_json(*json).ok() || run_record_from_json(*json).ok();
  }
  return accepted;
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  const auto record = tacho::fold(tacho::RunOrder{.key = "k"}, {});
  return tacho::fuzz(argc, argv,
                     {tacho::sample_events(), tacho::sample_usage(), tacho::sample_operators(),
                      tacho::json_text(tacho::to_json(record))},
                     tacho::read_all, [](std::string&) {});
}
