import { SkillsError } from '../../errors.ts'

/** Byte offsets: `start` is inclusive, `end` is exclusive. */
interface ByteRange {
  start: number
  end: number
}

/**
 * Parses a Range header with a single byte range. Returns undefined for anything else, so that the
 * complete content is sent, as RFC 9110 allows. Throws for a range that begins after the end.
 */
export function readRange(header: string | undefined, size: number): ByteRange | undefined {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return undefined
  const [, from = '', to = ''] = match
  if (from === '') return requireBytes(Math.max(0, size - Number(to)), size, size)
  const end = to === '' ? size : Math.min(size, Number(to) + 1)
  if (to !== '' && Number(to) < Number(from)) return undefined
  return requireBytes(Number(from), end, size)
}

function requireBytes(start: number, end: number, size: number): ByteRange {
  if (start < end) return { start, end }
  throw new SkillsError(
    'http/range',
    `The content has ${size} bytes; the range begins after its end`,
    {
      data: { size_bytes: size },
    },
  )
}
