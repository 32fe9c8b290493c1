# Shared by the commands in ci/: packages, build, target image, wall times. Bash, to be sourced.
#
# Exit status of the commands: 2 where something could not be set up or built.

export LC_ALL=C.UTF-8
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
self=$(readlink -f "$0")
cd "$root" || exit 2
phases=()

die() {
    echo "${0##*/}: $*" >&2
    exit 2
}

# Prints the comment at the head of the command, which is its manual.
manual() {
    sed -n '2,/^[^#]/{s/^# \{0,1\}//;t print;b;:print;p}' "$self"
}

# phase NAME COMMAND...: runs the command and notes its wall time.
phase() {
    local name=$1 start=$EPOCHREALTIME status=0
    shift
    "$@" || status=$?
    phases+=("$(awk -v name="$name" -v from="$start" -v to="$EPOCHREALTIME" \
        'BEGIN { printf "%-8s %7.1f s", name, to - from }')")
    return "$status"
}

print_phases() {
    echo "wall time"
    printf '  %s\n' "${phases[@]}"
}

# The packages of ci/packages.txt that are not installed, for a preset.
missing_packages() {
    local name reason
    grep -v '^#' ci/packages.txt | while read -r name reason; do
        case $reason in
            "preset=$1 "*) ;;
            preset=*) continue ;;
        esac
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] ||
            echo "$name"
    done
}

install_packages() {
    local -a missing
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        die "this command sets up Debian machines; elsewhere install what ci/packages.txt lists"
    fi
    mapfile -t missing < <(missing_packages "$1")
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        die "missing packages; as root run:" \
            "apt-get install --no-install-recommends ${missing[*]}"
    fi
    echo "installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    apt-get -qq update || die "apt-get update failed; check the network and apt's mirror"
    apt-get -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 install "${missing[@]}" >/dev/null ||
        die "apt-get install failed; see its message above"
}

# build PRESET [TARGET], into build/PRESET
build() {
    cmake --preset "$1" || die "configuring failed"
    cmake --build "build/$1" --target "${2:-all}" || die "building failed"
}

# build_image TARGET PRESET [ARGUMENT...]: these of build-target, whose output is passed on as it
# comes; sets image to the folder that its last line names. The callers have pipefail set.
build_image() {
    local target=$1 preset=$2 line file=ci/targets/$1.toml
    shift 2
    image=
    case $target in *.toml) file=$target ;; esac
    ! grep -qs '^settings = ' "$file" || install_packages kernel
    shopt -s lastpipe  # else the loop would set a copy of image
    ci/build-target "$target" --program "build/$preset/conformance/mrproof" --build build "$@" |
        while IFS= read -r line; do
            printf '%s\n' "$line"
            image=$line
        done || die "the image of target $target could not be built"
    [ -d "$image" ] || die "the image of target $target: build-target's last line is no folder"
}

local_device() {
    local device
    for device in /sys/class/infiniband/*; do
        [ ! -e "$device" ] || return 0
    done
    return 1
}

# The list of known deviations of a target: ci/expectations/DRIVER-TARGET-fails.txt. This is the
# one place that says where it is; ci/conformance passes it on and .ci/run judges by it.
expectation_file() {
    echo "ci/expectations/$1-$2-fails.txt"
}
