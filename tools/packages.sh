# The one list of what building and testing need, and the function that installs what is missing. Sourced by demo.sh and
# test.sh. The names are those of Debian 12 and 13 and Ubuntu 22.04 and 24.04.
#
# A line: package, and how to see that it is there without asking dpkg (a tool from elsewhere is as good as a package).
packages_build='
gcc                 command gcc
g++                 command g++
make                command make
cmake               command cmake
pkg-config          command pkg-config
libc6-dev           header  stdio.h
liblz4-dev          header  lz4.h
libzstd-dev         header  zstd.h
libjansson-dev      header  jansson.h
'
packages_test='
libcmocka-dev       header  cmocka.h
python3             command python3
python3-jsonschema  python  jsonschema
'

package_there() { # kind, name
    case $1 in
    command) command -v "$2" >/dev/null 2>&1 ;;
    header) echo "#include <$2>" | gcc -E -o /dev/null - >/dev/null 2>&1 ;;
    python) python3 -c "import $2" >/dev/null 2>&1 ;;
    esac
}

# packages_need LIST: installs what is missing of a list. Says what it does; false when something is missing and cannot be had.
packages_need() {
    missing=
    while read -r package kind name; do
        [ -z "$package" ] || package_there "$kind" "$name" || missing="$missing $package"
    done <<EOF
$1
EOF
    missing=${missing# }
    [ -n "$missing" ] || return 0
    echo "missing: $missing"
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "cannot install them: no apt-get here. Install what your system calls these, then run this again." >&2
        return 1
    fi
    as_root=
    if [ "$(id -u)" != 0 ]; then
        if ! command -v sudo >/dev/null 2>&1; then
            echo "cannot install them: not root, and no sudo. As root: apt-get install $missing" >&2
            return 1
        fi
        as_root=sudo
        [ -t 0 ] || as_root='sudo -n'
    fi
    echo "installing: $missing"
    install_log=$(mktemp)
    # shellcheck disable=SC2086 # the list is meant to be split
    if { $as_root env DEBIAN_FRONTEND=noninteractive apt-get update &&
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } \
        >"$install_log" 2>&1 </dev/null; then
        rm -f "$install_log"
        return 0
    fi
    tail -n 5 "$install_log" >&2
    rm -f "$install_log"
    echo "cannot install them (apt-get failed, its last lines stand above). By hand: apt-get install $missing" >&2
    return 1
}
