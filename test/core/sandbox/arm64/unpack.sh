#!/bin/sh
# Unpacks the packages of Debian that the test of arm64 needs into a folder, without changing this system:
#   sh test/core/sandbox/arm64/unpack.sh ~/arm64 && SKILLS_TEST_ARM64=~/arm64 npx vitest run test/core/sandbox/arm64
set -eu
folder=${1:?name a folder}
mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$folder/debs"
: > "$folder/apt/status"
folder=$(cd "$folder" && pwd)

arm64() {
  command=$1
  shift
  "$command" -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o "Dir::State=$folder/apt" \
    -o "Dir::State::status=$folder/apt/status" -o "Dir::State::Lists=$folder/apt/lists" \
    -o "Dir::Cache=$folder/apt/cache" "$@"
}
arm64 apt-get -qq update
kernel=$(arm64 apt-cache show linux-image-arm64 | sed -n 's/^Depends: \([^ ]*\).*/\1/p' | head -1)
cd "$folder/debs"
arm64 apt-get -qq download "$kernel" python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libc6 zlib1g \
  libexpat1 libffi8 libcrypt1 busybox-static
apt-get -qq download qemu-system-arm
mkdir -p "$folder/kernel" "$folder/root" "$folder/emulator"
for package in ./*.deb; do
  case $package in
    ./linux-image-*) dpkg -x "$package" "$folder/kernel" ;;
    ./qemu-*) dpkg -x "$package" "$folder/emulator" ;;
    *) dpkg -x "$package" "$folder/root" ;;
  esac
done
