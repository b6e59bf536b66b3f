#!/bin/sh
# Installs the Debian or Ubuntu packages that a group of targets needs; elsewhere names them.
#
#   tools/deps.sh GROUP...            installs what is missing of build, test, test-full, portable,
#                                     deb
#   tools/deps.sh --check GROUP...    installs nothing: names what is missing and fails
#
# Servers among them (nginx, sshd, registries) are started by tests alone: not while they are
# installed, nor with the next boot.
#
# NO_DEPS=1: does nothing at all, for systems that have all of it already.
# DEPS_SYSTEM: the root folder of a made-up system, for tests.
set -eu

# PACKAGE, or PACKAGE:COMMAND where the command is enough, from any package.
BUILD='gcc:gcc libc6-dev make:make pkg-config:pkg-config libgit2-dev libyaml-dev
libcurl4-openssl-dev libssl-dev libjansson-dev zlib1g-dev'
TEST='docker-registry:docker-registry skopeo:skopeo apache2-utils:htpasswd openssl:openssl git:git
nginx-light fcgiwrap openssh-server openssh-client:ssh gnupg:gpg mandoc:mandoc
python3:python3 python3-venv libcmocka-dev valgrind:valgrind strace:strace tmux:tmux
clang:clang libclang-rt-dev clang-format:clang-format clang-tidy:clang-tidy
cppcheck:cppcheck shellcheck:shellcheck zsh:zsh fish:fish'
TEST_FULL='debootstrap:debootstrap buildah:buildah curl:curl nodejs:node npm:npm xz-utils:xz
prometheus:promtool groovy:groovy rsync:rsync qemu-user:qemu-aarch64 libc6-arm64-cross'
DEB='debhelper:dh dpkg-dev:dpkg-buildpackage'
PORTABLE='python3:python3 python3-venv patch:patch xz-utils:xz'

# The build on other systems, a line a package: a command that it brings, or the module that
# pkg-config knows it by; then its names with dnf, zypper and pacman.
ELSEWHERE='gcc gcc gcc gcc
make make make make
pkg-config pkgconf-pkg-config pkgconf-pkg-config pkgconf
libgit2 libgit2-devel libgit2-devel libgit2
yaml-0.1 libyaml-devel libyaml-devel libyaml
libcurl libcurl-devel libcurl-devel curl
libcrypto openssl-devel libopenssl-devel openssl
jansson jansson-devel libjansson-devel jansson
zlib zlib-devel zlib-devel zlib'

# Ends this script: names what the build lacks on a system without apt, and the command for it.
elsewhere() {
    manager=
    for name in dnf zypper pacman; do
        [ -n "$manager" ] || ! command -v $name >/dev/null || manager=$name
    done
    missing=$(echo "$ELSEWHERE" | while read -r what dnf zypper pacman; do
        command -v "$what" >/dev/null || pkg-config --exists "$what" 2>/dev/null ||
            case $manager in
            dnf) echo "$dnf" ;;
            zypper) echo "$zypper" ;;
            pacman) echo "$pacman" ;;
            *) echo "$what" ;;
            esac
    done | tr '\n' ' ')
    [ -n "$missing" ] || exit 0
    case $manager in
    '') echo "missing for the build: $missing" ;;
    pacman) printf 'missing packages: %s\nsudo pacman -S %s\n' "$missing" "$missing" ;;
    *) printf 'missing packages: %s\nsudo %s install %s\n' "$missing" "$manager" "$missing" ;;
    esac >&2
    exit 1
}

# What fuzzers are linked with: of libclang-rt-dev or, on older systems, of what clang needs.
has_runtime() {
    folder=$(clang -print-resource-dir 2>/dev/null) || return 1
    for file in "$folder"/lib/*/libclang_rt.fuzzer*; do
        [ ! -e "$file" ] || return 0
    done
    return 1
}

# The packages among "$@" that the system has; it knows once it has lists of packages.
there_are() {
    for package in "$@"; do
        case $package in
        libclang-rt-dev) apt-cache show "$package" >/dev/null 2>&1 || continue ;;
        esac
        echo "$package"
    done
}

group() {
    case $1 in
    build) echo "$BUILD" ;;
    test) echo "$BUILD $TEST" ;;
    test-full) echo "$BUILD $TEST $TEST_FULL $PORTABLE $DEB lintian:lintian" ;;
    portable) echo "$BUILD $PORTABLE" ;;
    deb) echo "$BUILD $DEB" ;;
    *)
        echo "deps: unknown group '$1'; there are: build, test, test-full, portable, deb" >&2
        exit 2
        ;;
    esac
}

# The names of the packages among "$@" that are not there, each once.
missing_of() {
    wanted=
    for item in "$@"; do
        case $item in
        *:*) command -v "${item#*:}" >/dev/null || echo "${item%:*}" ;;
        libclang-rt-dev) has_runtime || echo "$item" ;;
        *) wanted="$wanted $item" ;;
        esac
    done
    # shellcheck disable=SC2086 # a list of words
    dpkg-query -W -f '${Package} ${db:Status-Status}\n' $wanted 2>/dev/null |
        awk -v wanted="$wanted" '
            $2 == "installed" { have[$1] = 1 }
            END {
                n = split(wanted, list, " ")
                for (i = 1; i <= n; i++)
                    if (!(list[i] in have) && !seen[list[i]]++)
                        print list[i]
            }'
}

[ -z "${NO_DEPS-}" ] || exit 0
check=
if [ "${1-}" = --check ]; then
    check=1
    shift
fi
packages=
for name in "$@"; do
    packages="$packages $(group "$name")"
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    [ "$*" != build ] || elsewhere
    {
        echo 'deps: this is neither Debian nor Ubuntu; install what these packages hold:'
        for package in $packages; do
            echo "    ${package%:*}"
        done
        echo 'then run make with NO_DEPS=1'
    } >&2
    exit 1
fi

# shellcheck disable=SC2086 # a list of words
missing=$(missing_of $packages | tr '\n' ' ')
[ -n "$missing" ] || exit 0

if [ -n "$check" ]; then
    printf 'missing packages: %s\n%s\n' "$missing" "\`make deps\` installs them" >&2
    exit 1
fi

sudo=
if [ "$(id -u)" != 0 ]; then
    sudo=sudo
    if ! command -v sudo >/dev/null; then
        printf 'deps: not root and no sudo; as root: apt-get install %s\n' "$missing" >&2
        exit 1
    fi
fi
log=$(mktemp)
policy=${DEPS_SYSTEM-}/usr/sbin/policy-rc.d # packages ask it before they start a server
held=

enabled() {
    for link in "${DEPS_SYSTEM-}"/etc/systemd/system/*.wants/*; do
        [ ! -L "$link" ] || echo "${link##*/}"
    done
}

hold_servers() {
    before=$(enabled)
    [ ! -e "$policy" ] || return 0
    held=1
    # shellcheck disable=SC2016 # $0 is of the inner shell
    $sudo sh -c 'printf "#!/bin/sh\nexit 101\n" >"$0" && chmod 755 "$0"' "$policy"
}

release_servers() {
    rm -f "$log"
    [ -z "$held" ] || $sudo rm -f "$policy"
    held=
    for unit in $(enabled); do
        case " $(echo "$before" | tr '\n' ' ') " in
        *" $unit "*) ;;
        *) $sudo systemctl --quiet disable "$unit" >&2 || true ;;
        esac
    done
}
trap release_servers EXIT
trap 'exit 130' INT TERM
apt() {
    # Fails when a mirror cannot be read, instead of going on with old lists.
    if ! $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=3 \
        -o APT::Update::Error-Mode=any "$@" >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        return 1
    fi
}
printf 'installing with apt-get: %s\n' "$missing" >&2
hold_servers
# shellcheck disable=SC2046,SC2086 # lists of words
apt install -y --no-install-recommends $missing 2>/dev/null || {
    apt update
    apt install -y --no-install-recommends $(there_are $missing)
}
