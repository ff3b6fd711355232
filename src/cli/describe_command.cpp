#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/describe_report.h"
#include "cli/model_list.h"
#include "experiments/runner/worker_program.h"

namespace tacho {
namespace {

struct DescribeOptions {
  std::string model;
  std::int64_t batch = 64;
  std::string precision = "fp32";
  std::optional<std::string> input;
  std::optional<std::int64_t> length;
  std::optional<std::int64_t> classes;
  std::optional<std::string> optimizer;
  bool layers = false;
  bool json = false;
};

Result<DescribeRequest> request_of(const DescribeOptions& o) {
  TACHO_TRY(request, describe_request(o.model));
  TACHO_TRY(precision, kPrecisions.parse(o.precision));
  request.batch = o.batch;
  request.precision = precision;
  if (o.input) TACHO_CHECK(read_image_shape(*o.input, request.sample));
  request.sample.length = o.length.value_or(request.sample.length);
  request.sample.classes = o.classes.value_or(request.sample.classes);
  if (o.optimizer) {
    TACHO_TRY(kind, kOptimizers.parse(*o.optimizer));
    const bool sgd = kind == OptimizerKind::sgd;
    request.optimizer = {.kind = kind, .momentum = sgd ? 0.9 : 0};
  }
  TACHO_CHECK(check(request));
  return request;
}

Result<int> describe_to_user(const DescribeOptions& o, const Context& context) {
  TACHO_TRY(request, request_of(o));
  TACHO_TRY(worker, find_worker());
  context.say("running two small steps on the CPU to measure the model");
  TACHO_TRY(description, describe_model(worker, request));
  if (o.json) {
    context.print(json_text(description, 1) + "\n");
    return kSuccess;
  }
  TACHO_TRY(report, describe_report(description, o.layers, context.out));
  context.print(report);
  return kSuccess;
}

}  // namespace

void add_describe_command(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("describe", "describe a model: layers, parameters, FLOPs, memory");
  auto o = std::make_shared<DescribeOptions>();
  command->add_option("model", o->model, "model, from the list below")->required();
  command->add_option("--batch,-b", o->batch, "samples per step")->capture_default_str();
  command->add_option("--precision", o->precision, "precision: fp32, tf32, bf16 or fp16")
      ->capture_default_str();
  command->add_option("--input", o->input, "image size, such as 3x224x224 (default: the model's)");
  command->add_option("--length", o->length, "tokens per text (default: the model's)");
  command->add_option("--classes", o->classes, "number of classes (default: the model's)");
  command->add_option("--optimizer", o->optimizer,
                      "optimizer: sgd, adam or adamw (default: the model's)");
  command->add_flag("--layers", o->layers, "list every layer instead of parts of the model");
  command->add_flag("--json", o->json, "print JSON");
  command->footer(model_list());
  command->callback([=, &context] { context.run([&] { return describe_to_user(*o, context); }); });
}

}  // namespace tacho
