#include "base/csv.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tacho {
namespace {

TEST(Csv, QuotesWhatNeedsIt) {
  EXPECT_EQ(csv_line({"a", "b,c", "say \"hi\"", "two\nlines", ""}),
            "a,\"b,c\",\"say \"\"hi\"\"\",\"two\nlines\",\r\n");
  EXPECT_EQ(csv_line({"", "a"}), ",a\r\n");
}

TEST(Csv, NumbersKeepEveryDigit) {
  EXPECT_EQ(csv_number(0.1), "0.1");
  EXPECT_EQ(std::stod(csv_number(2.3025850929940455)), 2.3025850929940455);
  EXPECT_EQ(csv_number(std::nan("")), "");
}

}  // namespace
}  // namespace tacho
