// The part of Tacho that trains. `tacho` starts it; any program with a run's folder can.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "programs/worker/commands.h"

namespace {

constexpr const char* kHelp =
    "tacho-worker executes the training in a run's folder. 'tacho train' starts it for you.\n"
    "\n"
    "  tacho-worker run FOLDER    execute FOLDER/spec.json, or resume it\n"
    "  tacho-worker describe      print torch's features on this machine as JSON\n"
    "  tacho-worker describe-model REQUEST\n"
    "                             print the cost of a model; used by 'tacho describe'\n"
    "  tacho-worker generate FOLDER REQUEST\n"
    "                             continue a text with FOLDER's model; used by 'tacho generate'\n"
    "  tacho-worker export FOLDER FILE last|best\n"
    "                             write the weights of FOLDER's model as safetensors; used by\n"
    "                             'tacho runs export'\n"
    "  tacho-worker infer FOLDER [OPTIONS]\n"
    "                             serve FOLDER's model over HTTP; 'tacho infer --help' lists the\n"
    "                             options\n"
    "  tacho-worker comms FOLDER  one rank of 'tacho bench comms': FOLDER/comms.json states what\n"
    "                             to measure, rank 0 writes FOLDER/survey.json\n"
    "  tacho-worker --version\n";

}  // namespace

int main(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb == "run" && argc == 3) return tacho::run_order(argv[2]);
  if (verb == "infer" && argc >= 3) {
    return tacho::infer_from(argv[2], std::vector<std::string>(argv + 3, argv + argc));
  }
  if (verb == "generate" && argc == 4) return tacho::generate_from(argv[2], argv[3]);
  if (verb == "export" && argc == 5) return tacho::export_to(argv[2], argv[3], argv[4]);
  if (verb == "comms" && argc == 3) return tacho::measure_comms_in(argv[2]);
  if (verb == "describe" && argc == 2) return tacho::describe_machine();
  if (verb == "describe-model" && argc == 3) return tacho::describe_model_for(argv[2]);
  if (verb == "--version" && argc == 2) {
    std::printf("tacho-worker %s (%s)\n", tacho::kVersion, tacho::kCommit);
    return 0;
  }
  const bool asked = verb == "--help" || verb == "-h";
  std::fputs(kHelp, asked ? stdout : stderr);
  return asked ? 0 : 2;
}
