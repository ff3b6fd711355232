#include "serving/dashboard/live_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "base/confined_file.h"
#include "base/json_object.h"
#include "core/record/event.h"
#include "core/record/event_fields.h"
#include "experiments/runner/run_state.h"
#include "serving/dashboard/series.h"

namespace tacho::serve {
namespace {

constexpr std::size_t kMaxUsageBytes = 64 << 20;  // per poll; the rest follows with the next

std::string usage_from(const RunFolder& folder, std::size_t position) {
  const auto fd = open_confined(folder.path(), folder.usage());
  std::string text;
  std::string piece(1 << 16, '\0');
  while (fd.ok() && text.size() < kMaxUsageBytes) {
    const ssize_t got =
        ::pread(fd->get(), piece.data(), piece.size(), static_cast<off_t>(position + text.size()));
    if (got <= 0) break;
    text.append(piece, 0, static_cast<std::size_t>(got));
  }
  return text;
}

// The steps after `known`, or nothing if there are none.
std::optional<Json> new_steps(const StepsDone& steps, std::int64_t known) {
  const auto count = static_cast<std::int64_t>(steps.seconds.size());
  const std::int64_t skip = std::clamp<std::int64_t>(known + 1 - steps.first_step, 0, count);
  if (skip == count) return std::nullopt;
  const auto from = [&](const std::vector<double>& values) {
    return numbers_json(std::span(values).subspan(static_cast<std::size_t>(skip)));
  };
  return Json{{"epoch", steps.epoch},
              {"first_step", steps.first_step + skip},
              {"warmup", std::max<std::int64_t>(0, steps.warmup - skip)},
              {"seconds", from(steps.seconds)},
              {"input_seconds", from(steps.input_seconds)},
              {"loss", from(steps.loss)}};
}

}  // namespace

LiveRun::From live_position(const std::string& text) {
  LiveRun::From from;
  const char* end = text.data() + text.size();
  const auto step = std::from_chars(text.data(), end, from.step);
  if (step.ec != std::errc() || step.ptr == end || *step.ptr != ';') return {};
  const auto time = std::from_chars(step.ptr + 1, end, from.usage_time);
  if (time.ec != std::errc()) return {};
  if (time.ptr == end) return from;
  if (*time.ptr != ';') return {};
  const auto figures = std::from_chars(time.ptr + 1, end, from.figures);
  if (figures.ec != std::errc() || figures.ptr != end) return {};
  return from;
}

LiveRun::LiveRun(std::filesystem::path folder, From from, std::function<void()> on_end)
    : folder_(std::move(folder)),
      known_(from),
      on_end_(std::move(on_end)),
      events_(folder_.events()) {}

void LiveRun::add(std::string& out, std::string_view kind, const std::string& json) const {
  out += fmt::format("id: {};{};{}\nevent: {}\ndata: {}\n\n", known_.step, known_.usage_time,
                     known_.figures, kind, json);
}

void LiveRun::add_events(std::string& out) {
  const auto events = events_.read_new();
  if (!events.ok()) {
    // A line that cannot be parsed stays so; requests for the run itself report the error.
    add(out, "note", json_text({{"text", events.error().message}}));
    over_ = true;
    return;
  }
  for (const Event& event : *events) {
    if (const auto* steps = std::get_if<StepsDone>(&event.body)) {
      const auto fresh = new_steps(*steps, known_.step);
      if (!fresh) continue;
      known_.step = steps->first_step + static_cast<std::int64_t>(steps->seconds.size()) - 1;
      add(out, "steps", json_text(*fresh));
    } else if (const auto* epoch = std::get_if<EpochDone>(&event.body)) {
      add(out, "epoch", json_text(json_of(*epoch)));
    } else if (const auto* note = std::get_if<Note>(&event.body)) {
      add(out, "note", json_text({{"text", note->text}}));
    } else if (const auto* seen = std::get_if<FiguresSeen>(&event.body)) {
      if (++figures_read_ <= known_.figures) continue;
      known_.figures = figures_read_;
      Json json = {
          {"step", nullptr}, {"unix_seconds", event.unix_seconds}, {"values", seen->values}};
      if (seen->step) json["step"] = *seen->step;
      add(out, "figures", json_text(json));
    }
  }
}

void LiveRun::add_usage(std::string& out) {
  const std::string fresh = usage_from(folder_, usage_position_);
  usage_position_ += fresh.size();
  usage_rest_ += fresh;
  const std::size_t whole = usage_rest_.rfind('\n') + 1;  // 0 without a complete line
  const auto log = usage_from_text(std::string_view(usage_rest_).substr(0, whole));
  usage_rest_.erase(0, whole);
  if (!log.ok() || log->samples.empty()) return;
  std::vector<UsageSample> samples;
  if (last_sample_) samples.push_back(*last_sample_);
  for (const UsageSample& sample : log->samples) {
    if (sample.unix_seconds <= known_.usage_time) {
      samples.assign(1, sample);  // already sent; the next rates are relative to it
    } else {
      samples.push_back(sample);
    }
  }
  const UsageSeries series = usage_series(samples);
  // The next rates are relative to the last entry, or to the sample before.
  last_sample_ = samples.front();
  for (const UsageSample& sample : samples) {
    if (!series.unix_seconds.empty() && sample.unix_seconds <= series.unix_seconds.back()) {
      last_sample_ = sample;
    }
  }
  if (series.unix_seconds.empty()) return;
  known_.usage_time = series.unix_seconds.back();
  add(out, "usage", json_text(usage_series_json(series, series.unix_seconds.size())));
}

bool LiveRun::has_ended() {
  // Checking a lock takes it for a moment, which should rarely affect the run's processes.
  constexpr int kPollsPerCheck = 5;
  if (polls_++ % kPollsPerCheck != 0) return false;
  return !is_being_worked_on(folder_);
}

std::optional<std::string> LiveRun::next() {
  if (over_) return std::nullopt;
  const bool ended = has_ended();  // before the last read of the files
  std::string out;
  add_events(out);
  add_usage(out);
  if (ended) {
    on_end_();
    add(out, "end", "{}");
    over_ = true;
  }
  return out;
}

}  // namespace tacho::serve
