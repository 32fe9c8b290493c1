#!/bin/bash
# Prints mrproof-trace(5), of what README.md of this folder says of traces:
#
#    conformance/trace_manual.sh VERSION
#
# It needs cmark-gfm.
set -euo pipefail
echo ".TH MRPROOF\\-TRACE 5 \"\" \"mrproof $1\""
echo ".SH NAME"
echo "mrproof\\-trace \\- calls of RDMA verbs and what they led to"
echo ".SH DESCRIPTION"
# The table of codes that were seen is no part of the form.
awk '/^## /{traces = /Traces/; next}
     /^The table shows/{left_out = 1}
     traces && !left_out
     /end of rereg codes/{left_out = 0}' "$(dirname "$0")/README.md" | cmark-gfm -t man
echo ".SH SEE ALSO"
echo ".BR mrproof (1)"
