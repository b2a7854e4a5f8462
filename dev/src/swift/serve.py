"""
Runs OpenStack Swift with its S3 API in one process: proxy, account, container and object server with one device and
one replica, like Swift's own functional tests. Debian's server packages would start system services; the library, which
is all of Swift except the start scripts, does not.

Arguments: a directory for all files, and the port of the S3 API.
Standard input: JSON, {"account", "user", "secret", "region"}.
"""

import eventlet

eventlet.monkey_patch()

import errno
import json
import os
import signal
import sys

from eventlet import listen, wsgi
from swift.common import utils
from swift.common.http_protocol import SwiftHttpProtocol
from swift.common.ring import RingBuilder
from swift.common.wsgi import loadapp

BACKENDS = ("account", "container", "object")

SWIFT = """
[swift-hash]
# Determines where each object is stored: it must be the same at every start with the same directory.
swift_hash_path_suffix = tastegraph
"""

BACKEND = """
[DEFAULT]
swift_dir = {directory}
devices = {directory}/devices
mount_check = false
disable_fallocate = true
# By default, Swift refuses writes if less than 1 % of the disk is free; a developer's disk may be fuller than that.
fallocate_reserve = 0

[pipeline:main]
pipeline = {kind}-server

[app:{kind}-server]
use = egg:swift#{kind}
"""

PROXY = """
[DEFAULT]
swift_dir = {directory}

[pipeline:main]
pipeline = catch_errors gatekeeper cache s3api tempauth slo proxy-server

[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:cache]
use = egg:swift#memcache
# tempauth requires a cache, but works with one that is unreachable: nothing listens on port 1.
memcache_servers = 127.0.0.1:1
[filter:s3api]
use = egg:swift#s3api
location = {region}
[filter:tempauth]
use = egg:swift#tempauth
user_{account}_{user} = {secret} .admin
[filter:slo]
use = egg:swift#slo

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
"""


def write(path, text):
    with open(path, "w", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(text)


def make_ring(directory, kind, port):
    builder = RingBuilder(part_power=2, replicas=1, min_part_hours=0)
    device = {"id": 0, "region": 1, "zone": 1, "weight": 1.0, "device": "d1", "ip": "127.0.0.1", "port": port}
    builder.add_dev(device)
    builder.rebalance(seed=1)
    builder.get_ring().save(os.path.join(directory, kind + ".ring.gz"))


def serve(socket, conf):
    options = {
        "log": utils.NullLogger(),
        "protocol": SwiftHttpProtocol,
        # As in Swift: S3 clients expect "ETag", which eventlet would send as "Etag".
        "capitalize_response_headers": False,
    }
    return eventlet.spawn(wsgi.server, socket, loadapp(conf), **options)


def main(directory, port):
    settings = json.load(sys.stdin)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    try:
        # With SO_REUSEPORT, eventlet's default, two instances could listen on the same port.
        front = listen(("127.0.0.1", port), reuse_port=False)
    except OSError as error:
        sys.exit("port %d: %s" % (port, "Address already in use" if error.errno == errno.EADDRINUSE else error))
    os.makedirs(os.path.join(directory, "devices", "d1"), exist_ok=True)
    write(os.path.join(directory, "swift.conf"), SWIFT)
    utils.set_swift_dir(directory)
    servers = []
    for kind in BACKENDS:
        socket = listen(("127.0.0.1", 0))
        make_ring(directory, kind, socket.getsockname()[1])
        conf = os.path.join(directory, kind + "-server.conf")
        write(conf, BACKEND.format(directory=directory, kind=kind))
        servers.append(serve(socket, conf))
    conf = os.path.join(directory, "proxy-server.conf")
    write(conf, PROXY.format(directory=directory, **settings))
    servers.append(serve(front, conf))
    write(os.path.join(directory, "ready"), str(os.getpid()))
    for server in servers:
        server.wait()


main(sys.argv[1], int(sys.argv[2]))
