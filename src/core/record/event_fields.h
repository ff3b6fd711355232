#pragma once

// The fields of each kind of event, and of their parts.

#include "base/json_fields.h"
#include "core/record/event.h"

namespace tacho {

void describe(auto&& f, Is<InputReady> auto& e) {
  f("train_samples", e.train_samples);
  f("eval_samples", e.eval_samples);
  f("classes", e.classes);
  f("steps_per_epoch", e.steps_per_epoch);
  f("seconds", e.seconds);
}

void describe(auto&& f, Is<ModelReady> auto& e) {
  f("parameters", e.parameters);
  f("seconds", e.seconds);
}

void describe(auto&& f, Is<StepsDone> auto& e) {
  f("epoch", e.epoch);
  f("first_step", e.first_step);
  f("warmup", e.warmup);
  f("seconds", e.seconds);
  f("input_seconds", e.input_seconds);
  f("loss", e.loss);
}

void describe(auto&& f, Is<EpochDone> auto& e) {
  f("epoch", e.epoch);
  f("steps", e.steps);
  f("samples", e.samples);
  f("learning_rate", e.learning_rate);
  f("train_loss", e.train_loss);
  f("train_top1", e.train_top1);
  f("train_seconds", e.train_seconds);
  f("eval_loss", e.eval_loss);
  f("top1", e.top1);
  f("top5", e.top5);
  f("eval_seconds", e.eval_seconds);
}

void describe(auto&& f, Is<CheckpointWritten> auto& e) {
  f("epoch", e.epoch);
  f("file", e.file);
  f("bytes", e.bytes);
  f("seconds", e.seconds);
}

void describe(auto&& f, Is<Note> auto& e) { f("text", e.text); }

void describe(auto&& f, Is<RunEnded> auto& e) {
  f("outcome", Named{e.outcome, kOutcomes});
  f("reason", e.reason);
  f("wall_seconds", e.wall_seconds);
  f("user_seconds", e.user_seconds);
  f("system_seconds", e.system_seconds);
  f("peak_memory_bytes", e.peak_memory_bytes);
  f("device_memory_bytes", Added{e.device_memory_bytes});
  f("minor_faults", Added{e.minor_faults});
  f("major_faults", Added{e.major_faults});
}

void describe(auto&& f, Is<ComputePaths> auto& e) {
  f("threads", e.threads);
  f("blas", e.blas);
  f("mkldnn_convolution", e.mkldnn_convolution);
  f("mkldnn_product", e.mkldnn_product);
  f("mkldnn_recurrent", e.mkldnn_recurrent);
  f("allocator", e.allocator);
  f("why", e.why);
  f("product_gflops", e.product_gflops);
}

void describe(auto&& f, Is<Host> auto& e) {
  f("name", e.name);
  f("system", e.system);
  f("kernel", e.kernel);
  f("architecture", e.architecture);
  f("cpu", e.cpu);
  f("cpu_mhz", e.cpu_mhz);
  f("cores", e.cores);
  f("memory_bytes", e.memory_bytes);
  f("gpu", e.gpu);
  f("gpu_driver", e.gpu_driver);
  f("environment", e.environment);
  f("image_digest", e.image_digest);
}

void describe(auto&& f, Is<RunStarted> auto& e) {
  f("attempt", e.attempt);
  f("resumed_epochs", e.resumed_epochs);
  f("tacho_version", e.tacho_version);
  f("tacho_commit", e.tacho_commit);
  f("torch_version", e.torch_version);
  f("host", e.host);
  f("paths", e.paths);
}

void describe(auto&& f, Is<RankInfo> auto& e) {
  f("rank", e.rank);
  f("node", e.node);
  f("host", e.host);
  f("pid", e.pid);
}

void describe(auto&& f, Is<RanksReady> auto& e) {
  f("backend", e.backend);
  f("ranks", e.ranks);
  f("seconds", e.seconds);
}

void describe(auto&& f, Is<RankSteps> auto& e) {
  f("rank", e.rank);
  f("seconds", e.seconds);
  f("input_seconds", e.input_seconds);
  f("backward_seconds", e.backward_seconds);
  f("comm_seconds", e.comm_seconds);
  f("exposed_seconds", e.exposed_seconds);
  f("wire_bytes", e.wire_bytes);
  f("payload_bytes", e.payload_bytes);
}

void describe(auto&& f, Is<RanksDone> auto& e) {
  f("first_step", e.first_step);
  f("ranks", e.ranks);
}

void describe(auto&& f, Is<FiguresSeen> auto& e) {
  f("from", e.from);
  f("step", e.step);
  f("values", e.values);
  f("unix_seconds", e.unix_seconds);
}

void describe(auto&& f, Is<RunDescribed> auto& e) {
  f("name", e.name);
  f("project", e.project);
  f("tags", e.tags);
  f("config", e.config);
}

void describe(auto&& f, Is<StepsFound> auto& e) {
  f("process", e.process);
  f("steps", e.steps);
  f("period_s", e.period_s);
  f("p25_s", e.p25_s);
  f("p75_s", e.p75_s);
  f("kernels_per_step", e.kernels_per_step);
  f("confidence", e.confidence);
  f("printed", Added{e.printed});
  f("began_at", Added{e.began_at});
  f("ended_at", Added{e.ended_at});
  f("paused_s", Added{e.paused_s});
}

void describe(auto&& f, Is<EnvironmentFacts> auto& e) {
  f("engine", e.engine);
  f("engine_version", e.engine_version);
  f("image", e.image);
  f("image_digest", e.image_digest);
}

void describe(auto&& f, Is<EnvironmentExited> auto& e) {
  f("began", e.began);
  f("entered", e.entered);
  f("ended", e.ended);
  f("left", e.left);
}

void describe(auto&& f, Is<TimeLimitReached> auto& e) { f("seconds", e.seconds); }

void describe(auto&& f, Is<LoadMeasured> auto& e) {
  f("url", e.url);
  f("load", e.load);
  f("connections", e.connections);
  f("seconds", e.seconds);
  f("warmup_seconds", e.warmup_seconds);
  f("steady", e.steady);
  f("remark", e.remark);
  f("requests_per_s", e.requests_per_s);
  f("offered_per_s", e.offered_per_s);
  f("requests", e.requests);
  f("ok", e.ok);
  f("refused", e.refused);
  f("rejected", e.rejected);
  f("server_errors", e.server_errors);
  f("timeouts", e.timeouts);
  f("broken", e.broken);
  f("cached", e.cached);
  f("p50_s", e.p50_s);
  f("p90_s", e.p90_s);
  f("p99_s", e.p99_s);
  f("p999_s", e.p999_s);
  f("longest_s", e.longest_s);
  f("service_p50_s", e.service_p50_s);
  f("service_p99_s", e.service_p99_s);
  f("slo", e.slo);
  f("fails_from_per_s", e.fails_from_per_s);
  f("machine", e.machine);
  f("usd_per_hour", e.usd_per_hour);
}

}  // namespace tacho
