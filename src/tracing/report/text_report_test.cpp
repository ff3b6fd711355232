#include "tracing/report/text_report.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tracing/report/made_findings.h"

namespace tacho {
namespace {

const Terminal kPlain(-1);

TEST(TextReport, FirstScreenShowsSpeedPartsAndAdvice) {
  RunFindings run = made_gpu_run();
  GpuFindings& gpu = run.processes[0].findings;
  gpu.parts = {.input_wait = 0.010,
               .forward = 0.003,
               .backward = 0.006,
               .optimizer = 0.001,
               .phases_known = true};
  gpu.signs.gpu_busy_share = 0.5;
  run.absent.push_back({"operators", "not recorded; use tacho train --ops"});
  const std::string text = text_report(run, kPlain);
  const std::string screen = text.substr(0, text.find("\nKernel classes"));
  EXPECT_EQ(screen, R"(run 7  resnet50 on synthetic, batch 64  ok
step      median 20.0 ms, quartiles 19.9 ms to 20.2 ms of 100 steps; found in
          the kernels of process 4242, confidence 0.97
speed     50 steps/s

Where a step's time goes (mean shares of the median step)
  iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiFFFFFFFFFFFBBBBBBBBBBBBBBBBBBBBBBBOOOO
  i input wait            50 %  10.0 ms  F forward               15 %  3.00 ms
  B backward              30 %  6.00 ms  O optimizer              5 %  1.00 ms

What to change
 1. The GPU waits for input
    saves 50 % (25 % to 50 %)
    change:   load data in parallel: DataLoader(num_workers=…, pin_memory=True,
              persistent_workers=True), or tacho train --workers
    evidence: the GPU is idle for 10.0 ms of each step (50 %) while the host
              makes no CUDA call; 1.2 of 16 cores in use

cpu       mean 1.20 of 16 cores, max 1.2, user 11.0 s, system 1.00 s, 1 process,
          20 threads
memory    3.00 GiB in total, of 128 GiB, 0 major faults
no operators: not recorded; use tacho train --ops
)");
}

TEST(TextReport, NoLineIsWiderThanTheTerminal) {
  std::istringstream lines(text_report(made_gpu_run(), kPlain));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(display_width(line), 80U) << line;
  }
}

TEST(TextReport, SaysWhatARunWithOnlyARecordLacks) {
  RunFindings run;
  run.absent.push_back({"GPU trace", "this run used no GPU"});
  const std::string text = text_report(run, kPlain);
  EXPECT_NE(text.find("no step was recorded or found"), std::string::npos) << text;
  EXPECT_NE(text.find("no GPU trace: this run used no GPU"), std::string::npos) << text;
}

TEST(TextReport, EscapesControlCharactersInNames) {
  RunFindings run = made_gpu_run();
  run.record.order.spec.model = "\033[2J";
  run.record.reason = "\033]0;x\007";
  run.processes[0].findings.tables.kernels[0].time.name = "\033[31mred";
  run.absent.push_back({"x", "\033[1m"});
  EXPECT_EQ(text_report(run, kPlain).find('\033'), std::string::npos);
}

}  // namespace
}  // namespace tacho
