#include "cli/live_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "base/units.h"
#include "core/record/model_catalog.h"
#include "core/record/statistics.h"

namespace tacho {
namespace {

// Enough for a stable average, few enough to follow changes.
constexpr std::size_t kRecent = 100;

void keep_recent(std::deque<double>& recent, const std::vector<double>& fresh) {
  recent.insert(recent.end(), fresh.begin(), fresh.end());
  while (recent.size() > kRecent) recent.pop_front();
}

double mean_of(const std::deque<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// How good the model is: "top-1 85.3 %", of a language model "perplexity 4.7".
std::string quality(const EpochDone& done, const RunSpec& spec) {
  if (tokens_per_sample(spec)) return fmt::format("perplexity {:.4g}", std::exp(done.eval_loss));
  return "top-1 " + human_share(done.top1);
}

std::string epoch_line(const EpochDone& done, const RunSpec& spec) {
  return fmt::format("epoch {}/{}  train loss {:.4f}  eval loss {:.4f}  {}  {}", done.epoch,
                     spec.epochs, done.train_loss, done.eval_loss, quality(done, spec),
                     human(Seconds(done.train_seconds + done.eval_seconds)));
}

}  // namespace

void LiveState::add(const Event& event) {
  if (const auto* started = std::get_if<RunStarted>(&event.body)) {
    epoch_ = started->resumed_epochs;
    stage_ = "loading data";
  } else if (const auto* input = std::get_if<InputReady>(&event.body)) {
    steps_per_epoch_ = input->steps_per_epoch;
    train_samples_ = input->train_samples;
    step_ = epoch_ * steps_per_epoch_;
    stage_ = "building the model";
  } else if (const auto* ready = std::get_if<RanksReady>(&event.body)) {
    ranks_ = static_cast<std::int64_t>(ready->ranks.size());
  } else if (std::holds_alternative<ModelReady>(event.body)) {
    stage_ = "first step";
  } else if (const auto* steps = std::get_if<StepsDone>(&event.body)) {
    stage_.clear();
    epoch_ = steps->epoch;
    step_ = steps->first_step + static_cast<std::int64_t>(steps->seconds.size()) - 1;
    keep_recent(recent_seconds_, steps->seconds);
    keep_recent(recent_loss_, steps->loss);
    if (steps_per_epoch_ > 0 && step_ % steps_per_epoch_ == 0) stage_ = "evaluating";
  } else if (const auto* epoch = std::get_if<EpochDone>(&event.body)) {
    last_epoch_ = *epoch;
    stage_.clear();
  }
}

std::int64_t LiveState::planned_steps() const {
  const std::int64_t planned = steps_per_epoch_ * spec_.epochs;
  return std::min(planned, spec_.steps.value_or(planned));
}

std::string LiveState::line() const {
  if (recent_seconds_.empty()) return stage_;
  const double step_seconds = mean_of(recent_seconds_);
  const auto samples = static_cast<double>(std::min(spec_.batch * ranks_, train_samples_));
  const std::int64_t in_epoch = step_ - (epoch_ - 1) * steps_per_epoch_;
  std::string line = fmt::format("epoch {}/{}  {}/{}  loss {:.3f}", epoch_, spec_.epochs, in_epoch,
                                 steps_per_epoch_, mean_of(recent_loss_));
  if (last_epoch_) line += "  " + quality(*last_epoch_, spec_);
  const auto tokens = tokens_per_sample(spec_);
  const double each = static_cast<double>(tokens.value_or(1));
  line += fmt::format("  {} {}/s", human_count(std::round(samples * each / step_seconds)),
                      tokens ? "tokens" : "samples");
  if (!stage_.empty()) return line + "  " + stage_;
  double left = static_cast<double>(planned_steps() - step_) * step_seconds;
  if (last_epoch_)
    left += static_cast<double>(spec_.epochs - epoch_ + 1) * last_epoch_->eval_seconds;
  return line + fmt::format("  {} left", human_clock(Seconds(left)));
}

void LiveView::started(std::int64_t id, const RunOrder& order) {
  order_ = order;
  state_.emplace(order_->spec);
  if (options_.mllog) mllog_.emplace(order);
  if (options_.quiet) return;
  fmt::print(stderr, "{}  {} on {}, batch {}, {} epoch{}\n",
             terminal_.bold(fmt::format("run {}", id)), order_->spec.model, order_->spec.data,
             order_->spec.batch, order_->spec.epochs, order_->spec.epochs == 1 ? "" : "s");
}

void LiveView::event(const Event& event) {
  state_->add(event);
  if (mllog_) {
    for (const std::string& line : mllog_->lines(event)) fmt::print("{}\n", line);
    std::fflush(stdout);
  }
  if (options_.quiet) return;
  if (const auto* note = std::get_if<Note>(&event.body)) {
    clear();
    fmt::print(stderr, "{} {}\n", terminal_.yellow("note:"), printable(note->text));
  }
  const auto* epoch = std::get_if<EpochDone>(&event.body);
  if (epoch != nullptr && !terminal_.interactive()) {
    fmt::print(stderr, "{}\n", epoch_line(*epoch, order_->spec));
  }
}

void LiveView::tick() {
  if (options_.quiet || !terminal_.interactive()) return;
  std::string line = state_->line();
  const auto width = static_cast<std::size_t>(terminal_.columns() - 1);
  if (line.size() > width) line.resize(width);
  fmt::print(stderr, "\r\033[K{}", line);
  std::fflush(stderr);
  shown_ = true;
}

void LiveView::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace tacho
