#include "specs/explore/scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "model/judge/rulebook.hpp"
#include "model/trace/trace_form.hpp"
#include "model/trace/trace_scanner.hpp"
#include "specs/explore/world.hpp"

namespace mrproof::specs {

namespace {

constexpr std::string_view kFirstLine = "# mrproof scope v1";
/// More calls than anyone writes on purpose.
constexpr std::size_t kMostCalls = 4096;

/// Reads one scope.
class Reader {
 public:
  explicit Reader(const std::string& file) { scope_.file = file; }

  Scope read(std::string_view text) {
    while (!text.empty()) {
      ++number_;
      const auto end = text.find('\n');
      line_ = text.substr(0, end);
      if (end == std::string_view::npos) fail("the last line does not end: the file is cut off");
      text.remove_prefix(end + 1);
      check_characters();
      if (number_ == 1 && line_ != kFirstLine)
        fail(fmt::format("a scope starts with the line '{}'", kFirstLine));
      if (!line_.starts_with("#") && line_.find_first_not_of(' ') != std::string_view::npos)
        read_line();
    }
    if (number_ == 0) fail(fmt::format("the file is empty; a scope starts with '{}'", kFirstLine));
    if (scope_.calls.empty()) fail("the scope has no calls; write steps as in a trace");
    take_givens();
    if (scope_.symmetry) check_symmetry();
    return std::move(scope_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    model::LineScanner(line_, scope_.file, std::max<std::size_t>(number_, 1)).fail(what);
  }

  void check_characters() const {
    for (std::size_t i = 0; i < line_.size(); ++i)
      if (std::iscntrl(static_cast<unsigned char>(line_[i])) != 0 && line_[i] != '\t')
        model::LineScanner(line_, scope_.file, number_)
            .fail_at(i, "control character; scopes are plain text with LF line ends");
  }

  void read_line() {
    model::LineScanner in(line_, scope_.file, number_);
    in.skip_blanks();
    if (line_.starts_with("given ")) {
      if (!scope_.calls.empty()) fail("'given' lines come before the first step");
      // Each line in its own place, so that errors name it.
      givens_.append(number_ - 2 - givens_lines_, '\n');
      givens_ += std::string(line_) + '\n';
      givens_lines_ = number_ - 1;
      take_givens();
    } else if (in.take("regions ")) {
      before_the_calls();
      scope_.regions = in.number(World::kRegions, "how many regions");
      in.expect_end();
    } else if (in.take("windows ")) {
      before_the_calls();
      scope_.windows = in.number(World::kWindows, "how many windows");
      in.expect_end();
    } else if (in.take("symmetry none")) {
      scope_.symmetry = false;
      in.expect_end();
    } else if (in.take("shown all")) {
      scope_.shown = true;
      in.expect_end();
    } else {
      expand(std::string(line_), 0);
    }
  }

  /// Calls were read for as many objects as there were then.
  void before_the_calls() const {
    if (!scope_.calls.empty()) fail("'regions' and 'windows' come before the first step");
  }

  /// The trace's parser, asked about a text that stands in this line.
  [[nodiscard]] model::Trace parse_here(const std::string& text) const {
    return model::parse_trace(
        "# mrproof trace v1\n" + std::string(number_ < 2 ? 0 : number_ - 2, '\n') + text + "\n",
        scope_.file);
  }

  void take_givens() {
    const std::string first = "# mrproof trace v1\n";
    const model::Trace trace = model::parse_trace(first + givens_, scope_.file);
    scope_.dialect = trace.dialect;
    scope_.setup = trace.setup;
    scope_.can = trace.can;
    if (model::find_rulebook(trace.dialect) == nullptr) fail("there is no such dialect");
    for (std::size_t i = World::kPds; i < model::Plain::kPds; ++i)
      if (trace.setup.pd.at(i)) fail(fmt::format("a scope has at most {} PDs", World::kPds));
    if (trace.setup.qp_pd.at(2) != model::Setup::kAbsent) fail("a scope has at most one pair");
    if (trace.setup.process != model::Setup{}.process) fail("a scope has one process");
  }

  void expand(const std::string& text, std::size_t from) {
    const auto at = text.find_first_of("{*", from);
    if (at == std::string::npos) return add(text);
    if (text[at] == '*') return expand_number(text, at);
    const auto close = text.find('}', at);
    if (close == std::string::npos) fail("'{' without '}'");
    if (text.find('{', at + 1) < close) fail("'{' within '{'");
    std::size_t begin = at + 1;
    while (begin <= close) {
      const auto end = std::min(text.find(';', begin), close);
      auto choice = text.substr(begin, end - begin);
      choice.erase(0, choice.find_first_not_of(' '));
      expand(text.substr(0, at) + choice + text.substr(close + 1), at);
      begin = end + 1;
    }
  }

  void expand_number(const std::string& text, std::size_t at) {
    const auto kind = at < 2 ? std::string() : text.substr(at - 2, 2);
    std::size_t count = 0;
    if (kind == "mr")
      count = scope_.regions;
    else if (kind == "mw")
      count = scope_.windows;
    else if (kind == "pd")
      count = World::kPds;
    else if (kind == "qp")
      count = World::kQps;
    else
      fail("'*' stands behind mr, mw, pd or qp only");
    if (count == 0) fail(fmt::format("'{}*', but the scope has none; say how many above", kind));
    for (std::size_t i = 0; i < count; ++i)
      expand(text.substr(0, at) + std::to_string(i) + text.substr(at + 1), at);
  }

  void add(const std::string& text) {
    const model::Trace trace = parse_here(text);
    if (trace.steps.size() != 1) fail("expected a step without its result");
    const model::Step& step = trace.steps.front();
    if (step.observed) fail("a scope says what is called, not what is seen; leave out '->'");
    check(step);
    if (scope_.calls.size() == kMostCalls)
      fail(fmt::format("the scope has more than {} calls; name fewer values", kMostCalls));
    if (!named_.insert(model::print_call(step)).second)
      fail(fmt::format("the scope has '{}' already", model::print_call(step)));
    scope_.calls.push_back(step);
  }

  void check(const model::Step& step) const {
    const auto form = model::form_of(step.call.verb);
    const auto slot_below = [&](model::Argument argument, std::size_t slot, std::size_t count) {
      bool has = form.target == argument;
      for (const auto other : form.arguments) has |= other == argument;
      if (has && slot >= count)
        fail(fmt::format("{} is not below {}, the scope's number of them",
                         model::kArgumentNames.at(static_cast<std::size_t>(argument)), count));
    };
    slot_below(model::Argument::pd, step.call.pd, World::kPds);
    slot_below(model::Argument::mr, step.call.mr, scope_.regions);
    slot_below(model::Argument::source, step.call.source, scope_.regions);
    slot_below(model::Argument::mw, step.call.mw, scope_.windows);
    slot_below(model::Argument::qp, step.call.qp, World::kQps);
    for (const auto& key : {step.lkey, step.second, step.rkey}) check(key);
    if (!model::find_rulebook(scope_.dialect)->has(step.call.verb))
      fail("the dialect has no such verb");
  }

  void check(const model::KeyName& key) const {
    using Kind = model::KeyName::Kind;
    if (key.kind == Kind::old_lkey || key.kind == Kind::old_rkey ||
        key.kind == Kind::old_window_rkey)
      fail("all keys that nothing has any more are alike here; name one by a number");
    constexpr std::uint32_t kLowByte = 0xff;
    if (key.flip > kLowByte)
      fail("a key changed above its low byte may be another object's here; name one by a number");
    if (key.kind == Kind::value && is_taken(key.value))
      fail(fmt::format("{:#x} is a key of the explorer's own; name another number", key.value));
    const bool window = key.kind == Kind::window_rkey;
    if (key.kind != Kind::value && key.slot >= (window ? scope_.windows : scope_.regions))
      fail("a key of an object that the scope does not have");
  }

  /// Whether objects have such a key here, their low bytes aside, or had it.
  static bool is_taken(std::uint32_t key) {
    std::vector<std::uint32_t> own{kStaleKey};
    for (std::size_t i = 0; i < World::kRegions; ++i) own.push_back(region_key(i));
    for (std::size_t i = 0; i < World::kWindows; ++i) own.push_back(window_key(i));
    return std::any_of(own.begin(), own.end(),
                       [&](auto taken) { return key >> 8U == taken >> 8U; });
  }

  /// The call with two regions, two windows exchanged.
  static model::Step exchanged(model::Step step, bool regions, std::uint32_t a, std::uint32_t b) {
    const auto exchange = [&](std::uint32_t& slot) { slot = slot == a ? b : slot == b ? a : slot; };
    for (auto* slot : {&step.call.mr, &step.call.source})
      if (regions) exchange(*slot);
    if (!regions) exchange(step.call.mw);
    for (auto* key : {&step.lkey, &step.second, &step.rkey})
      if (key->kind != model::KeyName::Kind::value &&
          (key->kind == model::KeyName::Kind::window_rkey) != regions)
        exchange(key->slot);
    return step;
  }

  /// States may be taken for one only if the calls make no difference between them, either.
  void check_symmetry() const {
    const auto check = [&](bool regions, std::uint32_t a, std::uint32_t b) {
      for (const model::Step& step : scope_.calls) {
        const auto other = model::print_call(exchanged(step, regions, a, b));
        if (named_.contains(other)) continue;
        model::LineScanner("", scope_.file, step.line)
            .fail(fmt::format("the scope has '{}', but not '{}'; write '*', or 'symmetry none'",
                              model::print_call(step), other));
      }
    };
    for (std::uint8_t i = 1; i < scope_.regions; ++i) check(true, 0, i);
    for (std::uint8_t i = 1; i < scope_.windows; ++i) check(false, 0, i);
  }

  Scope scope_;
  std::set<std::string> named_;  ///< its calls
  std::string givens_;
  std::size_t givens_lines_ = 0;
  std::string_view line_;
  std::size_t number_ = 0;
};

}  // namespace

Scope parse_scope(std::string_view text, const std::string& file) {
  return Reader(file).read(text);
}

Scope load_scope(const std::string& file) { return parse_scope(model::read_text(file), file); }

}  // namespace mrproof::specs
