// @module-tag slow
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createFolder } from '../../helpers/skills.ts'
import { BUILT_MODULES } from '../../helpers/built.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Runs a part of a program with a store of 300 blobs, in a process with 200 descriptors. */
function runWithStore(part: string): string {
  const script = `
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { openBlobStore } from '${ROOT}src/core/storage/file-blob-store.ts'
const dir = '${createFolder()}'
const store = openBlobStore(dir, { maxBlobBytes: 1000, quotaBytes: 1e6, ttlMs: 1e7 })
const ids = []
for (let each = 0; each < 300; each++) ids.push((await (await store.writer({ kind: 'a/b' })).commit()).id)
const answer = async (work) => await work().then((value) => value, (error) => error.code)
${part}`
  const node = [
    process.execPath,
    '--import',
    BUILT_MODULES,
    '--input-type=module',
    '--eval',
    script,
  ]
  const words = ['-c', 'ulimit -n 200; exec "$@"', 'sh', ...node]
  const { stdout, stderr } = spawnSync('/bin/sh', words, {
    encoding: 'utf8',
    cwd: ROOT,
    timeout: 60_000,
  })
  return stdout + stderr
}

it('more blobs than file descriptors are held', () => {
  const held = `
const lease = await answer(() => store.hold(ids))
console.log(lease.files?.length ?? lease)
const folder = (id) => dir + '/' + id.slice('blob:'.length)
console.log(await answer(() => Promise.all(ids.map((id) => readFile(folder(id) + '/info.json')))))`
  // Control: the same files cannot be read at once.
  expect(runWithStore(held)).toBe('300\nEMFILE\n')
}, 60_000)

it('a blob that cannot be opened for lack of descriptors is not reported as unknown', () => {
  const exhausted = `
const open = []
try { for (;;) open.push(openSync('/dev/null', 'r')) } catch {}
const codes = [await answer(() => store.info(ids[0])), await answer(() => store.hold(ids))]
for (const fd of open) closeSync(fd)
// Control: an unknown blob has a code of its own.
codes.push(await answer(() => store.info('blob:' + '0'.repeat(32))))
console.log(codes.join())`
  expect(runWithStore(exhausted)).toBe('host/exhausted,host/exhausted,blob/not-found\n')
}, 60_000)
