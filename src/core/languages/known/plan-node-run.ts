import type { InlineCode, InlinePlan, SandboxPaths } from '../language.ts'

/** Bytes of one argument. Linux allows 128 KiB (MAX_ARG_STRLEN). */
const MAX_ARGUMENT_BYTES = 100_000

/** ES modules have no `require`, but models often use it. It resolves from the current folder. */
const REQUIRE_LOADER =
  'data:text/javascript,import{createRequire as c}from"node:module";globalThis.require=c(process.cwd()+"/")'

/**
 * Plans a run of Node. Code that fits into an argument is passed by `--eval`, so its imports
 * resolve from the current folder and not from the folder of a file.
 */
export function planNodeRun(
  { text }: InlineCode,
  { file, type, flags = [] }: { file: string; type: string; flags?: readonly string[] },
): InlinePlan {
  const isShort = fitsIntoArgument(text)
  const start = ({ program }: SandboxPaths) => [
    program('node'),
    ...flags,
    '--import',
    REQUIRE_LOADER,
  ]
  return {
    file,
    run: (paths) =>
      isShort
        ? // The dash takes the place of the file in process.argv.
          [...start(paths), `--input-type=${type}`, '--eval', text, '--', '-']
        : [...start(paths), paths.code],
  }
}

/** True if code can be passed as an argument. */
export function fitsIntoArgument(text: string): boolean {
  return Buffer.byteLength(text) <= MAX_ARGUMENT_BYTES && !text.includes('\0')
}
