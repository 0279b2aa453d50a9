import type { SandboxProgram } from '../backend.ts'

/**
 * Rewrites paths in an argument to their locations on the host: at its start, after "=" and ":" as
 * in options and path lists, and percent-encoded as in module URLs.
 */
export function rewritePaths(argument: string, locations: ReadonlyMap<string, string>): string {
  return argument.replace(PATH_IN_ARGUMENT, (whole, before: string, path: string) => {
    const isEscaped = path.startsWith('%2F')
    const plain = isEscaped ? decodeURIComponent(path) : path
    const rewritten = rewritePath(plain, locations)
    if (rewritten === plain) return whole
    return before + (isEscaped ? encodeURIComponent(rewritten) : rewritten)
  })
}

const PATH_IN_ARGUMENT = /(^|[=:])((?:\/|%2F)[\w.+%/-]*)/g

/** The longest matching folder wins. */
function rewritePath(path: string, locations: ReadonlyMap<string, string>): string {
  const [match] = [...locations]
    .filter(([target]) => path === target || path.startsWith(`${target}/`))
    .sort(([a], [b]) => b.length - a.length)
  return match ? match[1] + path.slice(match[0].length) : path
}

/** Rewrites the paths of a program, except those of the files that are created before it. */
export function rewriteProgram(
  program: SandboxProgram,
  rewrite: (text: string) => string,
): SandboxProgram {
  const { argv, cwd, env } = program
  const values = rewriteValues(env, rewrite)
  return { ...program, argv: argv.map(rewrite), cwd: rewrite(cwd), env: values }
}

export function rewriteValues(
  values: Readonly<Record<string, string>>,
  rewrite: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, rewrite(value)]))
}
