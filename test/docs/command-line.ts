import { runSkills } from '../helpers/skills.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { splitWords } from './shell-words.ts'

const helpTexts = new Map<string, Promise<string | undefined>>()

/** The help of a command, or undefined where there is no such command. */
async function readHelp(path: readonly string[]): Promise<string | undefined> {
  const key = path.join(' ')
  const asked =
    helpTexts.get(key) ??
    runSkills(['help', ...path], { columns: 200 }).then(({ code, stdout }) =>
      code === 0 && stdout.startsWith(`Usage: skills ${key}`) ? stdout : undefined,
    )
  helpTexts.set(key, asked)
  return await asked
}

/** The command and, where it groups others, those below it. */
async function findCommand(words: readonly string[]): Promise<readonly string[] | undefined> {
  let path = words.slice(0, 1)
  let help = await readHelp(path)
  if (help === undefined) return undefined
  for (const name of words.slice(1)) {
    if (help === undefined || !listNames(help).includes(name)) break
    path = [...path, name]
    help = await readHelp(path)
  }
  return path
}

/** The complaint about a line `skills …`, or undefined where its command and options exist. */
export async function checkCommandLine(line: string): Promise<string | undefined> {
  const words = splitWords(line.replace(/^(?:npx )?skills\s*/, ''))
  const path = await findCommand(words)
  if (!path) return `${line}: there is no such command`
  const help = (await readHelp(path)) ?? ''
  const end = words.indexOf('--')
  const given = end === -1 ? words : words.slice(0, end)
  for (const [at, word] of given.entries()) {
    if (!/^--?[a-z]/i.test(word)) continue
    const option = help
      .split('\n')
      .find((each) => new RegExp(`^\\s+(?:-\\w, )?${word}(?:[ ,]|$)`, 'm').test(each))
    if (option === undefined) return `${line}: ${path.join(' ')} has no option ${word}`
    const choices = /choices: (?<list>[^)]*)/.exec(option)?.groups?.['list']
    const value = given[at + 1] ?? ''
    if (choices !== undefined && !choices.includes(`"${value}"`)) {
      return `${line}: ${word} does not take ${value}`
    }
  }
  return undefined
}

/** Names of all commands, and every option of each. */
export async function listCommandsAndOptions(): Promise<{ names: string[]; options: Set<string> }> {
  const names = COMMANDS.filter(({ hidden }) => !hidden).map(({ name }) => name)
  const paths = await Promise.all(
    names.map(async (name) => {
      const below = listNames((await readHelp([name])) ?? '').filter((each) => each !== 'help')
      return [[name], ...below.map((each) => [name, each])]
    }),
  )
  const helps = await Promise.all([[], ...paths.flat()].map(async (path) => await readHelp(path)))
  const options = helps.flatMap((help) =>
    [...(help ?? '').matchAll(/^\s+(?:-\w, )?(--[a-z-]+)/gm)].map(([, name = '']) => name),
  )
  return { names, options: new Set(options) }
}

function listNames(help: string): string[] {
  const commands = help.split(/^Commands:$/m)[1] ?? ''
  return [...commands.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name)
}
