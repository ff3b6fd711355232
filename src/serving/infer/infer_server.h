#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "serving/infer/language_model.h"
#include "serving/infer/model.h"
#include "serving/infer/options.h"

namespace tacho::infer {

// Serves a model over HTTP. Listens before the model is loaded, so that an orchestrator can
// distinguish "alive" (/health) from "ready" (/ready).
class InferServer {
 public:
  // `log` is called with log lines, from any thread.
  using Log = std::function<void(const std::string&)>;
  // `input`: the input of the model that serve() will be given.
  static Result<std::unique_ptr<InferServer>> start(const InferOptions& options, InputKind input,
                                                    Log log);
  InferServer(const InferServer&) = delete;
  InferServer& operator=(const InferServer&) = delete;
  ~InferServer();

  // Called once. The server accepts requests from here on.
  Result<void> serve(std::unique_ptr<Model> model);
  Result<void> serve(std::unique_ptr<LanguageModel> model);
  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::uint16_t port() const;
  // Accepts no more requests; answers those that were sent before.
  void stop();

 private:
  class Impl;
  explicit InferServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tacho::infer
