#!/bin/sh
# launcher_index.sh KIT WORK: do the toolkit's wheels come by the index and the proxy of a user's own configuration, and what is said
# where a hash, a version or the index is not there? By the machine's own pip, and uv where it is; a made-up wheel, from a server on
# this machine. What asks for a page of another host by a proxy names it in its request, and the server has a folder of that name;
# for https it asks for a tunnel first (CONNECT), at whose other end the server answers as that host, by a certificate made here.
# test: autograder/launcher_index @SOURCE@ @WORK@
set -eu
kit=$(realpath "$1")
rm -rf "$2"
mkdir -p "$2" && cd "$2"
here=$PWD
python3 -m pip --version >/dev/null 2>&1 || {
    echo "skipped: python3 has no pip"
    exit 77
}
info=nvidia_cuda_nvcc-1.0.dist-info
mkdir -p "wheel/$info/licenses" wheel/nvidia/cu13/bin wheel/nvidia/cu13/nvvm/bin wheel/nvidia/cu13/lib server/simple/nvidia-cuda-nvcc server/http: kit
(cd wheel/nvidia/cu13 && touch bin/nvcc nvvm/bin/cicc lib/libcudart.so.13)
(cd "wheel/$info" && touch licenses/License.txt RECORD && printf 'Metadata-Version: 2.1\nName: nvidia-cuda-nvcc\nVersion: 1.0\n' >METADATA &&
    printf 'Wheel-Version: 1.0\nGenerator: none\nRoot-Is-Purelib: true\nTag: py3-none-any\n' >WHEEL)
file=server/simple/nvidia-cuda-nvcc/nvidia_cuda_nvcc-1.0-py3-none-any.whl
(cd wheel && python3 -m zipfile -c "../$file" nvidia "$info")
ln -s .. server/http:/index.test
if openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out certificate.pem -days 2 -subj /CN=index.test \
    -addext basicConstraints=CA:FALSE -addext subjectAltName=DNS:index.test >certificate.txt 2>&1; then https=yes; else https=; fi
cat >serve.py <<'TEXT'
import http.server, ssl
class Server(http.server.SimpleHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def do_CONNECT(self):
        self.send_response(200)
        self.end_headers()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain('../certificate.pem', '../key.pem')
        self.connection = context.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile('rb'), self.connection.makefile('wb', 0)
        self.close_connection = False
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Server)
print('on port', server.server_port, '', flush=True)
server.serve_forever()
TEXT
(cd server && exec python3 -u ../serve.py) >asked 2>&1 &
server=$!
trap 'kill "$server"' EXIT
until grep -qs ' port ' asked; do
    kill -0 "$server" || exit 1
    sleep 0.1
done
address=http://127.0.0.1:$(sed -n 's/.* port \([0-9]*\) .*/\1/p' asked)

wrong=0
get() { # version, hash, settings..: sets said, and what came of it
    printf 'nvidia-cuda-nvcc==%s --hash=sha256:%s # 1 1\n' "$1" "$2" >kit/wheels.txt
    shift 2
    rm -rf cuda cuda.pip
    said=$(env -i PATH="$PATH" HOME="$here/home" LADDER_TOOLKIT="$here/cuda" PIP_RETRIES=0 UV_HTTP_RETRIES=0 "$@" sh -c '
        root=$0 build=none; say() { echo "$*"; }; die() { exit 1; }; begin_ticker() { :; }; end_ticker() { :; }; id() { echo 0; }
        . "$root/common/launcher/toolkit.sh"; wheels=kit/wheels.txt; uname() { echo Linux x86_64; }
        [ -z "${by_uv:-}" ] || own_pip() { false; }
        declined=; get_wheels; echo "declined: $declined"' "$kit" 2>&1) || :
}
comes() { # how; what the server was asked, and before that
    [ -x cuda/bin/nvcc ] && [ -e cuda/lib/libcudart.so ] && grep -q "GET $2/nvidia-cuda-nvcc/nvidia_cuda" asked && grep -q "${3:-}" asked || {
        printf '%s: the wheel did not come:\n%s\n' "$1" "$said"
        wrong=1
    }
    echo >asked
}
says() { # words, whether the distribution's toolkit comes instead
    case $said in *"$1"*"declined: $2"*) [ ! -e cuda ] && return ;; esac
    printf 'lacks "%s", "declined: %s":\n%s\n' "$1" "$2" "$said"
    wrong=1
}
hash=$(sha256sum "$file" | cut -c1-64)
other=$(echo "$hash" | tr 0-9a-f 1-9a-f0)
fails() { # settings: the index
    get 1.0 "$other" "$@"
    says 'a file of another hash than common/launcher/wheels.txt says' yes
    get 2.0 "$hash" "$@"
    says 'The index does not have the wheels' ''
}

get 1.0 "$hash" PIP_INDEX_URL="$address/simple"
comes PIP_INDEX_URL /simple
fails PIP_INDEX_URL="$address/simple"
get 1.0 "$hash" PIP_INDEX_URL=http://127.0.0.1:1/simple
says 'The index was not reached' ''
get 1.0 "$hash" PIP_INDEX_URL=http://index.test/simple PIP_TRUSTED_HOST=index.test http_proxy="$address"
comes http_proxy http://index.test/simple
if [ -n "$https" ]; then
    get 1.0 "$hash" PIP_INDEX_URL=https://index.test/simple PIP_CERT="$here/certificate.pem" https_proxy="$address"
    comes https_proxy /simple 'CONNECT index.test:443 '
    get 1.0 "$hash" PIP_INDEX_URL=https://index.test/simple https_proxy="$address"
    says 'The index was not reached' ''
else
    echo "openssl is not installed: https not tried"
fi
mkdir -p home/.config/pip
printf '[global]\nindex-url = http://index.test/simple\ntrusted-host = index.test\nproxy = %s\n' "$address" >home/.config/pip/pip.conf
get 1.0 "$hash"
comes pip.conf http://index.test/simple
if command -v uv >/dev/null; then
    mkdir -p home/.config/uv
    get 1.0 "$hash" by_uv=yes UV_DEFAULT_INDEX="$address/simple"
    comes UV_DEFAULT_INDEX /simple
    fails by_uv=yes UV_DEFAULT_INDEX="$address/simple"
    get 1.0 "$hash" by_uv=yes UV_DEFAULT_INDEX=http://127.0.0.1:1/simple
    says 'The index was not reached' ''
    get 1.0 "$hash" by_uv=yes UV_DEFAULT_INDEX=http://index.test/simple http_proxy="$address"
    comes "uv's http_proxy" http://index.test/simple
    [ -z "$https" ] || {
        get 1.0 "$hash" by_uv=yes UV_DEFAULT_INDEX=https://index.test/simple SSL_CERT_FILE="$here/certificate.pem" https_proxy="$address"
        comes "uv's https_proxy" /simple 'CONNECT index.test:443 '
    }
    printf 'index-url = "%s/simple"\n' "$address" >home/.config/uv/uv.toml
    get 1.0 "$hash" by_uv=yes
    comes uv.toml /simple
else
    echo "uv is not installed: not tried"
fi
[ "$wrong" -eq 0 ] && echo "the wheels come by the user's own index and proxy"
exit "$wrong"
