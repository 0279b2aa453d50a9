import type { SkillInput } from '../../core/skills/manifest/manifest.ts'
import { SkillsError } from '../../errors.ts'
import { findNearest } from '../../util/find-nearest.ts'
import { GLOBAL_OPTIONS } from '../globals.ts'
import { buildRunOptions } from './options.ts'

type Inputs = Readonly<Record<string, SkillInput>>

/**
 * Reads the words after a skill: `name=Ada`, and `--name Ada` or `--name=Ada` for a declared input. Other options are
 * mistakes, also if the skill declares nothing.
 */
export function readNamedArguments(
  words: readonly string[],
  inputs: Inputs = {},
): [name: string, text: string][] {
  const pairs: [name: string, text: string][] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string
    if (!word.startsWith('-')) {
      pairs.push(splitPair(word))
      continue
    }
    const [name, value] = splitOption(word)
    const input = Object.hasOwn(inputs, name) ? inputs[name] : undefined
    if (!input) throw unknownOptionError(word, inputs)
    if (value !== undefined) pairs.push([name, value])
    else if (input.type === 'boolean' && !/^(?:true|false)$/.test(words[at + 1] ?? '')) {
      pairs.push([name, 'true'])
    } else pairs.push([name, requireValue(name, words[++at])])
  }
  return pairs
}

/** The input of `--due-date=…` is `due_date` in most skills. */
function splitOption(word: string): [name: string, value: string | undefined] {
  const at = word.indexOf('=')
  const flag = at === -1 ? word : word.slice(0, at)
  const name = flag.replace(/^-+/, '').replaceAll('-', '_')
  return [name, at === -1 ? undefined : word.slice(at + 1)]
}

function splitPair(word: string): [name: string, text: string] {
  const at = word.indexOf('=')
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)]
  throw new SkillsError('usage/invalid', `Expected name=value after the skill, got "${word}"`, {
    hint: 'Name the input, as in: skills exec demo.greet name=Ada',
  })
}

function requireValue(name: string, value: string | undefined): string {
  if (value !== undefined) return value
  throw new SkillsError('usage/invalid', `The input "${name}" needs a value`, {
    hint: `Write it as: ${name}=<value>`,
  })
}

function unknownOptionError(word: string, inputs: Inputs): SkillsError {
  const [flag = word] = word.split('=')
  const known = [
    ...[...buildRunOptions({ arg: '' }), ...GLOBAL_OPTIONS].flatMap(
      ({ flags }) => /--[\w-]+/.exec(flags) ?? [],
    ),
    ...Object.keys(inputs).map((name) => `--${name}`),
  ]
  const guess = findNearest(flag, known)
  return new SkillsError('usage/invalid', `Unknown option "${flag}"`, {
    hint: guess
      ? `Did you mean "${guess}"?`
      : 'Type "skills exec --help" for options; inputs of a skill are passed as name=value',
  })
}
