#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace tacho {

// Explains in one sentence why CLI11 refused the command line that `app` has parsed, with a
// suggestion if an option or a command was misspelt. `app` is tacho, or one of its commands alone.
std::string usage_message(const CLI::App& app, const CLI::ParseError& problem);

}  // namespace tacho
