// Colours of the pages about runs and findings, by CSS variables.
#pragma once

#include <string_view>

namespace mrproof::conformance {

/// Light, or dark by the reader's setting, which data-theme on the root element overrides.
inline constexpr std::string_view kPageColors = R"(
:root{--ink:#1c2430;--paper:#fff;--soft:#eef1f5;--line:#c3cad4;--good:#2f855a;--bad:#c53030;
--warn:#b7791f;--idle:#66707f;--blue:#2b6cb0;--pd0:#2c7a7b;--pd1:#805ad5;--pd2:#b7791f;
--pd3:#975a16}
:root[data-theme=dark]{--ink:#e4e8ee;--paper:#14181f;--soft:#222934;--line:#3b4452;--good:#48bb78;
--bad:#fc8181;--warn:#ecc94b;--idle:#95a0b0;--blue:#63b3ed;--pd0:#4fd1c5;--pd1:#b794f4;
--pd2:#ecc94b;--pd3:#f6ad55}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){--ink:#e4e8ee;--paper:#14181f;
--soft:#222934;--line:#3b4452;--good:#48bb78;--bad:#fc8181;--warn:#ecc94b;--idle:#95a0b0;
--blue:#63b3ed;--pd0:#4fd1c5;--pd1:#b794f4;--pd2:#ecc94b;--pd3:#f6ad55}}
)";

}  // namespace mrproof::conformance
