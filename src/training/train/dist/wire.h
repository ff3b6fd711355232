#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/result.h"
#include "machine/comm/rendezvous.h"
#include "training/train/torch_api.h"

namespace tacho {

// Gloo's collectives over TCP between some of a job's ranks; hides the differences between torch
// releases. connect() fails if this torch has no Gloo.
class Wire {
 public:
  struct Options {
    int rank = 0;  // among the connected ranks
    int size = 1;
    std::string address;  // numeric; of the network device used to reach the others
    std::string name;     // under which the connected ranks exchange their addresses
    std::chrono::milliseconds timeout{15000};  // of each wait for another rank
  };
  static Result<std::unique_ptr<Wire>> connect(const Options& options, Rendezvous& rendezvous);

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

// Returns why this build has no Wire; "" if it has.
std::string why_no_wire();

}  // namespace tacho
