// Judges what a watched program did: its own mistakes, and the provider's.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "conformance/watch/world.hpp"

namespace mrproof::watch {

/// Follows the events of a recording. What cannot be known is no finding: failures for which
/// nothing that was seen is a reason are counted.
class Judge {
 public:
  /// Names a place of the program.
  using Naming = std::function<std::string(std::uint32_t pid, std::uint64_t address)>;
  explicit Judge(Naming naming) : naming_(std::move(naming)) {}

  /// The next event, in the order of their times.
  void take(const Event& event);
  /// There are no more: what programs that ended by themselves have left.
  void finish();

  [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  using Name = std::pair<std::uint32_t, std::uint64_t>;  // process and pointer
  struct Place {
    World* world;
    std::uint32_t slot;
  };
  using Places = std::map<Name, Place>;

  void open_device(const Event& event);
  void close_device(const Event& event);
  void alloc_pd(const Event& event);
  void dealloc_pd(const Event& event);
  void reg_mr(const Event& event);
  void note_region(const Event& event, World& world, const model::Call<Plain>& call);
  void rereg_mr(const Event& event);
  void change_region(const Event& event, const Place& place, const model::Call<Plain>& call);
  void take_keys(World& world, std::uint32_t slot, std::uint64_t keys);
  void dereg_mr(const Event& event);
  void create_qp(const Event& event);
  void modify_qp(const Event& event);
  void create_srq(const Event& event);
  void destroy_queue(const Event& event);
  void post(const Event& event);
  void refused(const Event& event);
  bool judge_room(const Event& event, const End& end, const Request& request);
  void completion(const Event& event);
  void create_ah(const Event& event);
  void destroy_ah(const Event& event);
  void touched(const Event& event);
  void alloc_mw(const Event& event);
  void dealloc_mw(const Event& event);
  void bound(const Event& event);
  void unmap(const Event& event);
  void pass(const Event& event);

  void end_region(World& world, std::uint32_t slot, const Site& site);
  void end_qp(End& end);
  void mark_ended(Life& life, const Site& site) const;
  Life life_of(const Event& event);
  Site site_of(const Event& event);
  void take_bind(const Event& event, const End& end, Request& request) const;
  void judge_post(const Event& event, End& end, Request& request);
  void tell_unmapped(const Event& event, const End& end, const Request& request);
  End& add_end(const Event& event, const Place& domain);
  [[nodiscard]] const Life* handle_of(const End& end, const Request& request) const;
  void judge_handle(const Event& event, const End& end, const Request& request);
  void judge_kept(const Event& event, const End& end, const Request& request);
  void tell_handle(Finding& finding, const Life& handle);
  void judge_success(const Event& event, End& end, const Request& request);
  void judge_failure(const Event& event, End& end, const Request& request, std::uint32_t status);
  /// The queue pair at the other end, if it is watched and there is one only that can be it.
  [[nodiscard]] const End* peer_of(const End& end) const;
  End* find_end(Name name);
  End& end_at(const Place& place) const { return place.world->ends.at(place.slot / 2); }

  Finding& tell(Whose whose, const Event& event, std::string name, std::string what,
                std::string wrong);
  /// Of a call that is no request: what its success breaks.
  Finding& tell_broken(Whose whose, const Event& event, model::Verb verb, std::string what,
                       const model::PlainCondition& condition);
  void tell_reason(Whose whose, const Event& event, const End& end, const Request& request,
                   const Reason& reason);
  void add_trace(Finding& finding, std::string trace);
  void add_region(Finding& finding, const World& world, const Reason& reason) const;
  bool add_window(Finding& finding, const World& world, const Reason& reason) const;
  [[nodiscard]] Involved involved(std::string name, const Life& life, std::string history) const;
  /// "a() at b.c:3, called by main() at b.c:9"
  [[nodiscard]] std::string place_of(std::uint32_t pid, const Site& site) const;
  [[nodiscard]] std::string origin(const Life& life) const;

  Naming naming_;
  std::map<std::string, std::unique_ptr<World>> worlds_;  ///< by the device's name
  std::map<Name, World*> contexts_;
  Places domains_, regions_, ends_, windows_, handles_;
  /// Those that live, by process, completion queue and number; and by number alone.
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>, Place> by_cq_;
  std::multimap<std::uint32_t, Place> by_number_;
  std::set<Name> extended_cqs_;   ///< whose completions are not seen
  std::set<std::uint32_t> left_;  ///< processes that have ended by themselves
  using Stack = std::array<std::uint64_t, 8>;
  std::vector<Stack> stacks_{Stack{}};  ///< by Site::stack
  std::map<Stack, std::uint32_t> stack_numbers_{{Stack{}, 0}};
  std::vector<Finding> findings_;
  std::size_t traces_ = 0;
  std::map<std::string, std::size_t> places_told_;
  Counts counts_;
  std::uint64_t now_ = 0;  ///< time of the event that is taken
};

}  // namespace mrproof::watch
