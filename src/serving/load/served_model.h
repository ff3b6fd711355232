#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "base/subprocess.h"

namespace tacho {

// Replaces {redis}.
std::string with_redis(std::string word, const std::string& place);

// Serves a trained model over HTTP for the lifetime of the object, with a Redis if the arguments
// contain {redis}.
class ServedModel {
 public:
  // Returns when it answers. `worker`: the program tacho-worker; `scratch`: a folder for the logs
  // of both processes.
  static Result<ServedModel> start(const std::filesystem::path& worker,
                                   const std::filesystem::path& run_folder,
                                   std::span<const std::string> words,
                                   const std::filesystem::path& scratch);
  ServedModel(ServedModel&&) = default;
  ~ServedModel();

  [[nodiscard]] const std::string& url() const { return url_; }

 private:
  ServedModel() = default;

  std::unique_ptr<Process> redis_;
  std::unique_ptr<Process> worker_;
  std::string url_;
};

}  // namespace tacho
