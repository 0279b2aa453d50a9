import { SkillsError } from '../../../errors.ts'
import type { Config } from '../../config/config.ts'
import { readTextUpTo } from '../../../util/bytes/read-up-to.ts'

/** Upper bound of a secrets file. */
const MAX_BYTES = 1024 ** 2
const LINE = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/
const DOUBLE_QUOTED = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/
const SINGLE_QUOTED = /^'([^']*)'\s*(?:#.*)?$/
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

type CommandEnvironment = Readonly<Record<string, string | undefined>>

/** Values of the operator's secrets. */
export interface SecretSource {
  /**
   * Returns the values by name, of names that have one; of all names that are known if `names` is
   * undefined. Only with `env`, the environment of the program, is the command asked.
   */
  values(names?: readonly string[], env?: CommandEnvironment): Promise<ReadonlyMap<string, string>>
}

/** The settings of a source of secrets. */
type SecretSettings = Pick<Config['secrets'], 'file' | 'command'>

/** A value of a command is asked for again afterwards, since it may expire. */
const KEPT_MS = 30_000
const COMMAND_MS = 60_000

/**
 * Opens the operator's secrets. The file is read at each request; the command is asked for names that
 * the file does not have.
 */
export function openSecrets({ file, command }: SecretSettings): SecretSource {
  const asked = new Map<string, { value: Promise<string | undefined>; until: number }>()
  const ask = async (name: string, env: CommandEnvironment): Promise<string | undefined> => {
    const kept = asked.get(name)
    if (kept && kept.until > performance.now()) return await kept.value
    const value = askCommand(command, name, env)
    asked.set(name, { value, until: performance.now() + KEPT_MS })
    return await value
  }
  return {
    async values(names, env) {
      const all = file === undefined || names?.length === 0 ? new Map() : readSecretsFile(file)
      const found = new Map<string, string>(
        names ? [...all].filter(([name]) => names.includes(name)) : all,
      )
      if (command.length === 0) return found
      for (const name of names ?? asked.keys()) {
        const value = found.get(name) ?? (await (env ? ask(name, env) : asked.get(name)?.value))
        if (value !== undefined) found.set(name, value)
      }
      return found
    },
  }
}

/** Undefined if the command has no value for the name, which it says by its exit code. */
async function askCommand(
  command: readonly string[],
  name: string,
  env: CommandEnvironment,
): Promise<string | undefined> {
  const { runHostProgram, describeFailure } =
    await import('../../host-programs/run-host-program.ts')
  const isNamed = command.some((each) => each.includes('{name}'))
  const argv = [...command, ...(isNamed ? [] : [name])].map((each) =>
    each.replaceAll('{name}', name),
  )
  const result = await runHostProgram(argv, {
    env,
    timeoutMs: COMMAND_MS,
    ignoresStderr: true,
  })
  if (result.ok) return result.stdout.replace(/\r?\n$/, '')
  if (result.exitCode !== undefined && !result.timedOut) return undefined
  const problem = `The program of secrets.command gave no value for ${name}: ${describeFailure(result)}`
  throw new SkillsError('usage/invalid', problem, {
    hint: `Type it in a terminal: ${argv.join(' ')}`,
  })
}

/**
 * Reads a file of NAME=value lines, such as `.env`: `#` starts a comment, `export` may precede a
 * name, and values may have quotes.
 */
export function readSecretsFile(path: string): Map<string, string> {
  const secrets = new Map<string, string>()
  readSecretsText(path)
    .split(/\r?\n/)
    .forEach((line, index) => {
      if (line.trim() === '' || line.trimStart().startsWith('#')) return
      const [, name, text = ''] = LINE.exec(line) ?? []
      const value = name === undefined ? undefined : parseSecretValue(text.trim())
      if (name === undefined || value === undefined) throw invalidLineError(path, index + 1)
      secrets.set(name, value)
    })
  return secrets
}

/** A value with quotes ends at the closing one; another at a comment. */
function parseSecretValue(text: string): string | undefined {
  const [quote] = text
  if (quote !== '"' && quote !== "'") return text.replace(/(?:^|\s+)#.*$/, '')
  const quoted = quote === '"' ? DOUBLE_QUOTED.exec(text) : SINGLE_QUOTED.exec(text)
  const content = quoted?.[1]
  if (content === undefined || quote === "'") return content
  return content.replaceAll(/\\(.)/g, (_, character: string) => ESCAPES[character] ?? character)
}

/** The line itself may be a secret, so the message has only its number. */
function invalidLineError(path: string, line: number): SkillsError {
  return new SkillsError('usage/invalid', `Line ${line} of "${path}" is not NAME=value`, {
    hint: 'Write one NAME=value a line, # before comments, and close quotes',
  })
}

function readSecretsText(path: string): string {
  try {
    return readTextUpTo(path, MAX_BYTES)
  } catch (cause) {
    throw new SkillsError('file/unreadable', `Cannot read the secrets file "${path}"`, {
      hint: 'Check its path and permissions',
      cause,
    })
  }
}
