// What scenarios show of the rules, and what they have to show.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/judge/rulebook.hpp"
#include "model/trace/trace.hpp"

namespace mrproof::model {

/// The rule that stands for all that have the same row of a table: of several verbs, of several
/// dialects. The first in the order of the dialects.
const PlainRule& row_of(const PlainRule& rule);

/// What can be shown of a rule: "taken"; "because C": reason C alone allows it; "breaks C": a
/// result deviates from it because requirement C alone does not hold. A row's name goes before it:
/// "reg_mr.ok breaks keys_distinct". Rows of the experimental dialect have "mlnx-exp " before it.
std::string item_name(const PlainRule& rule, const std::string& what);

/// That this rule, and not only its row, is taken: "reg_mr_iova.ok taken".
std::string taken_item(const PlainRule& rule);

/// All that is to be shown of a rule, without its name.
std::vector<std::string> wanted_of(const Rulebook& book, const PlainRule& rule);

/// All that is to be shown: every row of every dialect's rules, and that each rule is taken.
std::set<std::string> all_wanted();

/// What one judged result shows, as item_name() says it; beside that "C true" and "C false" of the
/// situation's conditions, if `truths`.
void look(const Rulebook& book, const PlainView& view, const Annotation& judged, bool truths,
    std::set<std::string>& shown);

/// What all steps of a judged trace show.
void look(const Trace& judged, const Rulebook& book, std::set<std::string>& shown);

}  // namespace mrproof::model
