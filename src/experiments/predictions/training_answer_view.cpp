#include "experiments/predictions/training_answer_view.h"

#include <fmt/format.h>

#include <cmath>

#include "base/table.h"
#include "base/units.h"

namespace tacho {
namespace {

std::string time_line(const Estimate& seconds) {
  return fmt::format("{}   (90 %: {} … {})", human(Seconds(seconds.value)),
                     human(Seconds(seconds.low)), human(Seconds(seconds.high)));
}

std::string cost_line(const TrainingCost& cost) {
  const Instance& at = cost.instance;
  return fmt::format(
      "${:.2f}   (90 %: ${:.2f} … ${:.2f}) on {} {}, {}: {}, ${:.2f} per hour", cost.dollars.value,
      cost.dollars.low, cost.dollars.high, at.cloud, at.name, at.region,
      at.gpus > 0 ? fmt::format("{} × {}", at.gpus, at.gpu) : fmt::format("{} vCPUs", at.vcpus),
      at.on_demand_usd_h);
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

// About ten epochs, the last among them.
std::string accuracy_table(const std::vector<CurvePrediction>& accuracy, const Terminal& terminal) {
  Table table({{"    epoch"}, {"top-1"}, {"90 % interval", Align::left}});
  const std::size_t stride = (accuracy.size() + 9) / 10;
  for (std::size_t i = (accuracy.size() - 1) % stride; i < accuracy.size(); i += stride) {
    const CurvePrediction& one = accuracy[i];
    table.add({fmt::format("{}", one.epoch), percent(one.accuracy.value),
               percent(one.accuracy.low) + " … " + percent(one.accuracy.high)});
  }
  return table.text(terminal);
}

Json estimate_json(const Estimate& estimate) {
  return {{"value", estimate.value}, {"low90", estimate.low}, {"high90", estimate.high}};
}

}  // namespace

std::string training_answer_text(const TrainingQuestion& question, const TrainingAnswer& answer,
                                 double gpu_memory_gb, const Terminal& terminal) {
  const TrainingJob& job = question.job;
  const std::string per_gpu = question.on_cpu ? "" : " per GPU";
  std::string out = fmt::format("{} on {}, {} epoch{} on {}{}, batch {}{}\n", job.model,
                                question.data, question.epochs, question.epochs == 1 ? "" : "s",
                                question.on_cpu ? "" : fmt::format("{} × ", job.num_gpus), job.gpu,
                                *job.batch_per_gpu, per_gpu);
  const auto line = [&](std::string_view name, const std::string& text) {
    out += fmt::format("  {:<9} {}\n", name, text);
  };
  line("epoch", time_line(answer.epoch_seconds));
  line("total", time_line(answer.total_seconds));
  line("memory", answer.memory_gb
                     ? fmt::format("{:.1f} of {:g} GB{}: {}", *answer.memory_gb, gpu_memory_gb,
                                   per_gpu, answer.fits ? "fits" : "does not fit")
                     : std::string("unknown, because the model's cost is unknown"));
  line("cost", answer.cost
                   ? cost_line(*answer.cost)
                   : std::string(question.on_cpu ? "this machine has no price"
                                                 : "no machine with these GPUs has a price"));
  line("software", answer.software);
  line("basis", answer.basis);
  if (!answer.warning.empty()) line("warning", answer.warning);
  if (answer.accuracy.empty()) {
    line("accuracy", answer.accuracy_reason);
    return out;
  }
  if (answer.chance) {
    line("target", fmt::format("top-1 {}: reached by epoch {} with a chance of {:.0f} %",
                               *question.target, question.epochs, 100 * *answer.chance));
  }
  return out + "\n" + accuracy_table(answer.accuracy, terminal);
}

Json training_answer_json(const TrainingQuestion& question, const TrainingAnswer& answer) {
  const TrainingJob& job = question.job;
  Json accuracy = Json::array();
  for (const CurvePrediction& one : answer.accuracy) {
    accuracy.push_back({{"epoch", one.epoch},
                        {"top1", one.accuracy.value},
                        {"low90", one.accuracy.low},
                        {"high90", one.accuracy.high}});
  }
  Json cost;
  if (answer.cost) {
    const Instance& at = answer.cost->instance;
    cost = {{"dollars", estimate_json(answer.cost->dollars)},
            {"cloud", at.cloud},
            {"instance", at.name},
            {"region", at.region},
            {"on_demand_usd_h", at.on_demand_usd_h},
            {"date", at.date}};
  }
  const auto optional = [](const auto& value) { return value ? Json(*value) : Json(); };
  return {{"model", job.model},
          {"data", question.data},
          {question.on_cpu ? "machine" : "gpu", job.gpu},
          {"num_gpus", job.num_gpus},
          {"num_nodes", job.num_nodes},
          {"batch_per_gpu", *job.batch_per_gpu},
          {"epochs", question.epochs},
          {"workers", optional(question.workers)},
          {"replicate_data", question.data_split == DataSplit::whole},
          {"learning_rate", optional(question.learning_rate)},
          {"epoch_seconds", estimate_json(answer.epoch_seconds)},
          {"total_seconds", estimate_json(answer.total_seconds)},
          {"memory_gb", optional(answer.memory_gb)},
          {"fits", answer.fits},
          {"accuracy", accuracy},
          {"accuracy_reason", answer.accuracy_reason},
          {"target_top1", optional(question.target)},
          {"chance", optional(answer.chance)},
          {"cost", cost},
          {"software", answer.software},
          {"basis", answer.basis},
          {"in_domain", answer.warning.empty()},
          {"reason", answer.warning}};
}

}  // namespace tacho
