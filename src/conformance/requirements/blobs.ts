import type { Requirement } from '../requirement.ts'
import { assertThat, formatValue } from '../assertions.ts'
import {
  assertErrorCode,
  assertText,
  type ResultFields,
  type ConformanceSession,
} from '../session.ts'

const page = 'Full Specification'
const LONG_TEXT = Array.from({ length: 1000 }, (_, at) => String(at).padStart(5, '0')).join('')

async function storeText(
  session: ConformanceSession,
  content: string,
  kind = 'text/plain',
): Promise<string> {
  const { blob_id: id } = await session.expectResult('create_blob', { content, kind })
  assertText(id, 'blob_id')
  return id
}

async function storeAndRead(
  session: ConformanceSession,
  content: string,
  params: object,
): Promise<ResultFields> {
  const id = await storeText(session, content)
  return await session.expectResult('read_blob', { blob_id: id, ...params })
}

/** Asserts that a sample of 50 bytes has no more than a note beside them. */
function assertSampled(content: unknown): void {
  const { length } = String(content)
  assertThat(length < 250, `Expected about 50 bytes with max_bytes 50, got ${length}`)
}

export const BLOBS: readonly Requirement[] = [
  {
    id: 'blob/id',
    level: 'must',
    page,
    text: 'create_blob returns an id that begins with blob:',
    async check(session) {
      const id = await storeText(session, 'a')
      assertThat(/^blob:./.test(id), `Expected blob:<id>, got ${formatValue(id)}`)
    },
  },
  {
    id: 'blob/size',
    level: 'must',
    page,
    text: 'create_blob returns the size in bytes',
    needs: ['blob/id'],
    async check(session) {
      const { size_bytes: size } = await session.expectResult('create_blob', {
        content: 'grün',
        kind: 'text/plain',
      })
      assertThat(size === 5, `Expected 5 bytes for "grün", got ${formatValue(size)}`)
    },
  },
  {
    id: 'blob/content',
    level: 'must',
    page,
    text: 'read_blob returns the stored content',
    needs: ['blob/id'],
    async check(session) {
      const text = 'one\n"two"\ndrei: grün, 三, 🙂\n'
      const { content } = await storeAndRead(session, text, {})
      assertThat(content === text, `Expected ${formatValue(text)}, got ${formatValue(content)}`)
    },
  },
  {
    id: 'blob/separate',
    level: 'must',
    page,
    text: 'Every blob has an id of its own and keeps its content when others are stored',
    needs: ['blob/content'],
    async check(session) {
      const texts = ['first', 'second', 'third']
      const ids: string[] = []
      for (const text of texts) ids.push(await storeText(session, text))
      assertThat(
        new Set(ids).size === ids.length,
        `Expected an id for each blob, got ${formatValue(ids)}`,
      )
      for (const [at, id] of ids.entries()) {
        const { content } = await session.expectResult('read_blob', { blob_id: id })
        assertThat(
          content === texts[at],
          `Expected ${formatValue(texts[at])}, got ${formatValue(content)}`,
        )
      }
    },
  },
  {
    id: 'blob/kind',
    level: 'must',
    page,
    text: 'read_blob returns the stored kind',
    needs: ['blob/id'],
    async check(session) {
      const id = await storeText(session, 'a,b\n', 'text/csv')
      const { kind } = await session.expectResult('read_blob', { blob_id: id })
      assertThat(kind === 'text/csv', `Expected "text/csv", got ${formatValue(kind)}`)
    },
  },
  {
    id: 'blob/truncated',
    level: 'must',
    page,
    text: 'truncated is true if content is missing',
    needs: ['blob/content'],
    async check(session) {
      const complete = await storeAndRead(session, 'short', {})
      assertThat(
        complete['truncated'] === false,
        `Expected false for all of it, got ${formatValue(complete['truncated'])}`,
      )
      const part = await storeAndRead(session, LONG_TEXT, { max_bytes: 50 })
      assertThat(
        part['truncated'] === true,
        `Expected true for a part, got ${formatValue(part['truncated'])}`,
      )
    },
  },
  {
    id: 'blob/head',
    level: 'should',
    page,
    text: 'sample_head returns the beginning',
    needs: ['blob/content'],
    async check(session) {
      const { content } = await storeAndRead(session, LONG_TEXT, {
        mode: 'sample_head',
        max_bytes: 50,
      })
      const start = LONG_TEXT.slice(0, 30)
      assertThat(
        String(content).startsWith(start),
        `Expected ${start}…, got ${formatValue(content)}`,
      )
      assertSampled(content)
    },
  },
  {
    id: 'blob/tail',
    level: 'should',
    page,
    text: 'sample_tail returns the end',
    needs: ['blob/content'],
    async check(session) {
      const { content } = await storeAndRead(session, LONG_TEXT, {
        mode: 'sample_tail',
        max_bytes: 50,
      })
      const end = LONG_TEXT.slice(-30)
      assertThat(String(content).endsWith(end), `Expected …${end}, got ${formatValue(content)}`)
      assertSampled(content)
    },
  },
  {
    id: 'blob/default-sample',
    level: 'must',
    page,
    text: 'Without mode and max_bytes, read_blob returns about the first 2000 bytes',
    needs: ['blob/content'],
    async check(session) {
      const { content } = await storeAndRead(session, LONG_TEXT, {})
      const text = String(content)
      assertThat(
        text.startsWith(LONG_TEXT.slice(0, 1900)),
        `Expected the beginning, got ${formatValue(content)}`,
      )
      assertThat(text.length < 2200, `Expected about 2000 bytes, got ${text.length}`)
    },
  },
  {
    id: 'blob/unknown',
    level: 'must',
    page,
    text: 'An unknown blob is refused',
    async check(session) {
      await session.expectError('read_blob', { blob_id: 'blob:no-such-blob' })
    },
  },
  {
    id: 'blob/base64',
    level: 'extension',
    page: 'Toolkit',
    text: 'create_blob accepts base64 content with an encoding, and read_blob returns it as base64',
    needs: ['blob/id'],
    async check(session) {
      const params = { content: 'AP8B', kind: 'application/octet-stream', encoding: 'base64' }
      const { blob_id: id } = await session.expectResult('create_blob', params)
      const { content, encoding } = await session.expectResult('read_blob', { blob_id: id })
      assertThat(
        content === 'AP8B' && encoding === 'base64',
        `Expected "AP8B" as base64, got ${formatValue(content)}`,
      )
    },
  },
  {
    id: 'blob/unknown-code',
    level: 'extension',
    page: 'Toolkit',
    text: 'An unknown blob is refused with -32602',
    needs: ['blob/unknown'],
    async check(session) {
      assertErrorCode(
        await session.expectError('read_blob', { blob_id: 'blob:no-such-blob' }),
        -32602,
      )
    },
  },
]
