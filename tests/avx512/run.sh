#!/usr/bin/env bash
# run.sh [TEST…] — runs tests of build/release on an emulated processor with AVX-512, about a hundred times slower than a real one.
#
# For machines without AVX-512, where the tests of its kernels are skipped. Bochs emulates a Core i7-7800X; Debian's kernel starts there
# from an image of a disc that holds the tests and their libraries. Without TEST: the kernels' tests, about an hour. Needs the packages
# bochs, bochs-x, vgabios, grub-pc-bin, xorriso, mtools, busybox-static, cpio, xvfb and those of ./dev. All files lie in build/avx512.
set -euo pipefail
cd "$(dirname "$0")/../.."
tests=("$@")
[ ${#tests[@]} -gt 0 ] || tests=(kernels single_kernels device_kernels kernel_reference embree_reference)

for program in bochs grub-mkrescue xorriso mformat busybox cpio Xvfb; do
    command -v "$program" >/dev/null || { echo "run.sh: $program is missing; the head of this file lists the packages" >&2; exit 1; }
done
./dev build release
built=$PWD/build/release
mkdir -p build/avx512
cd build/avx512
rm -rf root disc serial.txt
mkdir -p root/{bin,proc,sys,dev,tmp} disc/boot/grub

# The kernel that is current, unpacked, not installed.
if [ ! -d kernel ]; then
    package=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: //p')
    apt-get -qq -o APT::Sandbox::User=root download "$package"
    dpkg-deb -x "$package"_*.deb kernel
fi
cp kernel/boot/vmlinuz-* disc/boot/vmlinuz

# The tests at their usual place, with the libraries that they name.
mkdir -p "root$built"
for test in "${tests[@]}"; do
    cp "$built/test_$test" "root$built/"
done
mapfile -t libraries < <(ldd "${tests[@]/#/$built/test_}" | grep -o '/[^ ]*\.so[^ ]*' | sort -u)
for library in "${libraries[@]}"; do
    mkdir -p "root$(dirname "$library")"
    cp -L "$library" "root$library"
done
g++ -std=c++20 -O1 -mno-avx -shared -fPIC ../../tests/avx512/upper_gathers.cpp -o root/bin/upper_gathers.so
cp "$(command -v busybox)" root/bin/busybox
for name in sh mount grep poweroff; do
    ln -s busybox "root/bin/$name"
done
cat >root/init <<END
#!/bin/sh
export PATH=/bin HOME=/tmp
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mount -t tmpfs tmp /tmp
grep -q avx512vl /proc/cpuinfo || echo "=== no AVX-512"
cd $built
for test in ${tests[*]}; do
    LD_PRELOAD=/bin/upper_gathers.so ./test_\$test --no-colors
    echo "=== \$test: code \$?"
done
echo "=== end"
poweroff -f
END
chmod +x root/init
(cd root && find . | cpio --quiet -o -H newc) >disc/boot/initrd

# Bochs reports the size of saved registers as if they were packed, which Linux takes for a fault: without the two instructions that
# pack them (XSAVEC and XSAVES, 321 and 323) both agree.
cat >disc/boot/grub/grub.cfg <<'END'
set timeout=0
menuentry tests {
    linux /boot/vmlinuz console=ttyS0,115200 quiet mitigations=off noxsaves clearcpuid=321,323
    initrd /boot/initrd
}
END
grub-mkrescue -o tests.iso disc 2>grub.log
cat >bochsrc <<'END'
display_library: x
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
cpu: model=corei7_skylake_x, ips=60000000, ignore_bad_msrs=1
megs: 2048
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path=tests.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=serial.txt
log: bochs.log
clock: sync=none
END
echo c >commands  # Debian's Bochs begins in its debugger: continue
xvfb-run -a nice bochs -q -f bochsrc -rc commands >bochs.out 2>&1 </dev/null &
trap 'kill $! 2>/dev/null; pkill -P $! 2>/dev/null || true' EXIT

# Show what the tests say, until the last has ended.
until grep -qs "=== end" serial.txt; do
    kill -0 $! 2>/dev/null || { echo "run.sh: Bochs has ended early; see build/avx512/bochs.out and bochs.log" >&2; exit 1; }
    sleep 2
done
tr -d '\r' <serial.txt | grep -E '^===|ERROR|CHECK|TEST CASE|invalid|assertions'
[ "$(grep -c 'code 0' serial.txt)" = ${#tests[@]} ]
