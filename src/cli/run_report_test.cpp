#include "cli/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::Not;

// Four ranks on two nodes; the last one is slow.
RunRecord record_of_four() {
  RunRecord record;
  record.order.spec.model = "resnet18";
  record.order.spec.data = "cifar10";
  record.outcome = Outcome::ok;
  record.steps.seconds = {0.5, 0.25, 0.25};
  record.steps.input_seconds = {0.0625, 0.0625, 0.0625};
  record.steps.loss = {3, 2, 1};
  record.steps.warmup = {0};
  record.ranks = RanksReady{"shm+gloo", {}, 0.75};
  for (std::int64_t rank = 0; rank < 4; ++rank) {
    record.ranks->ranks.push_back({rank, rank / 2, "node-" + std::to_string(rank), 40 + rank});
    const double exposed = rank == 3 ? 0.03125 : 0.0625;
    record.rank_steps.push_back({rank,
                                 {0.5, 0.25, 0.25},
                                 {0.0625, 0.0625, 0.0625},
                                 {0.125, 0.125, 0.125},
                                 {0.125, 0.125, 0.125},
                                 {exposed, exposed, exposed},
                                 {46854144, 46854144, 46854144},
                                 {46854144, 46854144, 46854144}});
  }
  return record;
}

TEST(RunReport, ShowsRanksTrafficAndTheStraggler) {
  const std::string text = run_report(7, record_of_four(), Terminal(-1));
  EXPECT_THAT(text, HasSubstr("4 on 2 nodes by shm+gloo, 256 samples/step; rendezvous 750 ms"));
  EXPECT_THAT(text, HasSubstr("125 ms per step, 50.0 % hidden; 44.7 MiB sent at 357"));
  EXPECT_THAT(text, HasSubstr("rank 3 in 100.0 % of the steps; the others wait 31.2 ms for it"));
  EXPECT_THAT(text, HasSubstr("1,024 samples/s"));
}

TEST(RunReport, FitsEightyColumns) {
  std::istringstream lines(run_report(7, record_of_four(), Terminal(-1)));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(display_width(line), 80U) << line;
  }
}

TEST(RunReport, WrapsALongConfig) {
  RunDescribed described;
  for (int i = 0; i < 30; ++i) described.config["option" + std::to_string(i)] = "value";
  RunRecord record;
  record.described = described;
  const std::string text = run_report(7, record, Terminal(-1));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(display_width(line), 80U) << line;
  }
  EXPECT_THAT(text, HasSubstr("config    option0=value, option1=value, option10=value, "
                              "option11=value,\n          option12=value, "));
}

TEST(RunReport, NamesTheCommandForOperators) {
  RunRecord record = record_of_four();
  EXPECT_THAT(run_report(7, record, Terminal(-1)), Not(HasSubstr("operators")));
  record.order.spec.ops = true;
  EXPECT_THAT(run_report(7, record, Terminal(-1)), HasSubstr("operators tacho report 7\n"));
}

TEST(RunReport, ShowsNoRanksForOneProcess) {
  RunRecord record = record_of_four();
  record.ranks.reset();
  record.rank_steps.clear();
  EXPECT_THAT(run_report(7, record, Terminal(-1)), Not(HasSubstr("ranks")));
}

}  // namespace
}  // namespace tacho
