// @module-tag nats-server
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openEngine, type NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import { startNatsServer, type TestServer } from '../../helpers/fleet/nats-server.ts'
import { initStreams } from '../objects/open-test-engine.ts'

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** Creates a certificate authority, and returns the path of its certificate. */
function createAuthority(dir: string, name: string): string {
  const files = ['-keyout', join(dir, `${name}.key`), '-out', join(dir, `${name}.crt`)]
  run(['req', '-x509', ...KEY, '-subj', `/CN=${name}`, '-days', '2', ...files])
  return join(dir, `${name}.crt`)
}

/** Creates a certificate for a host, signed by an authority. */
function createCertificate(dir: string, name: string, { ca, host }: { ca: string; host: string }) {
  const path = (extension: string) => join(dir, `${name}.${extension}`)
  run(['req', ...KEY, '-subj', `/CN=${name}`, '-keyout', path('key'), '-out', path('csr')])
  writeFileSync(path('ext'), `subjectAltName=${host}\n`)
  const signing = ['-CA', join(dir, `${ca}.crt`), '-CAkey', join(dir, `${ca}.key`)]
  const files = ['-in', path('csr'), '-out', path('crt'), '-extfile', path('ext')]
  run(['x509', '-req', ...signing, '-CAcreateserial', '-days', '2', ...files])
  return `tls { cert_file: "${path('crt')}", key_file: "${path('key')}", timeout: 10 }`
}

function run(argv: string[]): void {
  execFileSync('openssl', argv, { stdio: 'ignore' })
}

describe('a connection with TLS', () => {
  const dir = mkdtempSync(join(tmpdir(), 'skills-tls-'))
  const opened: NatsEngine[] = []
  let server: TestServer
  let otherHost: TestServer

  beforeAll(async () => {
    createAuthority(dir, 'ours')
    createAuthority(dir, 'theirs')
    const [ours, other] = ['IP:127.0.0.1', 'DNS:engine.example.com'].map((host, at) =>
      createCertificate(dir, `engine${at}`, { ca: 'ours', host }),
    )
    server = await startNatsServer(ours)
    otherHost = await startNatsServer(other)
  })
  afterAll(async () => {
    await Promise.all(opened.map(async (engine) => await engine.close()))
    await Promise.all([server, otherHost].map(async (each) => await each.close()))
    rmSync(dir, { recursive: true, force: true })
  })

  async function open(url: string, ca: string | undefined): Promise<NatsEngine> {
    const engine = await openEngine({
      servers: url,
      name: 'test',
      tenant: 'main',
      patienceMs: 2000,
      caFile: ca === undefined ? undefined : join(dir, `${ca}.crt`),
    })
    opened.push(engine)
    return engine
  }

  const secure = ({ url }: TestServer) => url.replace('nats:', 'tls:')

  it('is open with the authority that signed the certificate', async () => {
    const engine = await open(secure(server), 'ours')
    await initStreams(engine)
    await engine.append('state', 'k.test.one', 'stored')
    expect(await engine.last('state', 'k.test.one')).toMatchObject({
      body: new TextEncoder().encode('stored'),
    })
  })

  it.each([['theirs'], [undefined]])('is refused with the authority %j', async (ca) => {
    await expect(open(secure(server), ca)).rejects.toMatchObject({
      code: 'fleet/unavailable',
      message: `The certificate of the engine at "${secure(server)}" is not accepted: no known authority signed it`,
      hint: 'Set fleet.ca to the file with the certificate that signed it',
    })
  })

  it('to an address is refused if the certificate is that of localhost', async () => {
    const argv = { ca: 'ours', host: 'DNS:localhost' }
    const local = await startNatsServer(createCertificate(dir, 'local', argv))
    onTestFinished(async () => await local.close())
    await expect(open(secure(local), 'ours')).rejects.toMatchObject({
      message: expect.stringContaining('it is for another host name') as string,
    })
    const named = secure(local).replace('127.0.0.1', 'localhost')
    expect((await open(named, 'ours')).version).not.toBe('')
  })

  it('is refused for another host name', async () => {
    await expect(open(secure(otherHost), 'ours')).rejects.toMatchObject({
      message: expect.stringContaining('is not accepted: it is for another host name') as string,
    })
  })

  it('is not silently without encryption if the engine has no TLS', async () => {
    const plain = await startNatsServer()
    onTestFinished(async () => await plain.close())
    await expect(open(secure(plain), 'ours')).rejects.toMatchObject({ code: 'fleet/unavailable' })
  })
})
