// Stores an output of a given size in a data directory, as a run of a busy server would print it.
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { openOutputStore } from '../../../dist/core/outputs/store/file-output-store.js'

const WORDS =
  'connection request handler payload timeout retry worker queue index cache miss flush commit batch shard leader token session'.split(
    ' ',
  )
const [data, runId, size, needle] = process.argv.slice(2)
const most = Number(size)
const store = openOutputStore(join(data, 'outputs'), {
  maxOutputBytes: most,
  quotaBytes: most,
  ttlMs: 3_600_000,
})
const writer = store.open({ runId, owner: undefined })
let line = 0
for (let done = 0; done < most;) {
  let text = ''
  while (text.length < 1 << 20) {
    line += 1
    const words = Array.from({ length: 6 }, () => WORDS[randomInt(WORDS.length)]).join(' ')
    const found = line % 100_000 === 0 ? ` ${needle}` : ''
    text += `2026-11-21T10:${line % 60}:${line % 59}Z level=info id=${randomInt(1 << 30).toString(16)} ${words}${found}\n`
  }
  const bytes = Buffer.from(text)
  done += bytes.length
  await writer.stdout.write(bytes)
}
const stored = await writer.finish({ status: 'success', exitCode: 0, signal: null })
if ('notKept' in stored) throw new Error(stored.message)
