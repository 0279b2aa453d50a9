import type { Engine } from '../../../src/fleet/engine/engine.ts'

/** Sends each message to workers and to fronts once more. */
export function doubleMessages(engine: Engine): void {
  const seen = new Set<string>()
  for (const pattern of ['w.*.start', 'a.>']) {
    engine.subscribe(pattern, ({ subject, body }) => {
      const key = `${subject} ${Buffer.from(body).toString('base64')}`
      // The repetition is heard as well.
      if (body.length === 0 || seen.has(key)) return
      seen.add(key)
      engine.publish(subject, body)
    })
  }
}

/** Repeats heartbeats that were sent earlier, in any order. */
export function replayHeartbeats(engine: Engine): { stop(): void } {
  const heard: { subject: string; body: Uint8Array }[] = []
  const seen = new Set<string>()
  engine.subscribe('hb.w.*', ({ subject, body }) => {
    const text = Buffer.from(body).toString()
    if (seen.has(text)) return
    seen.add(text)
    heard.push({ subject, body: Buffer.from(body) })
  })
  const timer = setInterval(() => {
    const old = heard[Math.floor(Math.random() * heard.length)]
    if (old) engine.publish(old.subject, old.body)
  }, 20)
  return { stop: () => clearInterval(timer) }
}

/** Sends each start again later, to its worker and to another one. */
export function replayStarts(
  engine: Engine,
  workers: readonly string[],
): { readonly count: number; stop(): void } {
  const starts: Buffer[] = []
  const seen = new Set<string>()
  let count = 0
  engine.subscribe('w.*.start', ({ body }) => {
    const text = Buffer.from(body).toString()
    if (seen.has(text)) return
    seen.add(text)
    starts.push(Buffer.from(body))
  })
  const timer = setInterval(() => {
    const start = starts[Math.floor(Math.random() * starts.length)]
    if (!start) return
    for (const worker of workers) engine.publish(`w.${worker}.start`, start)
    count += workers.length
  }, 30)
  return {
    get count() {
      return count
    },
    stop: () => clearInterval(timer),
  }
}

/** Texts that are no messages, or are messages with wrong fields. */
const GARBAGE = [
  'garbage',
  '{',
  'null',
  '[]',
  '{}',
  '[[[[]]]]',
  '{"v":"1.0"}',
  '{"t":"end"}',
  '{"t":"end","answer":null}',
  '{"t":"fact","n":1,"fact":null}',
  '{"t":"accepted"}',
  '{"op":"follow"}',
  '{"op":"follow","call":"x","front":"a b","token":"c d"}',
  '{"op":"logs","run":{}}',
  '{"op":"cancel","call":{}}',
  '{"op":"ask","call":"__proto__"}',
  '{"v":"1.0","front":"f","token":"1","call":"a b.*.>","attempt":1,"method":"x","params":{},"sent":{},"digest":"","count":1,"catalog":0}',
  '{"v":"1.0","front":"f","token":"1","call":"run_00000000000000000000","attempt":{},"count":1}',
  '{"v":"1.0","front":"__proto__","token":"1","call":"run_00000000000000000000","attempt":1,"method":"x","params":null,"sent":null,"digest":"","count":1,"catalog":0}',
  '{"v":"1.0","role":"worker","node":"w1","start":"a","build":"b","pool":"p","labels":[],"places":1,"line":0,"running":0,"waiting":0,"beat":1,"isDraining":false,"seen":null}',
]
const HUGE = Buffer.alloc(900_000, 'x')

/** Sends garbage and huge messages to nodes. */
export function sendGarbage(
  engine: Engine,
  { workers, fronts }: { workers: readonly string[]; fronts: readonly string[] },
): void {
  const subjects = [
    ...workers.flatMap((name) => [`w.${name}.start`, `w.${name}.ctl`, `hb.w.${name}`]),
    ...fronts.flatMap((name) => [`a.${name}.1`, `a.${name}.2`, `hb.f.${name}`]),
    'hb.w.evil',
    'hb.f.evil',
  ]
  for (const subject of subjects) {
    for (const text of GARBAGE) engine.publish(subject, text)
    engine.publish(subject, new Uint8Array([0xff, 0xfe, 0x00]))
    engine.publish(subject, JSON.stringify({ text: HUGE.toString() }))
  }
}
