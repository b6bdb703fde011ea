#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs packages in a bare Debian 12 and uses all that they promise, from the packages alone:
# scenes, pictures, manual, completion, menu entry and file type, programs in C and C++, a new
# plugin, Python. As root; needs debootstrap and a mirror of Debian.
#   packaging/try_in_chroot.sh FOLDER_OF_PACKAGES FOLDER
# The bare system is FOLDER/base, for the next run, and a copy of it FOLDER/try.
set -eu
packages=$1 root=$2/try base=$2/base
[ "$(id -u)" = 0 ] || { echo "this needs root" >&2; exit 1; }
mounted=
finish() { [ -z "$mounted" ] || umount "$root/proc"; }
trap finish EXIT

mkdir -p "$2"
if [ ! -e "$base.log" ] || ! grep -q "installed successfully" "$base.log"; then
  rm -rf --one-file-system "$base"
  debootstrap --variant=minbase bookworm "$base" >"$base.log" ||
    { cat "$base.log"; echo "debootstrap failed" >&2; exit 1; }
fi
# a new copy each time: what a former run installed would hide a missing dependency
rm -rf --one-file-system "$root"
cp -a "$base" "$root"
cp /etc/resolv.conf "$root/etc/"
mkdir "$root/packages"
cp "$packages"/*.deb "$root/packages/"
mount -t proc proc "$root/proc"
mounted=yes
in_root() {
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive sh -euc "$1"
}
# install OPTIONS PACKAGES
install() { in_root "apt-get install -y -qq $* >/tmp/apt.log 2>&1 || { cat /tmp/apt.log; exit 1; }"; }
say() { echo "ok: $*"; }
in_root 'apt-get update -qq'

install --no-install-recommends '/packages/libcsofa0_*.deb /packages/csofa_*.deb'
in_root 'cd /tmp; examples=/usr/share/csofa/examples
  runcsofa --version
  runcsofa --licenses | grep -q GPL
  runcsofa -g batch -n 10 $examples/springs/hanging_mass.scn
  runcsofa -g batch -n 5 $examples/SofaCaribou/falling_beam.scn'
say "scenes run with the program and the library alone"

# without Python a scene in Python is refused, and nothing else changes
in_root 'cd /tmp; ! command -v python3 >/dev/null
  echo "def createScene(root): pass" >empty.py
  ! runcsofa -g batch -n 1 empty.py 2>refused
  grep -q "libpython3.11 and python3-numpy" refused'
say "a Python scene without Python names the packages"

install --no-install-recommends "$(in_root "dpkg-query -Wf '\${Recommends}' csofa" | tr -d ,)"
in_root 'cd /tmp; runcsofa -n 10 /usr/share/csofa/examples/demo/hook.scn --screenshot hook.png
  head -c 4 hook.png | grep -q PNG; [ "$(wc -c <hook.png)" -gt 5000 ]'
say "a picture is drawn"

install --no-install-recommends man-db bash-completion
in_root 'man -w runcsofa >/dev/null; man runcsofa | grep -q -- --new-plugin'
in_root 'cat >/tmp/complete.sh <<"TEXT"
. /usr/share/bash-completion/bash_completion
_completion_loader runcsofa || [ $? = 124 ]
function=$(complete -p runcsofa | sed "s/.*-F \([^ ]*\).*/\1/")
COMP_WORDS=(runcsofa --scr) COMP_CWORD=1 COMP_LINE="runcsofa --scr" COMP_POINT=14
$function runcsofa --scr runcsofa
printf "%s\n" "${COMPREPLY[@]}" | grep -qx -- "--screenshot *"
TEXT
  bash /tmp/complete.sh'
say "the manual page and the completion are found"

install --no-install-recommends desktop-file-utils shared-mime-info libglib2.0-bin
in_root 'desktop-file-validate /usr/share/applications/csofa.desktop
  cp /usr/share/csofa/examples/springs/hanging_mass.scn /tmp/type.scn
  gio info -a standard::content-type /tmp/type.scn | grep -q application/x-sofa-scene
  gio mime application/x-sofa-scene | grep -q csofa.desktop
  icon=$(sed -n "s/^Icon=//p" /usr/share/applications/csofa.desktop)
  [ -s /usr/share/icons/hicolor/scalable/apps/$icon.svg ]'
say "the menu entry, its icon and the type of .scn files are registered"

install --no-install-recommends '/packages/libcsofa-dev_*.deb /packages/csofa-doc_*.deb' \
  gcc g++ libc6-dev cmake make pkg-config
# program PAGE LANGUAGE FILE: what a page shows
program() {
  in_root "awk '/^\`\`\`/ { on = \$0 == \"\`\`\`$2 $3\"; next } on' \
    /usr/share/doc/csofa-doc/$1 >/root/$3; [ -s /root/$3 ]"
}
program c.md c drop.c
in_root 'cd /root; cc -std=c11 -Wall -Werror drop.c -o drop $(pkg-config --cflags --libs csofa)
  ./drop | tee drop.txt; [ "$(wc -l <drop.txt)" = 3 ]
  mkdir fall; cp /usr/share/doc/csofa-doc/examples/fall.c fall/
  printf "%s\n" "cmake_minimum_required(VERSION 3.25)" "project(fall LANGUAGES C)" \
    "find_package(csofa REQUIRED)" "add_executable(fall fall.c)" \
    "target_link_libraries(fall PRIVATE csofa::csofa)" >fall/CMakeLists.txt
  cmake -S fall -B fall/build >/dev/null; cmake --build fall/build >/dev/null; fall/build/fall'
say "C programs are built with pkg-config and with CMake"
in_root "grep -m1 '^\`\`\`cpp' /usr/share/doc/csofa-doc/cpp.md" | sed 's/```cpp //' >"$root/tmp/cpp"
program cpp.md cpp "$(cat "$root/tmp/cpp")"
in_root 'cd /root; c++ -std=c++17 -Wall -Werror "$(cat /tmp/cpp)" -o cpp $(pkg-config --cflags --libs csofa)
  ./cpp'
say "a C++ program is built with pkg-config"

in_root 'cd /root; runcsofa --new-plugin MyPlugin
  cmake -S MyPlugin -B MyPlugin/build >/dev/null; cmake --build MyPlugin/build >/dev/null
  CSOFA_PLUGIN_PATH=MyPlugin/build runcsofa -g batch -n 10 MyPlugin/MyPlugin.scn
  times >times; sed -n "2s|^|processor time of all this (user, system): |p" times
  ctest --test-dir MyPlugin/build >/dev/null
  mkdir -p .local/share/csofa/plugins; cp MyPlugin/build/MyPlugin.so .local/share/csofa/plugins/
  runcsofa -g batch -n 10 MyPlugin/MyPlugin.scn'
say "a new plugin is built, run, tested, and found in the folder of the user"

install --no-install-recommends '/packages/python3-csofa_*.deb'

in_root 'cd /root; rm -f python.py
  awk "/^\`\`\`python\$/ && !n { on = 1; n = 1; next } /^\`\`\`/ { on = 0 } on" \
    /usr/share/doc/csofa-doc/python.md >first.py
  python3 first.py | tee first.txt; grep -q "^0.50 s, -0.98 m" first.txt
  python3 -c "import csofa; s = csofa.load(\"/usr/share/csofa/examples/springs/hanging_mass.scn\"); s.step(3); assert s.steps == 3"
  export PYTHONDONTWRITEBYTECODE=1 # beside the examples
  PYTHONPATH=/usr/share/doc/python3-csofa/examples python3 -c "import sweep; print(sweep.sweep([5000, 20000]))"'
install --no-install-recommends libpython3.11 python3-scipy
in_root 'cd /root
  printf "%s\n" "import Sofa" "from Sofa.Units.Definitions import mm" "def createScene(root):" \
    "    root.addObject(\"MechanicalObject\", name=\"state\", position=[[0.0, 0, 0]])" >scene.py
  runcsofa -g batch -n 3 scene.py
  python3 /usr/share/doc/python3-csofa/examples/optimise_modulus.py
  python3 /usr/share/doc/python3-csofa/examples/gradient.py'
say "Python loads and steps scenes, and the examples run"

in_root 'dpkg --purge python3-csofa csofa-doc libcsofa-dev csofa libcsofa0 >/dev/null
  left=$(find /usr /etc /var/lib -name "*csofa*" -not -path "/var/lib/dpkg/*" 2>/dev/null)
  [ -z "$left" ] || { echo "left behind: $left"; exit 1; }'
say "the packages are removed without a trace"
