#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/result.h"
#include "comm/rollcall.h"
#include "train/torch_api.h"

namespace tacho {

// Gloo's collectives over TCP, between some of a job's ranks; the differences between torch's
// releases stay behind it. An Error where this torch has no Gloo.
class Wire {
 public:
  struct Options {
    int rank = 0;  // among those that are connected
    int size = 1;
    std::string address;  // numeric; of the network device that leads to the others
    std::string name;     // under which those that are connected tell each other their addresses
    std::chrono::milliseconds timeout{15000};  // of each wait for another rank
  };
  static Result<std::unique_ptr<Wire>> connect(const Options& options, Rollcall& rollcall);

  virtual ~Wire() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  virtual Result<void> all_reduce(at::Tensor& sum) = 0;
  virtual Result<void> broadcast(at::Tensor& values) = 0;  // from rank 0
  // `all` is `size` times `mine`.
  virtual Result<void> all_gather(const at::Tensor& mine, at::Tensor& all) = 0;
  // Part i of `out` goes to rank i, and part i of `in` comes from it.
  virtual Result<void> all_to_all(const at::Tensor& out, at::Tensor& in) = 0;
};

// Why there is no Wire in this build; "" where there is.
std::string why_no_wire();

}  // namespace tacho
