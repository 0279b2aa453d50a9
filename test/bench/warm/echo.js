// A skill that echoes its argument, called over HTTP as a client would.
import { mkdirSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { createTemporaryFolder } from '../temporary-folder.js'

const MANIFEST = `name = "bench.echo"
version = "1.0.0"
description = "Answers what it is given."
kind = "action"

[runtime]
language = "python"
entrypoint = "code/main.py"
export = "main"
`
const agent = new Agent({ keepAlive: true })

/** Creates a folder with the skill, which is removed with the benchmark. */
export function createEchoFolder(files = {}) {
  const dir = createTemporaryFolder('echo')
  const skill = join(dir, 'skills', 'echo')
  mkdirSync(join(skill, 'code'), { recursive: true })
  writeFileSync(join(skill, 'skill.toml'), MANIFEST)
  writeFileSync(join(skill, 'SKILL.md'), '# Echo\n')
  writeFileSync(join(skill, 'code', 'main.py'), 'def main(args):\n    return args\n')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  return dir
}

/** True if the call returned its own text; false if it was rejected because of too many calls. */
export async function echo(port, text) {
  const { id, result, error } = await callRpc(port, {
    id: text,
    method: 'execute_skill',
    params: { name: 'bench.echo', args: { text } },
  })
  if (id === text && error?.code === -32003) return false
  if (id === text && result?.output?.text === text) return true
  throw new Error(`"${text}" was answered with ${JSON.stringify({ id, result, error })}`)
}

/** Returns the response to one call. */
export async function callRpc(port, call) {
  const body = JSON.stringify({ jsonrpc: '2.0', ...call })
  return await new Promise((resolve, reject) => {
    const sent = request(
      {
        port,
        host: '127.0.0.1',
        path: '/rpc',
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (chunk) => (text += chunk))
        // The server may be killed during the response.
        answer.on('error', reject)
        answer.on('end', () => resolve(JSON.parse(text)))
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}
