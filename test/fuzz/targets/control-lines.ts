import { Duplex } from 'node:stream'
import { ControlChannel } from '../../../src/core/sandbox/guest-host/control-channel.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectThat } from './expect.ts'

const LINES = [
  '{"up":true}',
  '{"ready":{"uid":1000}}',
  '{"waits_after":12}',
  '{"waits_after":null}',
  '{"exit":0,"signal":null,"cpu_ms":31}',
  '{"exit":null,"signal":9}',
  '{"failure":"OSError: no space"}',
  '{"not_started":{"step":"exec","error":"ENOENT"}}',
]

/** Reports of a guest's first process; without isolation, of any process. */
export const target: FuzzTarget = {
  name: 'control-lines',
  format: 'text',
  seeds: [`${LINES.join('\n')}\n`, ...LINES.map((each) => `${each}\n`)],
  words: [...LINES, '\n', 'null', '{}', '"signal":"9"', '"failure":[]', '"uid":null', '"exit":1.5'],
  open: (isPlanted) => async (input) => {
    const socket = createSocket()
    const channel = new ControlChannel(socket)
    const answer = channel.waitsAfter()
    let ready: unknown
    void channel.ready.then((inside) => (ready = inside))
    socket.push(input)
    await new Promise((resolve) => setImmediate(resolve))
    socket.destroy()
    const waits = await answer
    expectThat(waits === null || Number.isSafeInteger(waits), 'bytes are counted or null')
    expectThat(ready === undefined || Number.isSafeInteger((ready as { uid: 0 }).uid), 'uid')
    // The planted bug: a report is taken as it came.
    const report = isPlanted ? readLastLine(input) : channel.exitReport
    const {
      exit = null,
      signal = null,
      cpu_ms: cpuMs = 0,
      failure = '',
      not_started: step,
    } = report
    for (const each of [exit, signal])
      expectThat(each === null || Number.isSafeInteger(each), 'exit and signal are whole numbers')
    expectThat(typeof cpuMs === 'number' && cpuMs >= 0, 'time is a number')
    expectThat(typeof failure === 'string', 'a failure is text')
    expectThat(step === undefined || typeof step.error === 'string', 'an error has a name')
  },
}

function createSocket(): Duplex {
  return new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
}

function readLastLine(input: Buffer): ControlChannel['exitReport'] {
  try {
    const lines = input.toString('utf8').trim().split('\n')
    return Object(JSON.parse(lines.at(-1) ?? '')) as ControlChannel['exitReport']
  } catch {
    return {}
  }
}
