import type { Execution } from './execution.ts'

/**
 * Describes programs that come first in PATH and cannot be used, without the paths of this machine.
 */
export function describeNotices({
  resolved,
  toolchains,
}: Pick<Execution, 'resolved' | 'toolchains'>): string[] {
  const { candidate, version, notices } = resolved
  const used = version === '' ? candidate.program : `${candidate.program} ${version}`
  return [
    ...notices.map((text) => `${hidePaths(text)}; another one runs: ${used}`),
    ...(resolved.language.name === 'shell' ? listToolNotices(toolchains) : []),
  ]
}

/** A command line may start any program; another language rarely starts one of other languages. */
function listToolNotices(toolchains: Execution['toolchains']): string[] {
  return (toolchains?.notices ?? []).map(hidePaths)
}

/** Two or more names of a path; the last one is kept. */
const PATHS = /\/(?:[^\s"'`:;,()/]+\/)+([^\s"'`:;,()/]+)/g

/** Shortens absolute paths in a text to their last name. */
export function hidePaths(text: string): string {
  return text.replace(PATHS, '…/$1')
}
