import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'

const PAGE = 100

/** Some of what is listed, in its order. */
export interface Page<T> {
  items: readonly T[]
  nextCursor: string | undefined
}

/**
 * The page behind a cursor, which names the last address before it: nothing comes twice or is left
 * out because something else came or went meanwhile.
 */
export function pageOf<T extends { uri: string }>(
  all: readonly T[],
  cursor: string | undefined,
): Page<T> {
  const after = cursor === undefined ? undefined : readCursor(cursor)
  const from = after === undefined ? 0 : all.findIndex(({ uri }) => uri > after)
  const items = from === -1 ? [] : all.slice(from, from + PAGE)
  const last = items.at(-1)
  const isMore = last !== undefined && last !== all.at(-1)
  return { items, nextCursor: isMore ? writeCursor(last.uri) : undefined }
}

const MARK = 'after '

function writeCursor(uri: string): string {
  return Buffer.from(MARK + uri).toString('base64url')
}

function readCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8')
  if (text.startsWith(MARK) && writeCursor(text.slice(MARK.length)) === cursor) {
    return text.slice(MARK.length)
  }
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The cursor is none of this server')
}
