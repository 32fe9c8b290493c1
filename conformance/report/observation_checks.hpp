// How the program of repro.hpp checks what was seen beside an outcome: a line of C for each
// observation that the rules speak of.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "conformance/report/evidence.hpp"

namespace mrproof::conformance {

/// An expression of C that holds where all, or any, of the parts do.
std::string all_in_c(const std::vector<std::string>& parts);
std::string any_in_c(const std::vector<std::string>& parts);

/// One observation, and what a program checks for it.
struct ObservationCheck {
  const model::PlainCondition* condition;
  const char* in_c;  ///< an expression that holds if it does; null: it depends on the evidence
  std::string (*of)(const Evidence& evidence) = nullptr;  ///< makes the expression then
};

/// All of them: each observation of each dialect's rules has one.
std::span<const ObservationCheck> observation_checks();

/// The observation in C, over the variables of the program that gather_details() declares.
std::string in_c(const model::PlainCondition& condition, const Evidence& evidence);

}  // namespace mrproof::conformance
