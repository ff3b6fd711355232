#include "training/train/dist/team.h"

#include <fmt/format.h>

#include <cmath>

#include "base/version.h"
#include "core/record/run_options.h"
#include "training/train/dist/connect.h"
#include "training/train/dist/exchange_line.h"
#include "training/train/guarded.h"
#include "training/train/weights.h"
#ifdef TACHO_CUDA
#include "training/train/cuda/nccl_line.h"
#endif

namespace tacho {
namespace {

// Rarely enough to cost nothing; steps not sent when a run fails are lost.
constexpr std::chrono::milliseconds kSendEvery{10};
// Time from losing a rank to ending this one: a collective call that waits for it usually returns
// by itself, or never.
constexpr std::chrono::milliseconds kGrace{1000};

std::chrono::milliseconds timeout_of(const RunSpec& spec) {
  return std::chrono::milliseconds(std::llround(1000 * spec.dist.timeout_s));
}

// Returns the terms that must be equal on all ranks. Paths and performance settings may differ.
std::vector<std::string> terms_of(const RunSpec& spec) {
  std::vector<std::string> terms{fmt::format("tacho {} ({})", kVersion, kCommit)};
  TrainRequest request;
  request.spec = spec;
  for (const RunOption& option : run_options()) {
    if (option.json.empty() || option.is(kPerRank)) continue;
    terms.push_back(fmt::format("{} {}", option.json, json_text(option.get(request))));
  }
  return terms;
}

std::vector<std::string> parameter_lines(const Classifier& model) {
  std::vector<std::string> lines;
  for (const auto& [name, tensor] : model_state(model)) {
    std::string shape;
    for (const std::int64_t size : tensor.sizes()) shape += fmt::format(" {}", size);
    lines.push_back(fmt::format("'{}' of shape{}", name, shape.empty() ? " ()" : shape));
  }
  return lines;
}

}  // namespace

Team::Team(const RunSpec& spec, const Options& options)
    : spec_(spec),
      place_(options.place),
      on_lost_rank_(options.on_lost_rank),
      book_(static_cast<std::size_t>(options.place.size)) {}

Team::~Team() { leave("it exited early"); }

Result<std::unique_ptr<Team>> Team::meet(const RunSpec& spec, const Options& options) {
  std::unique_ptr<Team> team(new Team(spec, options));
  const auto began = std::chrono::steady_clock::now();
  TACHO_TRY(rendezvous,
            Rendezvous::meet({options.place, timeout_of(spec), options.stop}, terms_of(spec)));
  team->rendezvous_ = std::move(rendezvous);
  team->watch();
  if (const auto made = guarded([&] { return team->assemble(options); }); !made.ok()) {
    const Error error = team->explain(made.error());
    team->leave(error.message);
    return error;
  }
  team->ready_.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return team;
}

Result<void> Team::assemble(const Options& options) {
  TACHO_TRY(job, rendezvous_->share("the job's name", options.job));
  if (spec_.device == Device::cuda) {
#ifdef TACHO_CUDA
    TACHO_TRY(line, NcclLine::connect({place_.rank, place_.size, spec_.graphs != Switch::off},
                                      *rendezvous_));
    ready_.backend = "nccl";
    exchange_ = line->exchange();
    line_ = std::move(line);
#else
    return Error{ErrorCode::unavailable, "this build has no CUDA; build with the cuda preset"};
#endif
  } else {
    TACHO_TRY(exchange, connect(spec_.dist, place_.rank, *rendezvous_, job));
    exchange_ = std::move(exchange);
    ready_.backend = exchange_->name();
    line_ = std::make_unique<ExchangeLine>(*exchange_);
  }
  for (const Member& member : rendezvous_->members()) {
    ready_.ranks.push_back({member.rank, member.node, member.host, member.pid});
  }
  return {};
}

void Team::watch() {
  rendezvous_->on_failure([this](const std::string& why) {
    watcher_ = std::jthread([this, why] {
      std::unique_lock lock(mutex_);
      if (left_.wait_for(lock, kGrace, [this] { return has_left_; })) return;
      on_lost_rank_(why);
    });
  });
}

Result<void> Team::share_state(Classifier& model, Optimizer& optimizer,
                               const Optimizer::Named& others, Progress& progress) {
  TACHO_CHECK(rendezvous_->agree("model", parameter_lines(model)));
  std::vector<at::Tensor> tensors;
  for (const auto& [name, tensor] : optimizer.weights()) tensors.push_back(tensor);
  for (const auto& [name, tensor] : optimizer.state()) tensors.push_back(tensor);
  for (const auto& [name, tensor] : optimizer.scaling()) tensors.push_back(tensor);
  for (const at::Tensor& buffer : model.buffers()) tensors.push_back(buffer);
  for (const auto& [name, tensor] : others) tensors.push_back(tensor);
  at::Tensor numbers =
      at::tensor({static_cast<double>(progress.epochs), static_cast<double>(progress.steps),
                  progress.top1, static_cast<double>(optimizer.steps()),
                  static_cast<double>(progress.best.epoch), progress.best.value},
                 at::kDouble);
  tensors.push_back(numbers);
  TACHO_CHECK(broadcast(tensors));
  optimizer.give_weights_to_model();
  const double* number = numbers.data_ptr<double>();
  progress = {static_cast<std::int64_t>(number[0]),
              static_cast<std::int64_t>(number[1]),
              number[2],
              {static_cast<std::int64_t>(number[4]), number[5]}};
  optimizer.restore_steps(static_cast<std::int64_t>(number[3]));
  return {};
}

Result<void> Team::share_buffers(Classifier& model) { return broadcast(model.buffers()); }

Result<void> Team::broadcast(const std::vector<at::Tensor>& tensors) {
  const torch::NoGradGuard no_grad;
  for (const at::Tensor& tensor : tensors) {
    // Channels-last weights are dense, but not in the order of a flat copy.
    at::Tensor flat = tensor.detach().to(at::kCPU).contiguous();
    TACHO_CHECK(exchange_->broadcast(flat));
    tensor.detach().copy_(flat);
  }
  return {};
}

Result<Reducer*> Team::make_reducer(Classifier& model) {
  TACHO_TRY(reducer, Reducer::make(model, *line_,
                                   {.rank = place_.rank,
                                    .ranks = place_.size,
                                    .bucket_mb = spec_.dist.bucket_mb,
                                    .overlap = spec_.dist.overlap}));
  reducer_ = std::move(reducer);
  return reducer_.get();
}

// Sums are in fp32: numbers that it cannot represent are sent in two parts.
Result<Scores> Team::total(const Scores& mine) {
  constexpr std::int64_t kUnit = 1 << 12;
  const auto high = static_cast<float>(mine.loss_sum);
  std::vector<float> parts{high, static_cast<float>(mine.loss_sum - high)};
  for (const std::int64_t count :
       {mine.hits.top1, mine.hits.top5, mine.hits.samples, mine.hits.ignored}) {
    parts.push_back(static_cast<float>(count / kUnit));
    parts.push_back(static_cast<float>(count % kUnit));
  }
  at::Tensor sums = at::tensor(parts);
  TACHO_CHECK(exchange_->sum(sums));
  const float* sum = sums.data_ptr<float>();
  const auto count = [&](int at) {
    return kUnit * static_cast<std::int64_t>(sum[at]) + static_cast<std::int64_t>(sum[at + 1]);
  };
  return Scores{static_cast<double>(sum[0]) + sum[1], {count(2), count(4), count(6), count(8)}};
}

void Team::send_step(const RankStep& step) {
  unsent_.push_back(step);
  if (std::chrono::steady_clock::now() - last_sent_ >= kSendEvery) send_now();
}

void Team::send_now() {
  last_sent_ = std::chrono::steady_clock::now();
  if (!unsent_.empty()) rendezvous_->tell(to_message(std::exchange(unsent_, {})));
}

Result<void> Team::collect(StepLog& log, const Report& report, bool at_once) {
  if (at_once) {
    // Messages sent before an agreement have arrived when all ranks have agreed.
    send_now();
    TACHO_CHECK(rendezvous_->agree("epoch", {}));
  }
  return log_received(log, report, at_once);
}

void Team::collect_last(StepLog& log, const Report& report) {
  send_now();
  // A failing report is not why the run ends.
  (void)(log_received(log, report, true).ok() && log.flush().ok());
}

Result<void> Team::log_received(StepLog& log, const Report& report, bool at_once) {
  if (!leads()) return {};
  for (const Rendezvous::Message& message : rendezvous_->take_messages()) {
    TACHO_TRY(steps, steps_from_message(message.text));
    book_.add(static_cast<std::size_t>(message.from), steps);
  }
  TACHO_CHECK(book_.log_complete(log));
  return book_.report(report, at_once);
}

Error Team::explain(const Error& error) const {
  if (error.code == ErrorCode::out_of_memory) return error;
  const auto trouble = rendezvous_->wait_for_failure(kGrace / 2);
  return trouble ? Error{ErrorCode::failed, *trouble} : error;
}

void Team::leave(std::string_view why) {
  {
    const std::lock_guard lock(mutex_);
    if (has_left_ || !rendezvous_) return;
    has_left_ = true;
  }
  left_.notify_all();
  reducer_.reset();
  send_now();
  rendezvous_->leave(why);
  // A thread that still waits for a silent rank would keep this process from ending.
  if (!why.empty() && line_ && !line_->stop_within(2 * kGrace)) on_lost_rank_(std::string(why));
}

}  // namespace tacho
