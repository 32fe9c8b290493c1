#!/usr/bin/env python3
"""Makes a C++ file with the texts of traces:  store_traces.py OUTPUT.cpp FOLDER

All *.mrt below FOLDER, by name: specs/traces/situations.hpp declares what is made.
"""

import os
import sys


def literal(text):
    """The text as a C++ literal. Raw ones may be 64 KiB long; a trace is far shorter."""
    if ')trace"' in text:
        sys.exit("store_traces.py: a trace has ')trace\"' in it; choose another delimiter")
    return 'R"trace(' + text + ')trace"'


def main():
    output, folder = sys.argv[1:]
    entries = []
    for path, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".mrt"):
                file = os.path.join(path, name)
                with open(file, encoding="utf-8") as text:
                    entries.append((os.path.relpath(file, folder), text.read()))
    rows = [f'    {{"{name}", {literal(text)}}},\n' for name, text in sorted(entries)]
    with open(output, "w", encoding="utf-8") as out:
        out.write('#include "specs/traces/situations.hpp"\n\n'
                  "namespace mrproof::specs {\nnamespace {\n"
                  "constexpr StoredTrace kStored[] = {\n" + "".join(rows) + "};\n}  // namespace\n"
                  "std::span<const StoredTrace> stored_traces() { return kStored; }\n"
                  "}  // namespace mrproof::specs\n")


if __name__ == "__main__":
    main()
