/* global URL_OF_RUNTIME, URL_OF_STRANGER, TOKEN */
// Runs in a browser: uses the client and reports to the server of its page.
import { createClient } from 'skills-protocol/client'

const client = createClient({ url: URL_OF_RUNTIME, token: TOKEN })
const python = (code) => ({ language: 'python', code })
const caught = async (promise) =>
  await promise.then(
    () => ({}),
    (error) => error,
  )

async function report() {
  const seen = {}
  seen.names = []
  for await (const { name } of client.skills({ limit: 1 })) seen.names.push(name)
  const greeted = await client.executeSkill({ name: 'demo.greet', args: { name: 'browser' } })
  seen.greeting = greeted.output
  seen.logs = ''
  const logging = 'from runtime import log\ndef main(args): log.info("from the sandbox")'
  await client.runCode(python(logging), {
    onEvent: (event) => {
      if (event.type === 'log' && event.stream === 'log') seen.logs += event.text
    },
  })
  const { name, code } = await caught(client.describeSkill({ name: 'demo.nobody' }))
  seen.refused = { name, code }
  const wrong = await caught(createClient({ url: URL_OF_RUNTIME, token: 'x' }).listSkills())
  seen.wrongToken = { name: wrong.name, code: wrong.code, status: wrong.httpStatus }
  const failed = await caught(
    client.runCodeOrThrow(python('def main(args): raise ValueError("no")')),
  )
  seen.failed = { name: failed.name, type: failed.type }
  const text = 'xy'.repeat(150_000)
  const blob = await client.uploadBlob(new Blob([text]), { kind: 'text/plain' })
  seen.stored = { kind: blob.kind, size: blob.size_bytes }
  const again = await client.uploadBlob(new Blob([text]).stream(), { kind: 'text/plain' })
  const { stream } = await client.downloadBlob(again.blob_id)
  seen.streamed = (await new Response(stream).text()).length
  const part = await client.downloadBlob(blob.blob_id, { range: { start: 2, end: 5 } })
  seen.part = await new Response(part.stream).text()
  seen.facts = (await client.blobFacts(blob.blob_id)).size_bytes
  const stop = new AbortController()
  const sleeping = client.runCode(python('import time\ndef main(args): time.sleep(600)'), {
    signal: stop.signal,
    onEvent: (event) => event.type === 'state' && stop.abort('enough'),
  })
  seen.aborted = await caught(sleeping)
  const stranger = createClient({ url: URL_OF_STRANGER, retries: 0 })
  const refused = await caught(stranger.listSkills())
  seen.stranger = { name: refused.name, problem: refused.problem }
  return seen
}

const seen = await report().catch((error) => ({ error: String(error.stack) }))
await fetch('/', { method: 'POST', body: JSON.stringify(seen) })
