import { execFile } from 'node:child_process'

const ASK_MS = 20_000
const MOST_OUTPUT = 1024 ** 2

/** What a program says of itself, on either stream; undefined where it does not start or fails. */
export async function askProgram(
  path: string,
  args: readonly string[],
  { searchPath, home }: { searchPath: string; home: string | undefined },
): Promise<string | undefined> {
  const env = { PATH: searchPath, LANG: 'C.UTF-8', ...(home !== undefined && { HOME: home }) }
  // In the root folder no project's own settings are near.
  const options = {
    cwd: '/',
    env,
    timeout: ASK_MS,
    maxBuffer: MOST_OUTPUT,
    encoding: 'utf8',
  } as const
  return await new Promise((resolve) => {
    const child = execFile(path, [...args], options, (error, stdout, stderr) => {
      if (error) return resolve(undefined)
      resolve(stdout.trim() === '' ? stderr.trim() : stdout.trim())
    })
    child.stdin?.on('error', () => {}).end()
  })
}
