#include "experiments/runner/sweep_cost.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/record/describe_request.h"
#include "experiments/runner/worker_program.h"
#include "training/data/catalog.h"

namespace tacho {
namespace {

Error unknown(std::string_view what) {
  return {ErrorCode::usage, fmt::format("{}; use the order 'given' or 'random'", what)};
}

// Returns the samples of all steps.
Result<double> samples_of(const RunSpec& spec) {
  if (spec.steps) {
    return static_cast<double>(*spec.steps) * static_cast<double>(samples_per_step(spec));
  }
  if (spec.train_samples) return static_cast<double>(*spec.train_samples * spec.epochs);
  if (is_synthetic(spec)) return unknown("the length of an epoch of synthetic data is unknown");
  TACHO_TRY(data, find_dataset(spec.data));
  const double images = static_cast<double>(data->train_images);
  if (images > 0) return images * static_cast<double>(spec.epochs);
  return unknown(
      fmt::format("the amount of training data in '{}' is unknown before it is read; set "
                  "'steps' or 'train-samples'",
                  spec.data));
}

Result<DescribeRequest> request_of(const RunSpec& spec) {
  TACHO_TRY(request, describe_request(spec.model));
  request.batch = 1;
  if (spec.input) {
    request.sample.channels = spec.input->channels;
    request.sample.height = spec.input->height;
    request.sample.width = spec.input->width;
  }
  if (spec.length) request.sample.length = *spec.length;
  return request;
}

}  // namespace

Result<double> SweepCost::operations_per_sample(const RunSpec& spec) {
  TACHO_TRY(request, request_of(spec));
  const std::string name = json_text(to_json(request));
  if (const auto known = known_.find(name); known != known_.end()) return known->second;
  TACHO_TRY(worker, find_worker());
  TACHO_TRY(description, describe_model(worker, request));
  double operations = 0;
  for (const char* key : {"forward_multiply_adds", "backward_multiply_adds"}) {
    const auto found = description.find(key);
    if (found == description.end() || !found->is_number()) {
      return Error{ErrorCode::invalid,
                   fmt::format("{}: the description has no {}", worker.string(), key)};
    }
    operations += 2 * found->get<double>();
  }
  known_[name] = operations;
  return operations;
}

Result<double> SweepCost::of(const RunOrder& order) {
  if (order.command) return unknown("the cost of a program is unknown before it runs");
  TACHO_TRY(samples, samples_of(order.spec));
  TACHO_TRY(operations, operations_per_sample(order.spec));
  return samples * operations;
}

}  // namespace tacho
