#pragma once

#include <string>
#include <string_view>

namespace tacho {

// What a framework's free text says of the software: "PyTorch NGC 20.x (NVIDIA DLE scripts)" is
// pytorch, run by "nvidia dle scripts". Who ran it matters as much as what was run: layout, fusion
// and input pipeline come with the scripts.
struct SoftwareStack {
  std::string framework;  // "pytorch", "tensorflow", …, "other"; "" for no text
  std::string stack;      // framework and whose scripts
  std::string release;    // the whole text, in lower case
};

SoftwareStack software_stack(std::string_view text);

}  // namespace tacho
