#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "infer/model.h"
#include "infer/options.h"

namespace tacho::infer {

// A model behind HTTP. It listens before there is a model, so that who watches over it can tell
// "alive" (/health) from "takes requests" (/ready).
class InferServer {
 public:
  // `log` takes lines for people, from any thread.
  using Log = std::function<void(const std::string&)>;
  // `input`: what the model to come reads.
  static Result<std::unique_ptr<InferServer>> start(const InferOptions& options, InputKind input,
                                                    Log log);
  InferServer(const InferServer&) = delete;
  InferServer& operator=(const InferServer&) = delete;
  // As stop().
  ~InferServer();

  // Once. From now on it takes requests.
  Result<void> serve(std::unique_ptr<Model> model);
  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::uint16_t port() const;
  // Takes no more requests; those that were sent before are answered.
  void stop();

 private:
  class Impl;
  explicit InferServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tacho::infer
