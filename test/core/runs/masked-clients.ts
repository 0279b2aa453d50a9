import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { writeTree } from '../../helpers/skills.ts'

/** A client of HTTPS that sends the secret in a header, and prints the status of the answer. */
interface SecretClient {
  name: string
  /** A shell command that succeeds on a machine with the client, in the folder of its files. */
  check: string
  files?: Readonly<Record<string, string>>
  command: string
  /** True if it takes the proxy from variables, or from what `command` makes of them. */
  usesProxy?: boolean
}

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url))

const python = (name: string, modules: string, lines: readonly string[]) => ({
  check: `python3 -c 'import ${modules}'`,
  files: {
    [`${name}_client.py`]: [
      `import os, sys, ${modules}`,
      'url, headers = sys.argv[1], {"Authorization": "Bearer " + os.environ["CRM_API_KEY"]}',
      ...lines,
    ].join('\n'),
  },
  command: `python3 ${name}_client.py "$URL"`,
})

const node = (name: string, lines: readonly string[]) => ({
  check: 'command -v node',
  files: {
    [`${name}.cjs`]: [
      'const headers = { authorization: `Bearer ${process.env.CRM_API_KEY}` }',
      'const [url, print] = [process.argv[2], (status) => console.log(status)]',
      ...lines,
    ].join('\n'),
  },
  command: `node ${name}.cjs "$URL"`,
})

const JAVA = `import java.net.URI;
import java.net.http.*;

class Fetch {
  public static void main(String[] args) throws Exception {
    var key = "Bearer " + System.getenv("CRM_API_KEY");
    var request = HttpRequest.newBuilder(URI.create(args[0])).header("Authorization", key).build();
    var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    System.out.println(answer.statusCode());
  }
}
`
const JAVA_PROXY =
  '${HTTPS_PROXY:+-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=${HTTPS_PROXY##*:}}'

const GO = `package main

import (
	"fmt"
	"net/http"
	"os"
)

func main() {
	request, _ := http.NewRequest("GET", os.Args[1], nil)
	request.Header.Set("Authorization", "Bearer "+os.Getenv("CRM_API_KEY"))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	fmt.Println(answer.StatusCode)
}
`

/**
 * Rust's standard library has no TLS, and a client is a hundred crates. Those that find the certificates, `openssl` and
 * `rustls-native-certs`, read the same variable and the same file as this.
 */
const OPENSSL = `#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  char *host = strdup(strstr(argv[1], "//") + 2), *path = strchr(host, '/'), answer[4096] = "";
  *path++ = 0;
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_default_verify_paths(context);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
  BIO *bio = BIO_new_ssl_connect(context);
  SSL *ssl;
  BIO_get_ssl(bio, &ssl);
  BIO_set_conn_hostname(bio, host);
  SSL_set_tlsext_host_name(ssl, BIO_get_conn_hostname(bio));
  SSL_set1_host(ssl, BIO_get_conn_hostname(bio));
  BIO_printf(bio, "GET /%s HTTP/1.1\\r\\nHost: %s\\r\\nAuthorization: Bearer %s\\r\\n\\r\\n", path,
             host, getenv("CRM_API_KEY"));
  if (BIO_read(bio, answer, sizeof answer - 1) <= 0) return 1;
  printf("%.3s\\n", answer + strlen("HTTP/1.1 "));
}
`

export const SECRET_CLIENTS: readonly SecretClient[] = [
  {
    name: 'urllib of Python',
    ...python('urllib', 'urllib.request', [
      'print(urllib.request.urlopen(urllib.request.Request(url, headers=headers)).status)',
    ]),
    usesProxy: true,
  },
  {
    name: 'http.client and ssl of Python',
    ...python('ssl', 'http.client, ssl, urllib.parse', [
      'parts = urllib.parse.urlsplit(url)',
      'client = http.client.HTTPSConnection(parts.netloc, context=ssl.create_default_context())',
      'client.request("GET", parts.path, headers=headers)',
      'print(client.getresponse().status)',
    ]),
  },
  {
    name: 'requests of Python',
    ...python('requests', 'requests', ['print(requests.get(url, headers=headers).status_code)']),
    usesProxy: true,
  },
  {
    name: 'httpx of Python, with HTTP/2',
    ...python('httpx', 'httpx, h2', [
      'print(httpx.Client(http2=True, timeout=None).get(url, headers=headers).status_code)',
    ]),
    usesProxy: true,
  },
  {
    name: 'aiohttp of Python',
    ...python('aiohttp', 'aiohttp, asyncio', [
      'async def main():',
      '    async with aiohttp.ClientSession(trust_env=True) as session:',
      '        async with session.get(url, headers=headers) as answer:',
      '            print(answer.status)',
      'asyncio.run(main())',
    ]),
    usesProxy: true,
  },
  {
    name: 'fetch of Node',
    ...node('fetch', ['fetch(url, { headers }).then(({ status }) => print(status))']),
  },
  {
    name: 'https of Node',
    ...node('https', [
      "require('https').get(url, { headers }, (answer) => print(answer.resume().statusCode))",
    ]),
  },
  {
    name: 'undici of Node',
    ...node('undici', [
      "const { EnvHttpProxyAgent, request } = require('./undici')",
      'const dispatcher = new EnvHttpProxyAgent()',
      'request(url, { headers, dispatcher }).then((answer) => {',
      '  print(answer.statusCode)',
      '  process.exit()',
      '})',
    ]),
    // A dependency of a dependency of the tests.
    check: `cp -r "${MODULES}/undici" .`,
    usesProxy: true,
  },
  {
    name: 'curl',
    check: 'command -v curl',
    command: `curl -sS -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $CRM_API_KEY" "$URL"`,
    usesProxy: true,
  },
  {
    name: 'wget',
    check: 'command -v wget',
    command: `wget -q -O /dev/null --header "Authorization: Bearer $CRM_API_KEY" "$URL" && echo 200`,
    usesProxy: true,
  },
  {
    name: 'git',
    check: 'command -v git',
    command: `git -c "http.extraHeader=Authorization: Bearer $CRM_API_KEY" ls-remote "$URL" && echo 200`,
    usesProxy: true,
  },
  {
    name: 'net/http of Go',
    check: 'go build -o fetch-go fetch.go',
    files: { 'fetch.go': GO },
    command: './fetch-go "$URL"',
    usesProxy: true,
  },
  {
    name: 'HttpClient of Java',
    check: 'javac Fetch.java',
    files: { 'Fetch.java': JAVA },
    command: `java ${JAVA_PROXY} -cp . Fetch "$URL"`,
    usesProxy: true,
  },
  {
    name: 'net/http of Ruby',
    check: 'command -v ruby',
    files: {
      'fetch.rb': [
        'require "net/http"',
        'uri = URI(ARGV[0])',
        'client = Net::HTTP.new(uri.host, uri.port)',
        'client.use_ssl = true',
        'puts client.get(uri.path, "Authorization" => "Bearer #{ENV["CRM_API_KEY"]}").code',
      ].join('\n'),
    },
    // It uses no proxy for a name whose address is one of this machine, as that of a listed host inside.
    command: 'ruby fetch.rb "$URL"',
  },
  {
    name: 'streams of PHP',
    check: 'php -r \'exit((int)!extension_loaded("openssl"));\'',
    files: {
      'stream.php': [
        '<?php',
        '$headers = ["header" => "Authorization: Bearer " . getenv("CRM_API_KEY")];',
        'file_get_contents($argv[1], false, stream_context_create(["http" => $headers]));',
        'echo explode(" ", $http_response_header[0])[1];',
      ].join('\n'),
    },
    command: 'php stream.php "$URL"',
  },
  {
    name: 'curl of PHP',
    check: 'php -d extension=curl -r \'exit((int)!extension_loaded("curl"));\'',
    files: {
      'curl.php': [
        '<?php',
        '$client = curl_init($argv[1]);',
        'curl_setopt($client, CURLOPT_RETURNTRANSFER, true);',
        'curl_setopt($client, CURLOPT_HTTPHEADER, ["Authorization: Bearer " . getenv("CRM_API_KEY")]);',
        'curl_exec($client);',
        'echo curl_getinfo($client, CURLINFO_RESPONSE_CODE);',
      ].join('\n'),
    },
    // A skill sees no settings of PHP, which load its extensions.
    command: 'php -d extension=curl curl.php "$URL"',
    usesProxy: true,
  },
  {
    name: 'HTTP::Tiny of Perl',
    check: "perl -MHTTP::Tiny -MIO::Socket::SSL -e ''",
    files: {
      'tiny.pl': [
        'use HTTP::Tiny;',
        'my $headers = { Authorization => "Bearer $ENV{CRM_API_KEY}" };',
        'print HTTP::Tiny->new(verify_SSL => 1)->get($ARGV[0], { headers => $headers })->{status};',
      ].join('\n'),
    },
    command: 'perl tiny.pl "$URL"',
    usesProxy: true,
  },
  {
    name: 'libwww of Perl',
    check: "perl -MLWP::UserAgent -MIO::Socket::SSL -e ''",
    files: {
      'lwp.pl': [
        'use LWP::UserAgent;',
        'my $client = LWP::UserAgent->new(env_proxy => 1);',
        'print $client->get($ARGV[0], Authorization => "Bearer $ENV{CRM_API_KEY}")->code;',
      ].join('\n'),
    },
    command: 'perl lwp.pl "$URL"',
    usesProxy: true,
  },
  {
    name: 'OpenSSL in C, as Rust uses it',
    check: 'gcc -o fetch-openssl fetch.c -lssl -lcrypto',
    files: { 'fetch.c': OPENSSL },
    command: './fetch-openssl "$URL"',
  },
]

/** Writes and compiles the clients. Returns why some cannot be tried, by their names. */
export function prepareSecretClients(folder: string, path: string): Map<string, string> {
  mkdirSync(folder, { recursive: true })
  for (const { files } of SECRET_CLIENTS) writeTree(folder, { ...files })
  const env = { PATH: path, HOME: process.env['HOME'] }
  return new Map(
    SECRET_CLIENTS.flatMap(({ name, check }) => {
      const { status, stderr } = spawnSync('/bin/sh', ['-c', check], { cwd: folder, env })
      const line = String(stderr).trim().split('\n').at(-1)
      return status === 0 ? [] : [[name, `not run: ${check}: ${line || 'it is not here'}`] as const]
    }),
  )
}
