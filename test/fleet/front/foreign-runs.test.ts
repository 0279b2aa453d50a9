// @module-tag slow
// @module-tag nightly
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import { ADA, BEN, OPS, useTwoServers } from './two-servers.ts'

const servers = useTwoServers()

const CODE = `import time

def main(args):
    for i in range(args["lines"]):
        print("line", i, flush=True)
        time.sleep(args["pause"])
    return {"done": True}
`

/** Starts a run on the first front, and returns when its worker has begun. */
async function startRun(args: { lines: number; pause: number }) {
  const id = createRunId()
  const params = { language: 'python', code: CODE, args, _meta: { run_id: id } }
  const ended = servers.current.call(0, 'run_code', { params })
  for (;;) {
    const response = await servers.current.fetch(1, `/runs/${id}/events`)
    await response.body?.cancel()
    if (response.status !== 404) break
    await sleep(50)
  }
  return { id, ended }
}

interface SentEvent {
  id: number
  name: string
  data: { state?: string; status?: string; text?: string }
}

async function readEvents(at: number, run: string, headers: Record<string, string> = {}) {
  const response = await servers.current.fetch(at, `/runs/${run}/events`, { headers })
  const text = await response.text()
  return text
    .split('\n\n')
    .filter((frame) => frame.startsWith('id: '))
    .map((frame): SentEvent => {
      const [id = '', name = '', data = ''] = frame
        .split('\n')
        .map((line) => line.replace(/^\w+: /, ''))
      return { id: Number(id), name, data: JSON.parse(data) as SentEvent['data'] }
    })
}

it('another front sends the same events of a run, with the same numbers', async () => {
  const { id, ended } = await startRun({ lines: 5, pause: 0.2 })
  const [own, foreign] = await Promise.all([readEvents(0, id), readEvents(1, id)])
  expect(await ended).toMatchObject({ status: 'completed' })
  expect(foreign).toEqual(own)
  expect(foreign.at(0)?.data.state).toBe('queued')
  expect(foreign.at(-1)).toMatchObject({ name: 'end', data: { status: 'completed' } })
  const logs = foreign.filter(({ name }) => name === 'log').map(({ data }) => data.text)
  expect(logs.join('')).toContain('line 4')
})

it('another front continues after the last event of a client', async () => {
  const { id, ended } = await startRun({ lines: 3, pause: 0.1 })
  await ended
  const all = await readEvents(0, id)
  const third = all[2]?.id ?? 0
  const later = await readEvents(1, id, { 'last-event-id': String(third) })
  expect(later).toEqual(all.slice(3))
})

it('only the caller of a run and operators may follow it at another front', async () => {
  const { id, ended } = await startRun({ lines: 2, pause: 0.5 })
  const open = async (token: string) => {
    const aborted = new AbortController()
    const response = await servers.current.fetch(1, `/runs/${id}/events`, {
      token,
      signal: aborted.signal,
    })
    aborted.abort()
    return response.status
  }
  expect(await open(BEN)).toBe(404)
  expect(await open(ADA)).toBe(200)
  expect(await open(OPS)).toBe(200)
  expect(await ended).toMatchObject({ status: 'completed' })
})

it('a run that failed ends with that status for its followers', async () => {
  const { id, ended } = await startRun({ lines: -1, pause: 0 })
  const foreign = await readEvents(1, id)
  const { status } = await ended
  expect(foreign.at(-1)).toMatchObject({ name: 'end', data: { status } })
})
