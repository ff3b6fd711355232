#pragma once

namespace tacho {

// The value below which the share `q` of the standard normal distribution lies; q within (0, 1).
double normal_quantile(double q);
// … of Student's t with a whole number of degrees of freedom, at least one.
double student_quantile(double q, int degrees);

}  // namespace tacho
