// @module-tag slow
import { describe, expect, it, onTestFinished } from 'vitest'
import { Offloader } from '../../../src/core/offload/offload.ts'
import { SharedTask } from '../../../src/core/offload/shared-task.ts'

function openOffloader(): Offloader {
  const offloader = new Offloader()
  onTestFinished(async () => await offloader.stop())
  return offloader
}

/** The parser needs time that grows with the square of such a text. */
const SLOW = { text: `${'- '.repeat(40)}a\n`.repeat(6000) }

it('a document is parsed in a thread, without positions', async () => {
  const tree = await openOffloader().perform('document', { text: '# A *b*' }, { timeoutMs: 60_000 })
  expect(tree).toEqual({
    type: 'root',
    children: [
      {
        type: 'heading',
        depth: 1,
        children: [
          { type: 'text', value: 'A ' },
          { type: 'emphasis', children: [{ type: 'text', value: 'b' }] },
        ],
      },
    ],
  })
})

it(
  'a task beyond its time ends with its thread, and the next one is performed',
  { tags: ['slow'] },
  async () => {
    const offloader = openOffloader()
    const slow = offloader.perform('document', SLOW, { timeoutMs: 1000 })
    await expect(slow).rejects.toMatchObject({ code: 'file/unreadable' })
    const next = await offloader.perform('document', { text: 'a' }, { timeoutMs: 60_000 })
    expect(next.children).toHaveLength(1)
  },
)

it('a cancelled task ends with its thread', async () => {
  const offloader = openOffloader()
  await offloader.perform('document', { text: 'a' }, { timeoutMs: 60_000 })
  const aborting = new AbortController()
  const slow = offloader.perform('document', SLOW, { timeoutMs: 60_000, signal: aborting.signal })
  queueMicrotask(() => aborting.abort())
  await expect(slow).rejects.toMatchObject({ code: 'run/cancelled' })
})

it(
  'the caller goes on while a task runs, as it does not without the thread',
  { tags: ['slow'] },
  async () => {
    const offloader = openOffloader()
    await offloader.perform('document', { text: 'a' }, { timeoutMs: 60_000 })
    let turns = 0
    const timer = setInterval(() => (turns += 1), 1)
    onTestFinished(() => clearInterval(timer))
    await offloader.perform('document', SLOW, { timeoutMs: 500 }).catch(() => {})
    expect(turns).toBeGreaterThan(5)
    const { parseDocument } = await import('../../../src/core/offload/parse-document.ts')
    // Loads the modules, so that the second call is one computation.
    await parseDocument('a')
    const before = turns
    await parseDocument(`${'- '.repeat(40)}a\n`.repeat(20))
    expect(turns).toBe(before)
  },
)

describe('tasks of several callers', () => {
  const LONG = { timeoutMs: 60_000 }

  it(
    'are performed in turns, so that a caller does not wait for all tasks of another',
    { tags: ['slow'] },
    async () => {
      const offloader = openOffloader()
      const ended: string[] = []
      const perform = async (principal: string, at: number) => {
        await offloader.perform('document', { text: 'a' }, { ...LONG, principal })
        ended.push(`${principal} ${at}`)
      }
      const greedy = Array.from({ length: 9 }, async (_, at) => await perform('mallory', at))
      await Promise.all([...greedy, perform('ada', 0), perform('ada', 1), perform('bob', 0)])
      expect(ended.slice(0, 6)).toEqual([
        'mallory 0',
        'mallory 1',
        'ada 0',
        'bob 0',
        'mallory 2',
        'ada 1',
      ])
      expect(ended).toHaveLength(12)
    },
  )

  it('beyond eight that wait are refused to their caller, and to no other', async () => {
    const offloader = openOffloader()
    const perform = async (principal: string) =>
      await offloader.perform('document', { text: 'a' }, { ...LONG, principal })
    const accepted = Array.from({ length: 9 }, async () => await perform('mallory'))
    await expect(perform('mallory')).rejects.toMatchObject({ code: 'run/busy' })
    expect((await perform('ada')).type).toBe('root')
    expect(await Promise.all(accepted)).toHaveLength(9)
    expect((await perform('mallory')).type).toBe('root')
  })

  it('leave the queue at once when they are cancelled', async () => {
    const offloader = openOffloader()
    const running = new AbortController()
    const slow = offloader.perform('document', SLOW, { ...LONG, signal: running.signal })
    const leaving = new AbortController()
    const options = { ...LONG, principal: 'mallory' }
    const waiting = Array.from(
      { length: 8 },
      async () =>
        await offloader.perform('document', { text: 'a' }, { ...options, signal: leaving.signal }),
    )
    const ends = Promise.allSettled(waiting)
    leaving.abort()
    // The thread is still occupied.
    for (const end of await ends) expect(end).toMatchObject({ reason: { code: 'run/cancelled' } })
    const next = offloader.perform('document', { text: 'a' }, options)
    running.abort()
    await expect(slow).rejects.toMatchObject({ code: 'run/cancelled' })
    expect((await next).type).toBe('root')
  })
})

describe('a shared task', () => {
  it('is performed once for all callers, and ends when the last one leaves', async () => {
    const signals: AbortSignal[] = []
    const start = async (signal: AbortSignal) => {
      signals.push(signal)
      return await new Promise<string>(() => {})
    }
    const task = new SharedTask(start)
    const [first, second] = [new AbortController(), new AbortController()]
    const joined = [task.join(first.signal), task.join(second.signal)]
    first.abort()
    await expect(joined[0]).rejects.toMatchObject({ code: 'run/cancelled' })
    expect(task.isAbandoned).toBe(false)
    second.abort()
    await expect(joined[1]).rejects.toMatchObject({ code: 'run/cancelled' })
    expect(task.isAbandoned).toBe(true)
    expect(signals).toMatchObject([{ aborted: true }])
  })
})
