import {
  locateCode,
  replaceSandboxPaths,
  shortenLibraryPath,
  type CodeLocations,
} from './locate-frame.ts'
import { parseJavaScriptStack } from './parse-javascript.ts'
import { parsePythonTraceback } from './parse-python.ts'
import type { Traceback, TracebackFrame } from './traceback.ts'

const MAX_LIBRARY_FRAMES = 8

/**
 * Formats a traceback of Python or JavaScript: the frames of the code first, with paths of this
 * machine, then those of libraries. Other texts only get the paths of this machine.
 */
export function formatTraceback(text: string, locations: CodeLocations): readonly string[] {
  const trimmed = text.trimEnd()
  const parsed = parseTraceback(trimmed)
  if (!parsed)
    return replaceSandboxPaths(trimmed, locations)
      .split('\n')
      .map((line) => `  ${line}`)
  return [...formatParts(parsed, locations), ...formatLibraryFrames(parsed, locations)]
}

/** The frames of the skill's code only; none for other texts. */
export function formatOwnFrames(text: string, locations: CodeLocations): readonly string[] {
  return formatParts(parseTraceback(text.trimEnd()) ?? [], locations)
}

function parseTraceback(text: string): Traceback | undefined {
  return parsePythonTraceback(text) ?? parseJavaScriptStack(text)
}

function formatParts(traceback: Traceback, locations: CodeLocations): string[] {
  return traceback.flatMap(({ title, frames }, at) => [
    ...(at === 0 ? [] : [`  caused by ${replaceSandboxPaths(title, locations)}`]),
    ...frames.flatMap((frame) => formatOwnFrame(frame, locations)),
  ])
}

function formatOwnFrame(frame: TracebackFrame, locations: CodeLocations): string[] {
  const path = locateCode(frame.path, locations)
  if (path === undefined) return []
  return [`  ${path}:${formatPosition(frame)}`, ...frame.code.map((line) => `    ${line}`)]
}

/** The frames next to the code first. */
function formatLibraryFrames(traceback: Traceback, locations: CodeLocations): string[] {
  const libraryFrames = traceback
    .flatMap(({ frames }) => frames)
    .filter(({ path }) => locateCode(path, locations) === undefined)
  const shown = libraryFrames.slice(0, MAX_LIBRARY_FRAMES)
  const rest = libraryFrames.length - shown.length
  if (shown.length === 0) return []
  return [
    '  in libraries:',
    ...shown.map((frame) => `    ${shortenLibraryPath(frame.path)}:${formatPosition(frame)}`),
    ...(rest > 0 ? [`    and ${rest} more`] : []),
  ]
}

function formatPosition({ line, column, name }: TracebackFrame): string {
  return `${line}${column === undefined ? '' : `:${column}`}${name ? ` in ${name}` : ''}`
}
