#pragma once

namespace tacho {

// Prints what `tacho doctor` wants to know of torch, as one JSON object.
int describe_machine();

}  // namespace tacho
