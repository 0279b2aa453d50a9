import type { Requirement } from '../requirement.ts'
import { demand, shown } from '../verdict.ts'
import { demandCode, demandText, type Fields, type Session } from '../session.ts'

const page = 'Full Specification'
const LONG = Array.from({ length: 1000 }, (_, at) => String(at).padStart(5, '0')).join('')

async function store(session: Session, content: string, kind = 'text/plain'): Promise<string> {
  const { blob_id: id } = await session.result('create_blob', { content, kind })
  demandText(id, 'blob_id')
  return id
}

async function readBack(session: Session, content: string, params: object): Promise<Fields> {
  const id = await store(session, content)
  return await session.result('read_blob', { blob_id: id, ...params })
}

export const BLOBS: readonly Requirement[] = [
  {
    id: 'blob/id',
    level: 'must',
    page,
    text: 'create_blob answers with an id that begins with blob:',
    async check(session) {
      const id = await store(session, 'a')
      demand(/^blob:./.test(id), `Expected blob:<id>, got ${shown(id)}`)
    },
  },
  {
    id: 'blob/size',
    level: 'must',
    page,
    text: 'create_blob answers with the size in bytes',
    needs: ['blob/id'],
    async check(session) {
      const { size_bytes: size } = await session.result('create_blob', {
        content: 'grün',
        kind: 'text/plain',
      })
      demand(size === 5, `Expected 5 bytes for "grün", got ${shown(size)}`)
    },
  },
  {
    id: 'blob/content',
    level: 'must',
    page,
    text: 'read_blob gives back what was stored',
    needs: ['blob/id'],
    async check(session) {
      const text = 'one\n"two"\ndrei: grün, 三, 🙂\n'
      const { content } = await readBack(session, text, {})
      demand(content === text, `Expected ${shown(text)}, got ${shown(content)}`)
    },
  },
  {
    id: 'blob/kind',
    level: 'must',
    page,
    text: 'read_blob tells the kind that was stored',
    needs: ['blob/id'],
    async check(session) {
      const id = await store(session, 'a,b\n', 'text/csv')
      const { kind } = await session.result('read_blob', { blob_id: id })
      demand(kind === 'text/csv', `Expected "text/csv", got ${shown(kind)}`)
    },
  },
  {
    id: 'blob/truncated',
    level: 'must',
    page,
    text: 'truncated says whether something is missing',
    needs: ['blob/content'],
    async check(session) {
      const whole = await readBack(session, 'short', {})
      demand(
        whole['truncated'] === false,
        `Expected false for all of it, got ${shown(whole['truncated'])}`,
      )
      const part = await readBack(session, LONG, { max_bytes: 50 })
      demand(
        part['truncated'] === true,
        `Expected true for a part, got ${shown(part['truncated'])}`,
      )
    },
  },
  {
    id: 'blob/head',
    level: 'should',
    page,
    text: 'sample_head gives the beginning',
    needs: ['blob/content'],
    async check(session) {
      const { content } = await readBack(session, LONG, { mode: 'sample_head', max_bytes: 50 })
      const start = LONG.slice(0, 30)
      demand(String(content).startsWith(start), `Expected ${start}…, got ${shown(content)}`)
    },
  },
  {
    id: 'blob/tail',
    level: 'should',
    page,
    text: 'sample_tail gives the end',
    needs: ['blob/content'],
    async check(session) {
      const { content } = await readBack(session, LONG, { mode: 'sample_tail', max_bytes: 50 })
      const end = LONG.slice(-30)
      demand(String(content).endsWith(end), `Expected …${end}, got ${shown(content)}`)
    },
  },
  {
    id: 'blob/default-sample',
    level: 'must',
    page,
    text: 'Without mode and max_bytes, read_blob gives about the first 2000 bytes',
    needs: ['blob/content'],
    async check(session) {
      const { content } = await readBack(session, LONG, {})
      const text = String(content)
      demand(text.startsWith(LONG.slice(0, 1900)), `Expected the beginning, got ${shown(content)}`)
      demand(text.length < 2200, `Expected about 2000 bytes, got ${text.length}`)
    },
  },
  {
    id: 'blob/unknown',
    level: 'must',
    page,
    text: 'A blob that is not there is refused',
    async check(session) {
      await session.refusal('read_blob', { blob_id: 'blob:no-such-blob' })
    },
  },
  {
    id: 'blob/base64',
    level: 'extension',
    page: 'Toolkit',
    text: 'create_blob takes bytes as base64 with an encoding, and read_blob gives them so',
    needs: ['blob/id'],
    async check(session) {
      const given = { content: 'AP8B', kind: 'application/octet-stream', encoding: 'base64' }
      const { blob_id: id } = await session.result('create_blob', given)
      const { content, encoding } = await session.result('read_blob', { blob_id: id })
      demand(
        content === 'AP8B' && encoding === 'base64',
        `Expected "AP8B" as base64, got ${shown(content)}`,
      )
    },
  },
  {
    id: 'blob/unknown-code',
    level: 'extension',
    page: 'Toolkit',
    text: 'A blob that is not there is refused with -32602',
    needs: ['blob/unknown'],
    async check(session) {
      demandCode(await session.refusal('read_blob', { blob_id: 'blob:no-such-blob' }), -32602)
    },
  },
]
