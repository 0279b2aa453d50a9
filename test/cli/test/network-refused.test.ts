// @module-tag slow
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CERTIFICATE } from '../../core/sandbox/egress/certificate.ts'
import { findProgram } from '../../../src/util/find-program.ts'
import {
  createCommandSuite,
  createNetworkSkill,
  useRecordedServers,
} from '../../helpers/recorded-servers.ts'

const servers = useRecordedServers()

const OWN_LIST = [
  'import ssl, urllib.request',
  'context = ssl.create_default_context(cadata=open("code/other.pem").read())',
  'urllib.request.urlopen("HTTPS/", context=context)',
].join('\n')
interface RefusedClient {
  name: string
  program: string
  command: string
  /** Part of the report. */
  sentence: string
}

/** Clients that cannot be recorded, with the sentence of the report. */
const REFUSED: readonly RefusedClient[] = [
  {
    name: 'HTTP/2 without a negotiation',
    program: 'curl',
    command: "curl -sS --noproxy '*' --http2-prior-knowledge HTTP:/x",
    sentence: 'The case made no request that can be recorded',
  },
  {
    name: 'a switch to HTTP/2 through the proxy',
    program: 'curl',
    command: 'curl -sS --http2 HTTP:/x',
    sentence: 'A request cannot switch to another protocol',
  },
  {
    name: 'a WebSocket',
    program: 'curl',
    command: "curl -sS --max-time 5 -H 'Connection: Upgrade' -H 'Upgrade: websocket' HTTPS/x",
    sentence: 'a switch to websocket cannot be recorded or replayed',
  },
  {
    name: 'an old version of TLS',
    program: 'curl',
    command: "curl -sS --ciphers 'DEFAULT@SECLEVEL=0' --tls-max 1.1 HTTPS/x",
    sentence: 'expected HTTP/1.1 over TLS 1.2 or later',
  },
  {
    name: 'a body of 17 MB',
    program: 'curl',
    command: 'head -c 17000000 /dev/zero | curl -sS -T - HTTPS/x',
    sentence: 'is longer than 16 MiB',
  },
  {
    name: 'a client with its own list of certificates',
    program: 'python3',
    command: `python3 -c '${OWN_LIST}'`,
    sentence: 'Clients with a list of certificates of their own do not trust the recording',
  },
]

describe('a recording is refused with a sentence for', () => {
  it.each(REFUSED)(
    '$name',
    async ({ program, command, sentence }) => {
      if (!findProgram(program, process.env['PATH'] ?? '')) return
      const suite = createCommandSuite(command.replace('PORT', String(servers.ports.https)), '/x')
      const cwd = createNetworkSkill(servers, {
        'tests/net.test.toml': suite,
        'code/other.pem': CERTIFICATE,
      })
      const { code, all } = await servers.test(cwd, ['--record'])
      expect(all).toContain(sentence)
      expect(code).toBe(1)
      expect(existsSync(join(cwd, 'tests/net'))).toBe(false)
    },
    120_000,
  )
})

it('cassettes are saved when no case runs, so that the skill does not change under the others', async () => {
  const list = '[[cases]]\nname = "lists"\ncassette = true\n'
  const command = 'command = "curl -sS HTTP:/x; ls tests"\n'
  const expect2 = 'expect = [{ stdout = { contains = "cassette" }, not = true }]\n'
  const cwd = createNetworkSkill(servers, {
    'tests/net.test.toml': `${createCommandSuite('curl -sS HTTP:/x', '/x')}\n${list}${command}${expect2}`,
  })
  const { all, code } = await servers.test(cwd, ['--record', '--jobs', '1'])
  expect(all).toContain('Recorded tests/net/lists.cassette.toml')
  expect(code).toBe(0)
})
