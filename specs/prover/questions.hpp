// From a fact and what may be assumed to questions that a solver answers quickly.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "specs/smt/solver.hpp"

namespace mrproof::specs {

/// What has been proved, so that nothing is asked twice. For all threads.
class Known {
 public:
  using Key = std::vector<smt::Fingerprint>;
  [[nodiscard]] bool contains(const Key& key) const;
  void add(Key key);

 private:
  mutable std::mutex mutex_;
  std::set<Key> proved_;
};

/// Asks whether facts follow from assumptions, in the current store.
///
/// First only the assumptions that speak of nothing but what the fact speaks of are asked: what
/// follows from fewer follows from all. Words that are chosen by a bit are asked about in two
/// cases, one for each value of the bit: adders behind choices are what a solver by bits is slow
/// at.
class Questions {
 public:
  /// Called with each question that is asked and its answer.
  using Log = std::function<void(const smt::Question&, smt::Answer)>;

  Questions(const smt::SolverOptions& options, Known& known, Log log);

  /// Whether the assumptions imply the fact: unsatisfiable if so; else values that make all
  /// assumptions true and the fact false.
  smt::Reply follows(const std::string& name, const std::vector<smt::Ref>& assumptions,
                     smt::Ref fact);
  /// Whether some values make all bits true.
  smt::Reply possible(const std::string& name, const std::vector<smt::Ref>& all);

 private:
  using Objects = std::set<std::string>;
  /// Which assumptions are asked first.
  enum class Near : std::uint8_t {
    same_arguments,  ///< those about no object and no argument that the fact is not about
    same_objects,    ///< those about no object
    any,
  };
  bool is_near(smt::Ref assumption, smt::Ref fact, Near nearness);
  smt::Reply ask(const std::string& name, std::vector<smt::Ref> all, bool final);
  smt::Reply by_cases(const std::string& name, const std::vector<smt::Ref>& all,
                      const std::vector<smt::Ref>& chosen, unsigned depth);
  const Objects& objects_of(smt::Ref ref);

  smt::Solver solver_;
  Known& known_;
  Log log_;
  std::map<smt::Ref, Objects> objects_;
};

}  // namespace mrproof::specs
