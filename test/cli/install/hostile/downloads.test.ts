// @module-tag slow
import { hash } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { RequestListener, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { fetchSource } from '../../../../src/core/sources/fetch-source.ts'
import { parseSkillSource } from '../../../../src/core/sources/skill-source.ts'
import { createTextSkill } from '../../../helpers/projects.ts'
import { startServer } from '../../roots/root-project.ts'
import { packTree, testAttacks, type InstallAttack } from './attack.ts'

type Answer = (response: ServerResponse, bytes: Buffer) => void

const getUrl = (url: string) => `${url}/greet.tar.gz`

/** Serves the archive of a skill, and its signatures by another answer. */
function createListener(bytes: Buffer, archive: Answer, signatures?: Answer): RequestListener {
  return ({ url }, response) => {
    if (url?.startsWith('/greet.tar.gz.') && signatures) return signatures(response, bytes)
    if (url === '/greet.tar.gz') return archive(response, bytes)
    response.writeHead(url === '/other' ? 200 : 404).end(bytes)
  }
}

const send: Answer = (response, bytes) => void response.end(bytes)

/** A server with a fault in its answer. */
function fault(name: string, says: string, archive: Answer): InstallAttack {
  return {
    name,
    says,
    control: 'a download',
    async prepare(_, isHostile) {
      const bytes = await packTree(createTextSkill('greet'))
      const url = await startServer(createListener(bytes, isHostile ? archive : send))
      return `install ${getUrl(url)} --yes`
    },
  }
}

const redirectTo =
  (location: string): Answer =>
  (response) =>
    void response.writeHead(302, { location }).end()

/** A redirect; without the fault, it stays at its server. */
function redirect(name: string, says: string, location: string): InstallAttack {
  return {
    name,
    says,
    async prepare(_, isHostile) {
      const bytes = await packTree(createTextSkill('greet'))
      const target = redirectTo(isHostile ? location : '/other')
      return `install ${getUrl(await startServer(createListener(bytes, target)))} --yes`
    },
  }
}

/** A redirect to another server of this machine, which has the archive. */
function redirectHere(name: string, host: string): InstallAttack {
  return {
    name,
    says: 'a loopback address',
    async prepare(_, isHostile) {
      const bytes = await packTree(createTextSkill('greet'))
      const other = await startServer((_request, response) => send(response, bytes))
      const location = isHostile ? other.replace('127.0.0.1', host) : '/other'
      const url = await startServer(createListener(bytes, redirectTo(location)))
      return `install ${getUrl(url)} --yes`
    },
  }
}

function sendForEver(response: ServerResponse): void {
  const write = (): void => void (response.destroyed || response.write(Buffer.alloc(65_536), write))
  write()
}

const REDIRECTS: readonly InstallAttack[] = [
  redirectHere('to another port of this machine', '127.0.0.1'),
  redirectHere('to a name of this machine', 'localhost'),
  redirectHere('to another address of this machine', '127.0.0.2'),
  redirect('to a metadata service', 'a metadata address', 'https://169.254.169.254/latest'),
  redirect('to a private network', 'a private address', 'https://10.0.0.1/greet.tar.gz'),
  redirect('to this machine by IPv6', 'a loopback address', 'https://[::1]:9/greet.tar.gz'),
  redirect('to a mapped address', 'address', 'https://[::ffff:10.0.0.1]/greet.tar.gz'),
  redirect('to http', 'expected https', 'http://example.com/greet.tar.gz'),
  redirect('to a file', 'expected https', 'file:///etc/passwd'),
  redirect('with a user name', 'contains a user name', 'https://me:pw@example.com/'),
  redirect('without end', 'redirects', '/greet.tar.gz'),
]

const ANSWERS: readonly InstallAttack[] = [
  fault('an error', 'answered with 500', (response) => void response.writeHead(500).end('x')),
  fault('a part of the file', 'answered with 206', (response, bytes) => {
    response.writeHead(206).end(bytes)
  }),
  fault('a page', 'The archive is refused', (response) => void response.end('<html>Log in</html>')),
  fault('nothing', 'The archive is refused', (response) => void response.end()),
  fault('fewer bytes than announced', 'Cannot download', (response, bytes) => {
    response.writeHead(200, { 'content-length': bytes.length + 10 })
    response.write(bytes, () => response.destroy())
  }),
  fault('more bytes than announced', 'The archive is refused', (response, bytes) => {
    response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-length: 40\r\n\r\n${bytes.toString('latin1')}`)
  }),
  fault('a connection that ends', 'Cannot download', (response, bytes) => {
    response.write(bytes.subarray(0, 20), () => response.destroy())
  }),
  fault('headers without end', 'Cannot download', (response, bytes) => {
    response.writeHead(200, { 'x-long': 'a'.repeat(200_000) }).end(bytes)
  }),
  fault('two lengths', 'Cannot download', (response) => {
    response.socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx')
  }),
  fault('an answer without end', 'more than 10485760 bytes', sendForEver),
  fault('a bomb', 'unpacks to more than 200 times its size', (response) => {
    response.end(gzipSync(Buffer.alloc(20 * 1024 ** 2)))
  }),
  fault('two archives in one', 'The archive is refused', (response, bytes) => {
    response.end(Buffer.concat([bytes, bytes]))
  }),
]

/** Signatures with a fault; without it, the server has none. */
function signatureFault(name: string, says: string, signatures: Answer): InstallAttack {
  return {
    name,
    says,
    control: 'no signatures',
    async prepare(_, isHostile) {
      const bytes = await packTree(createTextSkill('greet'))
      const listener = createListener(bytes, send, isHostile ? signatures : undefined)
      return `install ${getUrl(await startServer(listener))} --yes`
    },
  }
}

const SIGNATURES: readonly InstallAttack[] = [
  signatureFault('signatures without end', 'more than 1048576 bytes', sendForEver),
  signatureFault('an error', 'answered with 500', (response) => void response.writeHead(500).end()),
  signatureFault('a page', 'are not valid', (response) => void response.end('<html>')),
  signatureFault('many signatures', 'more than 64 lines', (response) => {
    response.end('{}\n'.repeat(65))
  }),
]

const DIGESTS: readonly InstallAttack[] = [
  {
    name: 'other bytes than those of the typed digest',
    says: 'its digest is',
    async prepare(_, isHostile) {
      const bytes = await packTree(createTextSkill('greet'))
      const other = await packTree(createTextSkill('greet', '0.2.0'))
      const url = await startServer(createListener(isHostile ? other : bytes, send))
      return `install ${getUrl(url)}#sha256=${hash('sha256', bytes)} --yes`
    },
  },
  {
    name: 'other bytes than those of the lock',
    says: 'its digest is',
    async prepare({ cwd, succeed }, isHostile) {
      const bytes = await packTree(createTextSkill('greet'))
      const other = await packTree(createTextSkill('greet', '0.1.0', 'Says goodbye.'))
      let answer = bytes
      const archive: Answer = (response) => void response.end(answer)
      const url = await startServer(createListener(bytes, archive))
      await succeed(`install ${getUrl(url)} --yes`)
      rmSync(join(cwd, '.agents/skills/greet'), { recursive: true })
      if (isHostile) answer = other
      return 'install --frozen'
    },
  },
  {
    name: 'other files than those of the question',
    says: 'expected sha256:',
    async prepare({ run }, isHostile) {
      const answers = [
        await packTree(createTextSkill('greet')),
        await packTree(createTextSkill('greet', '0.2.0')),
      ]
      let count = 0
      const archive: Answer = (response) => void response.end(answers[isHostile ? count++ : 0])
      const url = await startServer(createListener(Buffer.alloc(0), archive))
      const { stderr } = await run(`install ${getUrl(url)}`)
      const [digest = ''] = /(?<=--trust )sha256:[0-9a-f]{64}/.exec(stderr) ?? []
      return `install ${getUrl(url)} --trust ${digest}`
    },
  },
]

describe('a redirect', () => {
  testAttacks(REDIRECTS)
})

describe('a hostile answer', () => {
  testAttacks(ANSWERS)
})

describe('hostile signatures', () => {
  testAttacks(SIGNATURES)
})

describe('a server that changes its answer', () => {
  testAttacks(DIGESTS)
})

describe('a slow answer', () => {
  /** Sends a byte from time to time, so that no time limit of the socket applies. */
  const drip: Answer = (response) => {
    const timer = setInterval(() => void response.write('x'), 10)
    response.on('close', () => clearInterval(timer))
  }
  const fetch = async (text: string) =>
    await fetchSource(parseSkillSource(text, '/'), {
      signal: new AbortController().signal,
      env: {},
      timeoutMs: 300,
    })

  it.each([
    ['an archive', '/greet.tar.gz'],
    ['an index', '#greet'],
  ])('to the request for %s ends at the time limit', async (_, path) => {
    const url = await startServer((_request, response) => drip(response, Buffer.alloc(0)))
    await expect(fetch(url + path)).rejects.toMatchObject({ code: 'remote/timeout' })
  })

  it('to each of many files ends at the time limit of one download', async () => {
    const files = ['SKILL.md', ...Array.from({ length: 100 }, (_, at) => `${at}.md`)]
    let asked = 0
    const listener =
      (delay: number): RequestListener =>
      ({ url = '' }, response) => {
        if (url.includes('agent-skills')) return void response.writeHead(404).end()
        const index = { skills: [{ name: 'greet', description: 'x', files }] }
        if (url.endsWith('index.json')) return void response.end(JSON.stringify(index))
        asked += 1
        setTimeout(() => response.end('---\nname: greet\ndescription: x\n---\n'), delay)
      }
    const slow = await startServer(listener(50))
    await expect(fetch(`${slow}#greet`)).rejects.toMatchObject({ code: 'remote/timeout' })
    expect(asked).toBeLessThan(20)
    // The control: the same files without the delay.
    const { files: found } = await fetchSource(
      parseSkillSource(`${await startServer(listener(0))}#greet`, '/'),
      { signal: new AbortController().signal, env: {} },
    )
    expect(found).toHaveLength(101)
  })
})
