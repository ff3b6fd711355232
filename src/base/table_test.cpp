#include "base/table.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

const Terminal kPlain(-1);

TEST(Table, AlignsByCharactersAndTrimsTrailingBlanks) {
  Table table({{"id"}, {"model", Align::left}, {"step"}, {"note", Align::left}});
  table.add({"7", "mlp", "57 µs", ""});
  table.add({"41", "mnist-cnn", "1.2 ms", "x"});
  EXPECT_EQ(table.text(kPlain),
            "id  model        step  note\n"
            " 7  mlp         57 µs\n"
            "41  mnist-cnn  1.2 ms  x\n");
}

TEST(Table, FoldsItsWidestCellsFirst) {
  Table table({{"n"}, {"what", Align::left}, {"why", Align::left}});
  table.add({"10", "a few words", "more words than there is room for"});
  table.add({"9", "one", "two"});
  EXPECT_EQ(table.folded(kPlain, 30),
            " n  what         why\n"
            "10  a few words  more words\n"
            "                 than there is\n"
            "                 room for\n"
            " 9  one          two\n");
  // Words are never broken, even if the terminal is too narrow.
  EXPECT_EQ(table.folded(kPlain, 1).substr(0, 19), " n  what   why\n10  ");
}

TEST(Table, ReplacesControlCharacters) {
  Table table({{"name", Align::left}});
  table.add({"a\033[31mb\n"});
  EXPECT_EQ(table.text(kPlain), "name\na?[31mb?\n");
}

}  // namespace
}  // namespace tacho
