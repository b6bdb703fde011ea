#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs packages in a bare Debian 12, runs scenes, and builds a new plugin there. As root.
#   packaging/try_in_chroot.sh FOLDER_OF_PACKAGES CHROOT
set -eu
packages=$1 root=$2
[ -e "$root/bin/sh" ] || debootstrap --variant=minbase bookworm "$root" >"$root.log"
cp /etc/resolv.conf "$root/etc/"
rm -rf "$root/packages"
mkdir "$root/packages"
cp "$packages"/*.deb "$root/packages/"
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT
in_root() { chroot "$root" env DEBIAN_FRONTEND=noninteractive HOME=/root sh -euc "$1"; }
in_root 'apt-get update -qq
  apt-get install -y -qq --no-install-recommends --reinstall --allow-downgrades /packages/*.deb'
in_root 'cd /tmp; examples=/usr/share/csofa/examples
  runcsofa --version
  runcsofa -g batch -n 10 $examples/springs/hanging_mass.scn
  runcsofa -g batch -n 5 $examples/SofaCaribou/falling_beam.scn'
in_root 'apt-get install -y -qq --no-install-recommends gcc libc6-dev cmake make
  cd /root; rm -rf MyPlugin; runcsofa --new-plugin MyPlugin
  cmake -S MyPlugin -B MyPlugin/build; cmake --build MyPlugin/build; ctest --test-dir MyPlugin/build
  install -D MyPlugin/build/MyPlugin.so .local/share/csofa/plugins/MyPlugin.so
  runcsofa -g batch -n 10 MyPlugin/MyPlugin.scn'
