import { readMcpFile } from '../files/provider-files.ts'
import type { SessionFile } from '../files/session-file.ts'

/**
 * Files among the content blocks of the Model Context Protocol, such as those of a prompt, for
 * `session.addFiles`.
 */
export function readMcpFiles(content: object | readonly object[]): SessionFile[] {
  const blocks: readonly object[] = Array.isArray(content) ? content : [content]
  return blocks.flatMap((block) => readMcpFile(block as never) ?? [])
}
