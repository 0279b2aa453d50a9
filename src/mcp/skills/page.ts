import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'

/** Entries of a page. Clients of the official SDK read at most 64 pages. */
const PAGE_SIZE = 1000

/** A page of a list. */
export interface ResourcePage<T> {
  items: readonly T[]
  nextCursor: string | undefined
}

/**
 * Returns the page after a cursor. The cursor encodes the last URI of the previous page, so that
 * concurrent additions and removals cause no duplicates or gaps.
 */
export function takePage<T extends { uri: string }>(
  all: readonly T[],
  cursor: string | undefined,
  pageSize = PAGE_SIZE,
): ResourcePage<T> {
  const after = cursor === undefined ? undefined : readCursor(cursor)
  const from = after === undefined ? 0 : all.findIndex(({ uri }) => uri > after)
  const items = from === -1 ? [] : all.slice(from, from + pageSize)
  const last = items.at(-1)
  const isMore = last !== undefined && last !== all.at(-1)
  return { items, nextCursor: isMore ? writeCursor(last.uri) : undefined }
}

const CURSOR_PREFIX = 'after '

function writeCursor(uri: string): string {
  return Buffer.from(CURSOR_PREFIX + uri).toString('base64url')
}

function readCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8')
  if (text.startsWith(CURSOR_PREFIX) && writeCursor(text.slice(CURSOR_PREFIX.length)) === cursor) {
    return text.slice(CURSOR_PREFIX.length)
  }
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The cursor is not valid for this server')
}
