#pragma once

#include <string>
#include <string_view>

namespace tacho {

// Parses the free text of a framework: "PyTorch NGC 20.x (NVIDIA DLE scripts)" is pytorch with
// "nvidia dle scripts". The scripts matter as much as the framework, because they decide on layout,
// fusion and input pipeline.
struct SoftwareStack {
  std::string framework;  // "pytorch", "tensorflow", …, "other"; "" for no text
  std::string stack;      // framework and scripts
  std::string release;    // the whole text in lower case
};

SoftwareStack software_stack(std::string_view text);

}  // namespace tacho
