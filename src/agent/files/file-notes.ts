import { createPathMask } from '../../util/text/mask-paths.ts'
import { formatBytes } from '../../util/quantity.ts'
import { toPrintable } from '../../util/printable.ts'
import type { FileEntry } from './session-file.ts'

const maskPaths = createPathMask([])
const MAX_SHOWN_NAME = 200

/** Notes about files: of messages by their index, and of the whole conversation. */
export interface FileNotes {
  system: string
  messages: ReadonlyMap<number, string>
}

/** Text by which a model learns the paths of files. The names come from users. */
export function describeStagedFiles(entries: readonly FileEntry[], owner: string): string {
  const lines = entries.map((entry) => `- ${describeEntry(entry)}`)
  return [`Files of ${owner}, copied into the workspace:`, ...lines].join('\n')
}

function describeEntry({ file, staged, problem }: FileEntry): string {
  const name = file.name === undefined ? 'a file without a name' : quoteName(file.name)
  if (!staged) return `${name} was not copied: ${maskPaths(toPrintable(problem ?? 'not yet'))}`
  const { path, mimeType, sizeBytes } = staged
  const isRenamed = file.name !== undefined && !path.endsWith(`/${file.name}`)
  const origin = isRenamed ? `, ${name} of the user` : ''
  return `${quoteName(path)} (${toPrintable(mimeType)}, ${formatBytes(sizeBytes)}${origin})`
}

function quoteName(name: string): string {
  const shown = toPrintable(name.slice(0, MAX_SHOWN_NAME))
  return /^[\w./+@-]+$/.test(shown) ? shown : JSON.stringify(shown)
}
