#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

// The commands of tacho-worker. Each returns the exit code.
namespace tacho {

// Exit codes other than 0 (ended ok) and 1 (ended otherwise; see the "end" event).
inline constexpr int kCannotStart = 2;    // no readable order, or the folder is in use
inline constexpr int kCannotReport = 74;  // EX_IOERR: the events could not be written

// Executes the order in a run's folder, or resumes it.
int run_order(const std::filesystem::path& folder);

// Runs one rank of 'tacho bench comms'; its rank and size come from the environment.
int measure_comms_in(const std::filesystem::path& folder);

// Prints what `tacho doctor` reports about torch, as one JSON object.
int describe_machine();

// Prints the cost of a model as one JSON object. `request` is a DescribeRequest in JSON. If it is
// invalid, returns 2 and prints one line to standard error.
int describe_model_for(std::string_view request);

// Continues a text with the language model of the run in `folder`. `request` is a GenerateRequest
// in JSON. If that is not possible, returns 2 and prints one line to standard error.
int generate_from(const std::filesystem::path& folder, std::string_view request);

// Writes the weights of the run in `folder` to a safetensors file; `checkpoint` is last or best. If
// that is not possible, returns 2 and prints one line to standard error.
int export_to(const std::filesystem::path& folder, const std::filesystem::path& file,
              std::string_view checkpoint);

// Serves the model of the run in `folder` until SIGTERM (returns 0) or SIGINT (130); `words` are
// the options of serving/infer/options.h. Prints one line when it accepts requests. Returns 2 if it
// cannot start.
int infer_from(const std::filesystem::path& folder, std::span<const std::string> words);

}  // namespace tacho
