import { expect, it, onTestFinished } from 'vitest'
import { Offloader } from '../../../src/core/offload/offload.ts'

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

it('a task beyond its time ends with its thread, and the next one is performed', async () => {
  const offloader = openOffloader()
  const slow = offloader.perform('document', SLOW, { timeoutMs: 1000 })
  await expect(slow).rejects.toMatchObject({ code: 'file/unreadable' })
  const next = await offloader.perform('document', { text: 'a' }, { timeoutMs: 60_000 })
  expect(next.children).toHaveLength(1)
})

it('a cancelled task ends with its thread', async () => {
  const offloader = openOffloader()
  await offloader.perform('document', { text: 'a' }, { timeoutMs: 60_000 })
  const aborting = new AbortController()
  const slow = offloader.perform('document', SLOW, { timeoutMs: 60_000, signal: aborting.signal })
  queueMicrotask(() => aborting.abort())
  await expect(slow).rejects.toMatchObject({ code: 'run/cancelled' })
})

it('the caller goes on while a task runs, as it does not without the thread', async () => {
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
})
