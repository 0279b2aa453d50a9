import type { InlineCode, InlinePlan, SandboxPaths } from '../language.ts'

/** One argument of a program may have 128 KiB. */
const MAX_ARGUMENT_BYTES = 100_000

/** Modules have no "require", which models write all the same: it is resolved from the current folder. */
const REQUIRE_LOADER =
  'data:text/javascript,import{createRequire as c}from"node:module";globalThis.require=c(process.cwd()+"/")'

/**
 * Code for Node is an argument as long as it fits: what it imports is then looked for from the
 * current folder, not from the file's.
 */
export function planNodeRun(
  { text }: InlineCode,
  { file, type, flags = [] }: { file: string; type: string; flags?: readonly string[] },
): InlinePlan {
  const isShort = Buffer.byteLength(text) <= MAX_ARGUMENT_BYTES && !text.includes('\0')
  const start = ({ program }: SandboxPaths) => [
    program('node'),
    ...flags,
    '--import',
    REQUIRE_LOADER,
  ]
  return {
    file,
    run: (at) =>
      isShort
        ? // The dash is what process.argv has in place of a file.
          [...start(at), `--input-type=${type}`, '--eval', text, '--', '-']
        : [...start(at), at.code],
  }
}
