#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/served_folder.h"
#include "core/record/generate_request.h"

namespace tacho {
namespace {

struct GenerateOptions {
  std::string run;
  std::string checkpoint = "last";
  std::string device = "cpu";
  GenerateRequest request;
};

Result<int> generate_for_user(const GenerateOptions& o, const Context& context) {
  GenerateRequest request = o.request;
  TACHO_TRY(checkpoint, kCheckpointKinds.parse(o.checkpoint));
  TACHO_TRY(device, kDevices.parse(o.device));
  request.checkpoint = checkpoint;
  request.device = device;
  TACHO_CHECK(check(request));
  TACHO_TRY(folder, served_folder(o.run, context));
  return become_worker({"generate", folder.string(), json_text(to_json(request))});
}

}  // namespace

void add_generate_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("generate", "continue a text with a language model");
  auto o = std::make_shared<GenerateOptions>();
  command->add_option("run", o->run, "id or key of a run, or 'last', or the folder of a run")
      ->required();
  command->add_option("prompt", o->request.prompt, "text to continue");
  command->add_option("--max-tokens", o->request.max_tokens, "number of tokens to generate at most")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--temperature", o->request.sampling.temperature,
                   "higher is more varied; 0 always takes the most likely token")
      ->type_name("NUMBER")
      ->capture_default_str();
  command
      ->add_option("--top-k", o->request.sampling.top_k,
                   "draw from the N most likely tokens; 0 draws from all")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--top-p", o->request.sampling.top_p,
                   "draw from the most likely tokens that together have this probability")
      ->type_name("NUMBER")
      ->capture_default_str();
  command->add_option("--seed", o->request.sampling.seed, "random seed")->capture_default_str();
  command
      ->add_option("--checkpoint", o->checkpoint,
                   "checkpoint to use: last, or best of a run with --keep best (default: last)")
      ->type_name("WHICH");
  command->add_option("--device", o->device, "device: cpu or cuda")->capture_default_str();
  command->add_flag("--json", o->request.json, "print JSON");
  command->callback([o, &context] { context.run([&] { return generate_for_user(*o, context); }); });
}

}  // namespace tacho
