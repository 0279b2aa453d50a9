import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { textOption, type Call } from '../command.ts'
import type { Context } from '../context.ts'
import type { Sources } from './sources.ts'

/** Where the code of `skills run-code` comes from. */
export interface CodeSource {
  /** For people: the file, or what it is instead. */
  name: string
  /** Undefined where the code is in no file. */
  file: string | undefined
  isStandardInput: boolean
  read(sources: Sources): Promise<string>
}

/** Decides where the code is; `--keep` takes a word that may as well be the file. */
export function readCodeSource(context: Context, call: Call): { source: CodeSource; call: Call } {
  const text = textOption(call, 'code')
  const [file] = call.args
  if (text !== undefined && file !== undefined) {
    throw new SkillsError('usage/invalid', `Expected --code or the file "${file}", got both`, {
      hint: 'Leave one of them out',
    })
  }
  if (text !== undefined) return { source: fromText(text), call }
  if (file !== undefined && file !== '-') return { source: fromFile(file), call }
  const { keep } = call.options
  if (file === undefined && typeof keep === 'string' && isFile(context, keep)) {
    const own = { ...call, options: { ...call.options, keep: true } }
    return { source: fromFile(keep), call: own }
  }
  if (file === undefined && context.stdin.isTTY === true) {
    throw new SkillsError('usage/invalid', 'Missing code: a file, --code, or code from a pipe', {
      hint: `Type: skills run-code --code 'def main(args): return 1'`,
    })
  }
  return { source: fromStandardInput(), call }
}

function fromText(text: string): CodeSource {
  return { name: 'code', file: undefined, isStandardInput: false, read: async () => checked(text) }
}

function fromFile(file: string): CodeSource {
  return {
    name: file,
    file,
    isStandardInput: false,
    read: async (sources) => checked(sources.text(file)),
  }
}

function fromStandardInput(): CodeSource {
  return {
    name: 'code',
    file: undefined,
    isStandardInput: true,
    read: async (sources) => checked(await sources.standardInput()),
  }
}

function checked(code: string): string {
  if (code.trim() !== '') return code
  throw new SkillsError('usage/invalid', 'The code is empty', {
    hint: `Give a file, --code, or a pipe, such as: skills run-code --code 'def main(args): return 1'`,
  })
}

function isFile(context: Context, path: string): boolean {
  return statSync(resolve(context.cwd, path), { throwIfNoEntry: false })?.isFile() === true
}
