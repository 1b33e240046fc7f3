#!/bin/sh
# Sets up what a build needs: checks the Swift toolchain, and installs missing system libraries if possible; also the programs that are named:
# setup.sh [PROGRAM…]
set -eu

need_major=6
need_minor=3

fail() {
  printf 'stockbus: %s\n' "$*" >&2
  exit 1
}

command -v "${SWIFT:-swift}" >/dev/null 2>&1 ||
  fail "Swift is missing: install Swift $need_major.$need_minor or later from https://www.swift.org/install, then try again"

version=$("${SWIFT:-swift}" --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
major=${version%%.*}
minor=${version#*.}
if [ -z "$version" ] || [ "$major" -lt "$need_major" ] || { [ "$major" -eq "$need_major" ] && [ "$minor" -lt "$need_minor" ]; }; then
  fail "Swift ${version:-of unknown version} is too old: stockbus needs $need_major.$need_minor or later (https://www.swift.org/install)"
fi

missing=
has() { command -v pkg-config >/dev/null 2>&1 && pkg-config --exists "$1"; }

case $(uname -s) in
Darwin)
  has yaml-0.1 || missing="$missing libyaml"
  brew list openssl@3 >/dev/null 2>&1 || missing="$missing openssl@3"
  command -v pkg-config >/dev/null 2>&1 || missing="$missing pkg-config"
  [ -z "$missing" ] && exit 0
  command -v brew >/dev/null 2>&1 || fail "missing:$missing; install them with Homebrew (https://brew.sh): brew install$missing"
  # shellcheck disable=SC2086
  brew install $missing
  ;;
*)
  command -v pkg-config >/dev/null 2>&1 || missing="$missing pkg-config"
  has yaml-0.1 || missing="$missing libyaml-dev"
  has zlib || missing="$missing zlib1g-dev"
  has libcrypto && has libssl || missing="$missing libssl-dev"
  has sqlite3 || missing="$missing libsqlite3-dev"
  for program in "$@"; do
    command -v "$program" >/dev/null 2>&1 || case $program in dpkg-*) missing="$missing dpkg-dev" ;; *) missing="$missing $program" ;; esac
  done
  [ -z "$missing" ] && exit 0
  command -v apt-get >/dev/null 2>&1 || fail "missing:$missing (or what your system calls them); install them and try again"
  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || fail "missing:$missing; as root: apt-get install$missing"
    as_root=sudo
  fi
  echo "installing$missing"
  # shellcheck disable=SC2086
  $as_root apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq $missing
  ;;
esac
