#include "predict/rent/own_steps.h"

#include <cmath>

#include "predict/accuracy/abstain.h"

namespace tacho {
namespace {

bool is_here(const Plan& plan) {
  return plan.instance.cloud == kOwnCloud && plan.instance.name == kHere;
}

}  // namespace

Result<StepPrediction> OwnSteps::here(const Job& job, const Plan& plan) const {
  if (plan.nodes > 1) return abstain("runs of this machine say nothing about several of them");
  TACHO_TRY(spec, spec_of_(job, plan));
  TACHO_TRY(predicted, runs_->run(spec));
  StepPrediction step;
  step.seconds = predicted.step_seconds;
  if (predicted.memory_bytes) {
    step.memory_bytes = predicted.memory_bytes->value;
    // The machine catalog does not contain GPU memory; runs that did not fit were observed.
    const bool on_cpu = plan.instance.gpus == 0;
    step.fits = !on_cpu || *step.memory_bytes <= plan.instance.memory_gib * std::exp2(30);
  }
  return step;
}

std::vector<Result<StepPrediction>> OwnSteps::steps(const Job& job,
                                                    const std::vector<Plan>& plans) const {
  std::vector<Plan> elsewhere;
  for (const Plan& plan : plans) {
    if (!is_here(plan)) elsewhere.push_back(plan);
  }
  auto others = others_->steps(job, elsewhere);
  std::vector<Result<StepPrediction>> answers;
  std::size_t next = 0;
  for (const Plan& plan : plans) {
    answers.push_back(is_here(plan) ? here(job, plan) : std::move(others[next++]));
  }
  return answers;
}

}  // namespace tacho
