import type { SessionFile } from './session-file.ts'

/** Fields of a message or a part, in the format of some provider. */
export type MessageFields = Readonly<Record<string, unknown>>

/** Reads the file of one part of a message; undefined if the part is not a file. */
export type ReadPartFile = (part: MessageFields) => SessionFile | undefined

/** Files of user messages, by message index. `key` holds the parts of a message. */
export function readUserFiles(
  messages: readonly object[],
  readPart: ReadPartFile,
  key: 'content' | 'parts' = 'content',
): Map<number, readonly SessionFile[]> {
  const found = new Map<number, readonly SessionFile[]>()
  for (const [at, message] of messages.entries()) {
    const { role, [key]: parts } = message as MessageFields
    if (role !== 'user' || !Array.isArray(parts)) continue
    const files = (parts as unknown[]).flatMap((part) =>
      typeof part === 'object' && part !== null ? (readPart(part as MessageFields) ?? []) : [],
    )
    if (files.length > 0) found.set(at, files)
  }
  return found
}

/** A value if it is a text. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The fields of a value; none if it is not an object. */
export function readFields(value: unknown): MessageFields {
  return typeof value === 'object' && value !== null ? (value as MessageFields) : {}
}
