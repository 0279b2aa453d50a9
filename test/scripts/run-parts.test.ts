import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../helpers/skills.ts'

interface Part {
  name: string
  command: string
  after?: string
  needs?: string
}
type RunParts = (
  parts: Part[],
  options: { limit: number; print: (text: string) => void; signal: AbortSignal },
) => Promise<number>

const { runParts } = (await import(
  new URL('../../scripts/check/run-parts.js', import.meta.url).href
)) as { runParts: RunParts }

async function run(parts: Part[], limit = 2): Promise<{ failed: number; text: string }> {
  let text = ''
  const print = (added: string): void => void (text += added)
  const failed = await runParts(parts, { limit, print, signal: new AbortController().signal })
  return { failed, text: text.replaceAll(/\d+\.\d s/g, 'N s').replaceAll(/ {2,}/g, ' ') }
}

describe('runParts()', () => {
  it('prints a line for each part and the whole output of a part that failed', async () => {
    const parts = [
      { name: 'first', command: 'echo hidden' },
      { name: 'second', command: 'echo out; echo err >&2; seq 20000; exit 3' },
      { name: 'third', command: 'true' },
    ]
    const { failed, text } = await run(parts, 1)
    expect(failed).toBe(1)
    expect(text).toMatch(/^ok N s first\nfailed N s second\n/)
    for (const part of ['out\n', 'err\n', '19999\n20000\n']) expect(text).toContain(part)
    expect(text).toMatch(/\nok N s third\n$/)
    expect(text).not.toContain('hidden')
  })

  it('runs no part that needs a failed one, and runs one that only comes after it', async () => {
    const parts = [
      { name: 'build', command: 'exit 1' },
      { name: 'package', command: 'echo packed', needs: 'build' },
      { name: 'lint', command: 'true', after: 'build' },
    ]
    const { failed, text } = await run(parts)
    expect(failed).toBe(2)
    expect(text).toBe('failed N s build\nnot run package: it needs build\nok N s lint\n')
  })

  it('runs parts side by side up to the limit', async () => {
    const dir = createFolder({})
    // Each part ends only when the other runs.
    const meet = (own: string, other: string): string =>
      `cd ${dir}; touch ${own}; until [ -e ${other} ]; do sleep 0.01; done`
    const parts = [
      { name: 'a', command: meet('a', 'b') },
      { name: 'b', command: meet('b', 'a') },
    ]
    expect((await run(parts)).failed).toBe(0)
    const alone = { name: 'c', command: `cd ${dir}; mkdir busy && sleep 0.05 && rmdir busy` }
    const parts2 = Array.from({ length: 6 }, (_, index) => ({ ...alone, name: `c${index}` }))
    expect((await run(parts2, 1)).failed).toBe(0)
  })

  it('ends the processes of running parts when it is aborted, and starts no others', async () => {
    const dir = createFolder({})
    const stop = new AbortController()
    const parts = [
      { name: 'slow', command: `cd ${dir}; (echo $$ >pid.new; mv pid.new pid; sleep 1000) & wait` },
      { name: 'next', command: `touch ${join(dir, 'next')}`, after: 'slow' },
    ]
    const running = runParts(parts, { limit: 2, print: () => {}, signal: stop.signal })
    await expect.poll(() => existsSync(join(dir, 'pid'))).toBe(true)
    const group = Number(readFileSync(join(dir, 'pid'), 'utf8'))
    stop.abort()
    await running
    await expect.poll(() => isGroupAlive(group)).toBe(false)
    expect(existsSync(join(dir, 'next'))).toBe(false)
  })
})

function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0)
    return true
  } catch {
    return false
  }
}
