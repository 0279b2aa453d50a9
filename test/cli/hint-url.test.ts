import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { unknownEndError } from '../../src/fleet/front/errors.ts'
import { runSkills } from '../helpers/skills.ts'

const RUN = 'run_0123456789abcdef0123'

/** A server whose answer to each call is an error with a hint. */
async function serveError(message: string, hint: string | undefined): Promise<string> {
  const error = { code: -32603, message, data: { kind: 'run/unknown', hint } }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      const { id } = JSON.parse(body) as { id: unknown }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error }))
    })
  })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function readHint(hint: string | undefined): Promise<{ stderr: string; url: string }> {
  const url = await serveError('It is not known how the run ended', hint)
  const { stderr } = await runSkills(['runs', 'show', RUN, '--url', url])
  return { stderr, url }
}

it('the hint of a front names a command that asks the same server', async () => {
  const { stderr, url } = await readHint(unknownEndError(RUN).hint)
  expect(stderr).toContain(`→ Ask again later: skills runs show ${RUN} --url ${url}\n`)
})

it('the hint of another server gets the address that its command lacks', async () => {
  const { stderr, url } = await readHint(`Type "skills runs show ${RUN}" to see its record`)
  expect(stderr).toContain(`→ Type "skills runs show ${RUN} --url ${url}" to see its record\n`)
})
