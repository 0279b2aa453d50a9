import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram } from '../../src/util/find-program.ts'

/** A program that makes requests, with a command that prints the last URL. */
interface NetworkClient {
  name: string
  /** The case needs this program of the machine. */
  program: string
  command: string
  expected: string
}

const python = (lines: string[]) => `python3 -c '${lines.join('\n')}'`
const REQUESTS = 'import requests'
const CHUNKS = 'data=(b"x" * 1000 for _ in range(100))'
const BUNDLE = 'verify="/etc/ssl/certs/ca-certificates.crt"'

/** Clients whose requests a recording and a replay answer. */
export const NETWORK_CLIENTS: readonly NetworkClient[] = [
  {
    name: 'a session of requests',
    program: 'python3',
    command: python([
      REQUESTS,
      's = requests.Session()',
      'print(s.get("HTTPS/a").json(), s.get("HTTP:/b").json(), s.post("HTTPS/c", json={"x": 1}).json())',
    ]),
    expected: '/c',
  },
  {
    name: 'multipart of requests',
    program: 'python3',
    command: python([
      REQUESTS,
      'print(requests.post("HTTPS/m", files={"f": ("n.bin", bytes(range(256)))}).json())',
    ]),
    expected: '/m',
  },
  {
    name: 'chunked bodies of requests',
    program: 'python3',
    command: python([
      REQUESTS,
      's = requests.Session()',
      's.trust_env = False',
      `print(s.post("HTTPS/c", ${CHUNKS}, ${BUNDLE}).json(), requests.post("HTTP:/d", ${CHUNKS}).json())`,
    ]),
    expected: '/d',
  },
  {
    name: 'requests without a proxy',
    program: 'python3',
    command: python([
      REQUESTS,
      's = requests.Session()',
      's.trust_env = False',
      `print(s.get("HTTPS/a", ${BUNDLE}).json(), s.get("HTTP:/b").json())`,
    ]),
    expected: '/b',
  },
  {
    name: 'many threads of requests',
    program: 'python3',
    command: python([
      REQUESTS,
      'from concurrent.futures import ThreadPoolExecutor as Pool',
      'get = lambda n: requests.get("HTTPS/t?n=%d" % n).json()["url"]',
      'print(list(Pool(8).map(get, range(20))))',
    ]),
    expected: '/t?n=19',
  },
  {
    name: 'wget',
    program: 'wget',
    command: 'wget -qO- HTTPS/w && wget --no-proxy -qO- HTTP:/w2 HTTPS/w3',
    expected: '/w3',
  },
  {
    name: 'uploads of curl',
    program: 'curl',
    command:
      'head -c 3000000 /dev/zero > /tmp/big; curl -sS --data-binary @/tmp/big HTTPS/u && curl -sS -T /tmp/big HTTP:/v',
    expected: '/v',
  },
  {
    name: 'versions of HTTP with curl',
    program: 'curl',
    command: 'curl -sS --http2 HTTPS/2; curl -sS --http1.0 HTTPS/1; curl -sS --http1.0 HTTP:/0',
    expected: '/0',
  },
  {
    name: 'parallel requests of curl',
    program: 'curl',
    command: 'curl -sSI HTTPS/0 && curl -sS -Z HTTPS/1 HTTPS/2 HTTPS/3 HTTP:/4',
    expected: '/4',
  },
  {
    name: 'ruby',
    program: 'ruby',
    command: `ruby -rnet/http -e 'puts Net::HTTP.get(URI("HTTPS/r")), Net::HTTP.get(URI("HTTP:/r2"))'`,
    expected: '/r2',
  },
  {
    name: 'perl',
    program: 'perl',
    command: `perl -MHTTP::Tiny -e 'print HTTP::Tiny->new->get($_)->{content} for @ARGV' HTTP:/p HTTP:/p2`,
    expected: '/p2',
  },
  {
    name: 'php',
    program: 'php',
    command: `php -r 'echo file_get_contents("HTTP:/q"), file_get_contents("HTTPS/q2");'`,
    expected: '/q2',
  },
  {
    name: 'http and https of Node',
    program: 'node',
    command: `node -e 'for (const u of ["HTTPS/n", "HTTP:/n"]) require(u.split(":")[0]).get(u, (r) => r.pipe(process.stdout))'`,
    expected: '/n',
  },
  {
    name: 'R',
    program: 'Rscript',
    command: `Rscript -e 'cat(readLines(url("HTTP:/R"), warn=FALSE), readLines(url("HTTPS/R2", method="libcurl"), warn=FALSE))'`,
    expected: '/R2',
  },
  {
    name: 'Go',
    program: 'go',
    command: 'code/fetch HTTPS/g HTTP:/g2',
    expected: '/g2',
  },
]

const GO = `package main

import (
	"io"
	"net/http"
	"os"
)

func main() {
	direct := &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true}}
	for _, client := range []*http.Client{http.DefaultClient, direct} {
		for _, url := range os.Args[1:] {
			response, err := client.Get(url)
			if err != nil {
				panic(err)
			}
			io.Copy(os.Stdout, response.Body)
			response.Body.Close()
		}
	}
}
`

/** Builds a program in Go that requests each URL with and without the proxy. */
export function buildGoClient(path = process.env['PATH'] ?? ''): Buffer | undefined {
  const go = findProgram('go', path)
  if (go === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'skills-go-'))
  writeFileSync(join(folder, 'fetch.go'), GO)
  const env = { PATH: path, HOME: folder, CGO_ENABLED: '0', GOCACHE: join(folder, 'cache') }
  execFileSync(go, ['build', '-o', 'fetch', 'fetch.go'], { cwd: folder, env })
  const program = readFileSync(join(folder, 'fetch'))
  rmSync(folder, { recursive: true, force: true })
  return program
}
