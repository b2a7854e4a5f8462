#!/usr/bin/env bash
# boot.sh FOLDER: runs systemd as process 1 of its own namespaces, for tests of unit files, until it is stopped.
# FOLDER contains app/ (mounted as /opt/tastegraph), etc/ (as /etc/tastegraph), node (as /usr/local/bin/node) and units/, the only
# units that are loaded. The file system is read-only, except /tmp, /var, /run, /etc and /dev, which are private; the network is that
# of the host. Prints "systemd PID" with the PID on the host. Needs root.
set -euo pipefail
stage=${2:-outer} folder=$1

if [ "$stage" = outer ]; then
  exec unshare --mount -- "$0" "$folder" confine
fi

if [ "$stage" = confine ]; then
  # Our own control group becomes the root of its cgroup namespace.
  groups=$folder/groups
  mkdir -p "$groups"
  mount -t cgroup2 cgroup2 "$groups"
  group=$groups$(sed -n 's/^0:://p' /proc/self/cgroup)/tastegraph-$$
  mkdir "$group"
  (
    echo "$BASHPID" >"$group/cgroup.procs"
    exec unshare --mount --cgroup --pid --fork --kill-child --uts --ipc -- "$0" "$folder" boot
  ) &
  unshare=$!
  trap 'kill -KILL "$unshare"' TERM INT
  until first=$(pgrep -P "$unshare" | head -n 1) && [ -n "$first" ]; do sleep 0.02; done
  echo "systemd $first"
  wait "$unshare" || true
  wait "$unshare" 2>/dev/null || true
  for _ in 1 2 3 4 5; do
    find "$group" -depth -type d -exec rmdir {} + 2>/dev/null && break
    sleep 0.2
  done
  exit 0
fi

root=$folder/root
mkdir -p "$root"
mount --bind / "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
for own in tmp var run etc dev opt usr/local/bin; do mount -t tmpfs -o mode=755 tmpfs "$root/$own"; done
chmod 1777 "$root/tmp"
mkdir -p "$root"/var/{tmp,log,lib,cache} "$root"/dev/{pts,shm} "$root"/run/lock "$root"/etc/{tastegraph,systemd} "$root"/opt/tastegraph
for device in null zero full random urandom tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
# Services with PrivateDevices have this link too.
ln -s pts/ptmx "$root/dev/ptmx"
for file in passwd group nsswitch.conf hosts resolv.conf ld.so.cache ssl; do
  [ -e "/etc/$file" ] && cp -a "/etc/$file" "$root/etc/"
done
cp -a "$folder/etc/." "$root/etc/tastegraph/"
cp -a "$folder/units" "$root/run/units"
mount --bind "$folder/app" "$root/opt/tastegraph"
touch "$root/usr/local/bin/node"
mount --bind "$folder/node" "$root/usr/local/bin/node"
cd "$root"
mkdir run/old
pivot_root . run/old
umount --lazy /run/old
rmdir /run/old
# Do not inherit a PATH or settings that the systemd of a host would not have.
exec env -i container=tastegraph-test SYSTEMD_UNIT_PATH=/run/units PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  /lib/systemd/systemd --system --unit=basic.target --log-target=console --log-level=notice --show-status=no
