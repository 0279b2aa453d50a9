import { spawn } from 'node:child_process'
import { DEFAULT_PATH, findProgram } from '../../util/find-program.ts'

/** Programs that open an address in the user's browser, by the platform. */
const OPENERS: Readonly<Record<string, readonly [name: string, ...args: string[]]>> = {
  darwin: ['open'],
  // Unlike "start" of its shell, this reads no part of the address as a command.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}
const DEFAULT_OPENER = ['xdg-open'] as const
/** A program that still runs then has become the browser. */
const START_MS = 3000

/** Variables that find the user's desktop and browser; all others could hold secrets. */
const DESKTOP_VARIABLE =
  /^(?:DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DBUS_SESSION_BUS_ADDRESS|XDG_\w+|DESKTOP_SESSION|(?:GNOME|KDE|WSL)_\w+|BROWSER|HOME|PATH|LANG|LC_\w+|USER|LOGNAME|TMPDIR|SystemRoot|USERPROFILE|(?:LOCAL)?APPDATA|TEMP|TMP)$/i
const DISPLAY_VARIABLES = ['DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER', 'WSL_DISTRO_NAME']

interface Desktop {
  env: Readonly<Record<string, string | undefined>>
  platform?: NodeJS.Platform
}

/**
 * Opens an address in the user's browser, which outlives this process. Returns the reason if that is
 * not possible. Other users can read the address in the list of processes.
 */
export async function openAddress(
  address: string,
  { env, platform = process.platform }: Desktop,
): Promise<string | undefined> {
  const [name, ...args] = OPENERS[platform] ?? DEFAULT_OPENER
  const isDesktop = platform in OPENERS || DISPLAY_VARIABLES.some((variable) => env[variable])
  if (!isDesktop) return 'this terminal has no display'
  const path = platform === 'win32' ? name : findProgram(name, env['PATH'] ?? DEFAULT_PATH)
  if (path === undefined) return `${name} is not installed`
  const exit = await startDetached([path, ...args, address], env)
  return exit === 0 || exit === undefined ? undefined : `${name} failed (${exit})`
}

/** Returns the exit code or error of a program; undefined if it runs on. */
async function startDetached(
  [file = '', ...args]: readonly string[],
  env: Desktop['env'],
): Promise<number | string | undefined> {
  const child = spawn(file, args, {
    env: Object.fromEntries(Object.entries(env).filter(([name]) => DESKTOP_VARIABLE.test(name))),
    stdio: 'ignore',
    // Ctrl-C in the terminal ends the processes of its session, and the browser is none of them.
    detached: true,
  })
  child.unref()
  return await new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), START_MS)
    const end = (result: number | string | null) => {
      clearTimeout(timer)
      resolve(result ?? 'it was killed')
    }
    child.once('exit', end)
    child.once('error', ({ code, message }: NodeJS.ErrnoException) => end(code ?? message))
  })
}
