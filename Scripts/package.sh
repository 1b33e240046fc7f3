#!/bin/sh
# Packs the release program, with the libraries of Swift that it needs: package.sh deb|tarball. The package is written to .build/packages. From the
# same program the same bytes come: nothing in a package is younger than the commit.
set -eu
cd "$(dirname "$0")/.."

kind=${1:?usage: package.sh deb|tarball}
program=.build/release/stockbus
packages=.build/packages
version=$("$program" --version | cut -d ' ' -f 2)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y "$program")}
export SOURCE_DATE_EPOCH

fail() {
  printf 'package: %s\n' "$*" >&2
  exit 1
}

[ "$(uname -s)" = Linux ] || fail "packages are for Linux"
python3 Scripts/man.py "$program" .build/man >/dev/null
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
chmod 755 "$tree"
umask 022

# install_to PREFIX: everything of `make install`, and the licences of what is in it.
install_to() {
  DESTDIR=$tree PREFIX=$1 RUNTIME=yes sh Scripts/install.sh .build/release
  doc=$tree$1/share/doc/stockbus
  install -d "$doc"
  {
    cat <<END
stockbus, the Swift packages that are compiled into it and the libraries of Swift in lib/stockbus are under the Apache License 2.0; those of
Apple and the Swift project with the Runtime Library Exception. On Debian systems the licence is in /usr/share/common-licenses/Apache-2.0,
elsewhere at https://www.apache.org/licenses/LICENSE-2.0.

END
    for notice in .build/checkouts/*/NOTICE.txt; do
      [ ! -e "$notice" ] || { printf '== %s\n\n' "$(basename "$(dirname "$notice")")" && cat "$notice"; }
    done
  } >"$doc/copyright"
  gzip -9n "$tree$1"/share/man/man1/*.1
}

# The files that need libraries.
binaries() { find "$tree" -type f \( -path '*/bin/stockbus' -o -name '*.so' \); }

# The version of the C library that they need. Relocations in the short form need 2.36, which dpkg-shlibdeps does not see.
# shellcheck disable=SC2046
glibc() { readelf -V $(binaries) | sed -n 's/ABI_DT_RELR/2.36/; s/.*Name: GLIBC_\([0-9.]*\) .*/\1/p' | sort -uV | tail -n 1; }

pack_deb() {
  ZSH_COMPLETIONS=share/zsh/vendor-completions install_to /usr
  maintainer="${DEBFULLNAME:-$(git log -1 --format=%an)} <${DEBEMAIL:-$(git log -1 --format=%ae)}>"
  gzip -9nc CHANGELOG.md >"$doc/CHANGELOG.md.gz"
  gzip -9n >"$doc/changelog.gz" <<END
stockbus ($version) unstable; urgency=medium

  * CHANGELOG.md.gz says what is new.

 -- $maintainer  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
END
  libraries=$tree/usr/lib/stockbus
  # dpkg-shlibdeps wants to see a source package; what is in our own folder belongs to no package.
  mkdir "$tree/debian"
  echo "Source: stockbus" >"$tree/debian/control"
  # shellcheck disable=SC2046
  depends=$(cd "$tree" && dpkg-shlibdeps -O --ignore-missing-info -l"$libraries" $(binaries) 2>/dev/null |
    sed -n "s/libc6 (>= [^)]*)/libc6 (>= $(glibc))/; s/^shlibs:Depends=//p")
  rm -r "$tree/debian"
  [ -n "$depends" ] || fail "dpkg-shlibdeps has found no dependencies"
  mkdir "$tree/DEBIAN"
  (cd "$tree" && find usr -type f | LC_ALL=C sort | xargs md5sum) >"$tree/DEBIAN/md5sums"
  cat >"$tree/DEBIAN/control" <<END
Package: stockbus
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: $maintainer
Installed-Size: $(du -sk --apparent-size "$tree/usr" | cut -f 1)
Depends: $depends
Recommends: ca-certificates, tzdata
Suggests: libnotify-bin
Section: misc
Priority: optional
Description: event bus and plugins for market data
 Moves prices from venues, files and other programs through filters, rankings,
 bars and alerts to a terminal, a web page, files and databases, as a YAML file
 says. The libraries of Swift that it needs are in its own folder. Plugins in
 other languages, and in Swift, can be added.
END
  package=$packages/stockbus_${version}_$(dpkg --print-architecture).deb
  find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  dpkg-deb --root-owner-group -Zxz --build "$tree" "$package" >/dev/null
}

pack_tarball() {
  # Where its unit for systemd expects it.
  install_to /opt/stockbus
  # shellcheck disable=SC2046
  needed=$(readelf -d $(binaries) | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u |
    while read -r name; do [ -e "$tree/opt/stockbus/lib/stockbus/$name" ] || echo "$name"; done)
  name=stockbus-$version-linux-$(uname -m)
  mv "$tree/opt/stockbus" "$tree/$name"
  cat >"$tree/$name/README.txt" <<END
stockbus $version for Linux on $(uname -m), without Swift

It needs glibc $(glibc) (Debian 12 has 2.36, Ubuntu 24.04 has 2.39) and these libraries of the system:

$(echo "$needed" | grep -v '^ld-linux\|^libc\.\|^libm\.' | sed 's/^/  /')

  Debian, Ubuntu   apt install libyaml-0-2 libssl3 libsqlite3-0 zlib1g libstdc++6
  Fedora           dnf install libyaml openssl-libs sqlite-libs zlib libstdc++
  Arch             pacman -S libyaml openssl sqlite zlib gcc-libs

Besides, ca-certificates for servers with TLS, and tzdata for time zones.

bin/stockbus runs where it is; the folder may be anywhere, under any name. For all users, with the manual and as a service:

  sudo mkdir /opt/stockbus && sudo tar -C /opt/stockbus --strip-components=1 -xf $name.tar.gz
  sudo ln -s /opt/stockbus/bin/stockbus /usr/local/bin/stockbus
  export MANPATH="/opt/stockbus/share/man:"
  sudo systemd-sysusers /opt/stockbus/lib/sysusers.d/stockbus.conf
  sudo systemctl link /opt/stockbus/lib/systemd/system/stockbus@.service
  sudo systemctl enable --now stockbus@desk     # runs /etc/stockbus/desk.yaml

To remove it, delete the folder and the links.
END
  find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  package=$packages/$name.tar.gz
  tar -C "$tree" --sort=name --owner=0 --group=0 --numeric-owner --format=gnu -c "$name" | gzip -9n >"$package"
}

mkdir -p "$packages"
case $kind in
deb) pack_deb ;;
tarball) pack_tarball ;;
*) fail "deb or tarball, not $kind" ;;
esac
echo "$package: $(du -k --apparent-size "$package" | cut -f 1) KiB"
