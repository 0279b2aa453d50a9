import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { openOutputStore } from '../../../src/core/outputs/store/file-output-store.ts'
import { createHandle, deriveOutputKey } from '../../../src/core/outputs/store/handle.ts'
import { packMember } from '../../../src/core/outputs/store/member-index.ts'
import type { OutputStore } from '../../../src/core/outputs/store/output-store.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { allowSkillsErrors, expectEqual, expectThat } from './expect.ts'
import { sealLines } from './seal-lines.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

const RUN = `run_${'0123456789'.repeat(2)}`
const KEY = deriveOutputKey(RUN)
const CREATED = Date.UTC(2100, 0)
const HANDLE = createHandle(KEY, undefined, CREATED)
const TEXT = 'one\ntwo\n'
const STORED = gzipSync(TEXT)

function buildManifest(isInline: boolean): string {
  const member = packMember({
    bytes: TEXT.length,
    stored: STORED.length,
    lineEnds: 2,
    digest: createHash('sha256').update(STORED).digest('base64'),
  }).toString('base64')
  const sha256 = createHash('sha256').update(TEXT).digest('hex')
  const stream = { bytes: TEXT.length, lines: 3, sha256, storedBytes: STORED.length }
  return JSON.stringify({
    handle: HANDLE,
    runId: RUN,
    repo: null,
    owner: null,
    language: 'python',
    status: 'completed',
    exitCode: 0,
    signal: null,
    createdAt: new Date(CREATED).toISOString(),
    expiresAt: new Date(CREATED + 1000).toISOString(),
    streams: { stdout: stream, stderr: { bytes: 0, lines: 0, sha256, storedBytes: 0 } },
    members: { stdout: member, stderr: '' },
    ...(isInline && { inline: { stdout: STORED.toString('base64'), stderr: '' } }),
  })
}

/** The description of an output, as a crash or another program may have left it. */
export const target: FuzzTarget = {
  name: 'stored-outputs',
  format: 'json',
  seeds: [buildManifest(true), buildManifest(false)],
  words: [
    HANDLE,
    RUN,
    '/////w==',
    packMember({ bytes: 2 ** 32 - 1, stored: 2 ** 32 - 1, lineEnds: 0, digest: '' }).toString(
      'base64',
    ),
  ],
  open(isPlanted) {
    const dir = createTemporaryFolder()
    mkdirSync(dir, { recursive: true })
    const limits = { maxOutputBytes: 1e6, quotaBytes: 1e9, ttlMs: 1e12 }
    const store = openOutputStore(dir, limits)
    return async (input) => {
      writeFileSync(join(dir, `${KEY}.json`), sealLines(input))
      writeFileSync(join(dir, `${KEY}.stdout.gz`), STORED)
      rmSync(join(dir, `${KEY}.stderr.gz`), { force: true })
      // The planted bug: text that is not JSON is an error of another type.
      if (isPlanted) JSON.parse(input.toString('utf8'))
      for (const id of [RUN, HANDLE]) await readAll(store, id)
    }
  },
}

async function readAll(store: OutputStore, id: string): Promise<void> {
  const reader = { caller: undefined }
  await allowSkillsErrors(async () => await store.info(id, reader))
  await allowSkillsErrors(async () => {
    const output = await store.read(id, reader)
    try {
      for (const stream of [output.streams.stdout, output.streams.stderr]) {
        let content = ''
        await stream.read(1, ({ bytes, lineEndsBefore }) => {
          expectThat(lineEndsBefore >= 0, 'lines are counted')
          content += bytes.toString('utf8')
          return true
        })
        expectThat(content === '' || content === TEXT, 'what is read was written')
      }
    } finally {
      await output.close()
    }
  })
  const content = await allowSkillsErrors(async () => await store.content(id, 'stdout', reader))
  // A damaged file ends the stream with an error of zlib, which callers report.
  if (content) expectEqual([TEXT, ''].includes(await readText(content).catch(() => '')), true, 'it')
}
