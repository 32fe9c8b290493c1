#include "specs/citations.hpp"

#include <gtest/gtest.h>

namespace mrproof::specs {
namespace {

TEST(Citations, NamePageAndSectionOfEachClause) {
  EXPECT_EQ(cite("reg_mr.range", "linux"), "ibv_reg_mr(3), DESCRIPTION");
  EXPECT_EQ(cite("reg_mr.range post_send.sge_range", "linux"),
            "ibv_reg_mr(3), DESCRIPTION; ibv_post_send(3), DESCRIPTION");
}

TEST(Citations, NameEachPageAndSectionOnce) {
  EXPECT_EQ(cite("reg_mr.range reg_mr.local_write", "linux"), "ibv_reg_mr(3), DESCRIPTION");
  EXPECT_EQ(cite("reg_mr.range C10-75 reg_mr.rkey_names_mr", "linux"),
            "ibv_reg_mr(3), DESCRIPTION, RETURN VALUE; InfiniBand architecture, C10-75");
}

TEST(Citations, NameArchitectureClausesByNumber) {
  EXPECT_EQ(cite("C9-222.1 o10-37.2.30 11.6.2", "linux"),
            "InfiniBand architecture, C9-222.1, o10-37.2.30, 11.6.2");
}

TEST(Citations, SayWhatIsOpenInAGapAfterTheClauses) {
  EXPECT_EQ(cite("gap.length_zero", "linux"),
            "gap: Whether a registration of length zero succeeds");
  EXPECT_EQ(cite("gap.length_zero reg_mr.range", "linux"),
            "ibv_reg_mr(3), DESCRIPTION; gap: Whether a registration of length zero succeeds");
}

TEST(Citations, AreOfTheDialectsOwnPages) {
  EXPECT_EQ(cite("reg_mr.local_write C10-57", "linux-2006"),
            "ibv_reg_mr(3), older page, DESCRIPTION; InfiniBand architecture, C10-57");
  EXPECT_EQ(cite("rereg_mr.flags_known", "mlnx-exp"),
            "ibv_rereg_mr, experimental verb (vendor page), @flags");
  EXPECT_EQ(cite("alloc_mw.grants_subset C10-57", "linux-2006"), "InfiniBand architecture, C10-57");
}

TEST(Citations, AreOfOtherPagesWhereTheDialectHasNone) {
  EXPECT_EQ(cite("alloc_mw.grants_subset", "linux-2006"), "ibv_alloc_mw(3), DESCRIPTION");
}

TEST(Citations, OfNothingAreEmpty) { EXPECT_EQ(cite("", "linux"), ""); }

}  // namespace
}  // namespace mrproof::specs
