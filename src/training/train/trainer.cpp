#include "training/train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <optional>
#include <thread>

#include "training/train/adapters.h"
#include "training/train/checkpoint.h"
#include "training/train/cpu_paths.h"
#include "training/train/device_setup.h"
#include "training/train/dist/team.h"
#include "training/train/epoch_end.h"
#include "training/train/fine_tuning.h"
#include "training/train/guarded.h"
#include "training/train/input/batch_source.h"
#include "training/train/models/registry.h"
#include "training/train/models/without_dropout.h"
#include "training/train/ops/op_watch.h"
#include "training/train/optimizer.h"
#include "training/train/schedule.h"
#include "training/train/step_engine.h"
#include "training/train/step_log.h"
#include "training/train/stopwatch.h"
#include "training/train/weight_average.h"
#include "training/train/weights.h"
#include "training/weights/hugging_face.h"

namespace tacho {
namespace {

// Steps until caches, allocators and lazily loaded kernels have settled.
constexpr std::int64_t kWarmupSteps = 5;

class Trainer {
 public:
  // `ops` is null if operator times were not requested.
  Trainer(const Training& training, OpWatch* ops)
      : training_(training),
        ops_(ops),
        spec_(training.order.spec),
        device_(spec_.device == Device::cuda ? at::kCUDA : at::kCPU) {}

  Result<TrainEnd> run() {
    device_setup_.emplace(spec_, training_.place ? training_.place->local_rank : 0);
    if (!training_.place) return run_epochs();
    auto team = Team::meet(
        spec_, {*training_.place, training_.order.key, training_.on_lost_rank, &training_.stop});
    if (!team.ok() && training_.stop) return stopped_by_a_signal();
    if (!team.ok()) return team.error();
    team_ = *std::move(team);
    auto end = guarded([this] { return run_epochs(); });
    if (!end.ok() && training_.stop) end = stopped_by_a_signal();
    if (!end.ok()) end = team_->explain(end.error());
    if (!end.ok() && stop_arrives_soon()) end = stopped_by_a_signal();
    const bool good = end.ok() && end->outcome == Outcome::ok;
    if (!good && log_) team_->collect_last(*log_, training_.report);
    team_->leave(good ? "" : end.ok() ? end->reason : end.error().message);
    return end;
  }

 private:
  Result<TrainEnd> run_epochs() {
    if (team_) TACHO_CHECK(introduce_team());
    TACHO_CHECK(prepare_input());
    TACHO_CHECK(prepare_model());
    const std::int64_t warmup = std::min(kWarmupSteps, (total_steps_ - progress_.steps) / 2);
    log_.emplace(training_.report, warmup);
    if (ops_ != nullptr) TACHO_CHECK(prepare_ops(warmup));
    // A run killed right after the epoch that ended its training is done.
    if (const auto end = epoch_end_->early_end(); end && progress_.epochs > 0) return *end;
    while (progress_.epochs < spec_.epochs && progress_.steps < total_steps_) {
      TACHO_TRY(end, one_epoch(*log_));
      if (end) return *end;
    }
    return TrainEnd{};
  }

  Result<void> prepare_ops(std::int64_t warmup) {
    ops_->set_first_step(progress_.steps + warmup + 1);
    const std::string remark = OpWatch::remark(spec_);
    return remark.empty() ? Result<void>() : training_.report(Note{remark});
  }

  // A stopped job stops every rank, but not at the same moment: this rank may learn of another's
  // end before it receives the signal itself.
  [[nodiscard]] bool stop_arrives_soon() const {
    constexpr std::chrono::milliseconds kLongest{500};
    constexpr std::chrono::milliseconds kLookEvery{10};
    const auto deadline = std::chrono::steady_clock::now() + kLongest;
    while (!training_.stop && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(kLookEvery);
    }
    return training_.stop;
  }

  [[nodiscard]] bool leads() const { return !team_ || team_->leads(); }

  Result<void> introduce_team() {
    TACHO_CHECK(training_.report(team_->ready()));
    const bool useless =
        team_->ready().backend == "shm" && leads() && spec_.dist.compress != Compression::none;
    if (!useless) return {};
    return training_.report(Note{"nothing is compressed: the ranks share memory and send nothing"});
  }

  Result<void> prepare_input() {
    const Stopwatch watch;
    TACHO_TRY(input, open_input(spec_, training_.tacho_home, training_.folder,
                                team_ ? team_->share() : Share{}));
    input_ = std::move(input);
    return training_.report(InputReady{input_.train->samples(), input_.eval->samples(),
                                       input_.shape.classes, input_.train->batches(),
                                       watch.seconds()});
  }

  Result<void> prepare_model() {
    const Stopwatch watch;
    torch::manual_seed(static_cast<std::uint64_t>(spec_.seed));
    TACHO_TRY(model, make_model(spec_.model, input_.shape, spec_.stem));
    model_ = std::move(model);
    TACHO_CHECK(take_weights());
    TACHO_CHECK(freeze_parameters());
    model_->to(device_);
    take_path(training_.paths, model_->workload());
    if (uses_channels_last(spec_, model_->workload())) to_channels_last(*model_);
    optimizer_.emplace(spec_.optimizer, *model_, optimizer_options(spec_));
    checkpoints_.emplace(training_.folder, *model_, *optimizer_, device_, spec_.keep);
    if (spec_.ema_decay) {
      average_.emplace(*spec_.ema_decay, *model_, *optimizer_);
      checkpoints_->add(average_->other());
    }
    if (leads()) {
      TACHO_TRY(found, checkpoints_->load_newest());
      progress_ = found.value_or(Progress{});
    }
    TACHO_TRY(reducer, join_team());
    // A checkpoint's model is the average.
    if (average_ && progress_.epochs > 0) average_->swap(*optimizer_);
    engine_ = make_engine({spec_, *model_, *optimizer_, reducer});
    epoch_end_.emplace(EpochEnd::Parts{training_, input_, *model_, *optimizer_, *engine_,
                                       *checkpoints_, average_ ? &*average_ : nullptr, team_.get()},
                       progress_);
    count_steps();
    return training_.report(ModelReady{parameter_count(*model_), watch.seconds()});
  }

  Result<Reducer*> join_team() {
    if (!team_) return nullptr;
    TACHO_CHECK(team_->share_state(*model_, *optimizer_,
                                   average_ ? average_->other() : Optimizer::Named(), progress_));
    return team_->make_reducer(*model_);
  }

  // The number of ranks may differ between attempts, and with it the steps per epoch.
  void count_steps() {
    const std::int64_t batches = input_.train->batches();
    total_steps_ = progress_.steps + batches * (spec_.epochs - progress_.epochs);
    if (spec_.steps) total_steps_ = std::min(total_steps_, *spec_.steps);
    planned_steps_ = total_steps_ - progress_.steps + batches * progress_.epochs;
    rate_ = spec_.optimizer.learning_rate;
    if (!team_) return;
    if (spec_.dist.lr_scale == RateScaling::linear) rate_ *= team_->size();
    if (spec_.dist.lr_scale == RateScaling::sqrt) rate_ *= std::sqrt(team_->size());
  }

  Result<void> take_weights() {
    // The other ranks receive rank 0's weights.
    if (!leads()) return {};
    // A resumed run has its own weights, and the file may no longer exist.
    if (spec_.weights.empty() || newest_checkpoint_epoch(training_.folder) > 0) return {};
    if (is_hugging_face(spec_.weights)) TACHO_CHECK(check_is_model(spec_.weights, spec_.model));
    const auto match = spec_.weights_partial ? WeightsMatch::partial : WeightsMatch::exact;
    TACHO_TRY(loaded, load_weights(*model_, spec_.weights, match));
    if (!loaded.as_drawn.empty()) {
      TACHO_CHECK(training_.report(
          Note{fmt::format("randomly initialised: {}", first_few(loaded.as_drawn))}));
    }
    if (loaded.unused.empty()) return {};
    return training_.report(
        Note{fmt::format("unused tensors in {}: {}", spec_.weights, first_few(loaded.unused))});
  }

  Result<void> freeze_parameters() {
    if (spec_.freeze.empty() && spec_.lora_rank == 0) return {};
    TACHO_CHECK(spec_.lora_rank > 0 ? add_adapters(*model_, spec_) : freeze(*model_, spec_.freeze));
    std::int64_t trained = 0;
    for (const at::Tensor& parameter : model_->parameters()) {
      if (parameter.requires_grad()) trained += parameter.numel();
    }
    return training_.report(
        Note{fmt::format("trains {} of {} parameters", trained, parameter_count(*model_))});
  }

  // Returns nullopt if training should continue.
  Result<std::optional<TrainEnd>> one_epoch(StepLog& log) {
    EpochDone done;
    done.epoch = progress_.epochs + 1;
    const Stopwatch watch;
    TACHO_TRY(end, train_steps(log, done));
    if (end) {
      TACHO_CHECK(log.flush());
      return end;
    }
    if (team_) TACHO_CHECK(team_->collect(log, training_.report, true));
    TACHO_CHECK(log.flush());
    TACHO_TRY(over, epoch_end_->finish(done, watch));
    if (ops_ != nullptr) TACHO_CHECK(ops_->write());
    return over;
  }

  // Facts of a step that are known when it starts.
  struct Started {
    std::int64_t number;
    double input_seconds;
  };

  // Each rank draws different dropout masks, the same ones after a resume. Rank 0's random state is
  // in the checkpoint.
  void reseed(std::int64_t epoch) const {
    if (leads()) return;
    torch::manual_seed(static_cast<std::uint64_t>(
        spec_.seed + (static_cast<std::int64_t>(team_->rank()) << 32U) + epoch));
  }

  Result<std::optional<TrainEnd>> train_steps(StepLog& log, EpochDone& done) {
    if (spec_.dropout) {
      model_->train();
    } else {
      train_without_dropout(*model_);
    }
    reseed(done.epoch);
    const std::int64_t before = progress_.epochs * input_.train->batches();
    input_.train->begin_epoch(done.epoch);
    engine_->begin();
    Batch batch;
    std::deque<Started> started;
    while (progress_.steps < total_steps_) {
      if (training_.stop) return std::optional(stopped_by_a_signal());
      OpWatch::Step watched(ops_, progress_.steps + 1);
      const Stopwatch watch;
      engine_->input_taken();
      TACHO_TRY(more, input_.train->next(batch));
      if (!more) break;
      const double input_seconds = watch.seconds();
      done.learning_rate = learning_rate_at(spec_.schedule, rate_, before + done.steps,
                                            input_.train->batches(), planned_steps_);
      const std::int64_t updates = optimizer_->steps();
      TACHO_CHECK(engine_->start(batch, done.learning_rate));
      if (average_ && optimizer_->steps() != updates) average_->add();
      ++progress_.steps;
      ++done.steps;
      started.push_back({progress_.steps, input_seconds});
      TACHO_TRY(end, fetch_steps(false, log, done.epoch, started));
      watched.done();
      if (end) return end;
    }
    return fetch_steps(true, log, done.epoch, started);
  }

  Result<std::optional<TrainEnd>> fetch_steps(bool all, StepLog& log, std::int64_t epoch,
                                              std::deque<Started>& started) {
    while (const auto step = engine_->fetch(all)) {
      const auto [number, input_seconds] = started.front();
      started.pop_front();
      TACHO_CHECK(add_step(log, {epoch, number, step->seconds, input_seconds, step->loss}, *step));
      if (!std::isfinite(step->loss)) return diverged(step->loss, number);
    }
    if (const std::string remark = engine_->remark(); !remark.empty()) {
      TACHO_CHECK(training_.report(Note{remark}));
    }
    return std::optional<TrainEnd>{};
  }

  Result<void> add_step(StepLog& log, const StepLog::Step& step, const StepDone& done) {
    if (!team_) return log.add(step);
    const ExchangeTimes& e = done.exchange;
    team_->send_step({step.epoch, step.number, step.seconds, step.input_seconds, step.loss,
                      done.weight, e.backward_seconds, e.comm_seconds, e.exposed_seconds,
                      e.wire_bytes, e.payload_bytes});
    return team_->collect(log, training_.report, false);
  }

  static std::optional<TrainEnd> diverged(double loss, std::int64_t step) {
    return TrainEnd{Outcome::failed,
                    fmt::format("the loss became {} at step {}; lower --lr", loss, step)};
  }

  const Training& training_;
  OpWatch* ops_;
  const RunSpec& spec_;
  at::Device device_;
  InputParts input_;
  std::int64_t planned_steps_ = 0;     // of an uninterrupted run
  std::int64_t total_steps_ = 0;       // at which this run ends
  double rate_ = 0;                    // peak learning rate
  std::shared_ptr<Classifier> model_;  // a shared_ptr because torch's modules require one
  std::optional<DeviceSetup> device_setup_;
  std::optional<Optimizer> optimizer_;
  std::optional<WeightAverage> average_;
  std::unique_ptr<StepEngine> engine_;
  std::optional<Checkpoints> checkpoints_;
  std::optional<EpochEnd> epoch_end_;
  std::optional<StepLog> log_;
  Progress progress_;
  // Null if it trains alone. Last member: destroyed first, so no lost rank is reported later.
  std::unique_ptr<Team> team_;
};

}  // namespace

Result<TrainEnd> train(const Training& training) {
  std::optional<OpWatch> ops;
  const bool writes = !training.place || training.place->rank == 0;
  if (training.order.spec.ops && writes) {
    ops.emplace(training.folder.ops(), training.order.spec, training.paths);
  }
  auto made = guarded([&] { return Trainer(training, ops ? &*ops : nullptr).run(); });
  // Written however the run ended.
  if (ops) {
    const auto written = guarded([&] { return ops->write(); });
    if (made.ok() && !written.ok()) return written.error();
  }
  if (!made.ok() && made.error().code != ErrorCode::out_of_memory) return made.error();
  TrainEnd end = made.ok() ? *made : TrainEnd{Outcome::out_of_memory, made.error().message};
  end.device_memory_bytes = peak_device_memory_bytes(training.order.spec);
  return end;
}

}  // namespace tacho
