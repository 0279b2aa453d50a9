import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import type { Sources } from './sources.ts'

/** Source of the code of `skills run-code`. */
export interface CodeSource {
  /** Name for messages: the file, or a description of the source. */
  name: string
  /** Undefined if the code is not from a file. */
  file: string | undefined
  isStandardInput: boolean
  read(sources: Sources): Promise<string>
}

/** Finds the code; `--keep` may have consumed the file as its optional value. */
export function readCodeSource(
  context: Context,
  call: CommandLine,
): { source: CodeSource; call: CommandLine } {
  const text = getTextOption(call, 'code')
  const [file] = call.args
  if (text !== undefined && file !== undefined) {
    throw new SkillsError('usage/invalid', `Expected --code or the file "${file}", got both`, {
      hint: 'Remove one of them',
    })
  }
  if (text !== undefined) return { source: createTextSource(text), call }
  if (file !== undefined && file !== '-') return { source: createFileSource(file), call }
  const { keep } = call.options
  if (file === undefined && typeof keep === 'string' && isCodeFile(context, keep)) {
    const own = { ...call, options: { ...call.options, keep: true } }
    return { source: createFileSource(keep), call: own }
  }
  if (file === undefined && context.stdin.isTTY === true) {
    throw new SkillsError('usage/invalid', 'Missing code: a file, --code, or code from a pipe', {
      hint: `Type: skills run-code --code 'def main(args): return 1'`,
    })
  }
  return { source: createStdinSource(), call }
}

function createTextSource(text: string): CodeSource {
  return {
    name: 'code',
    file: undefined,
    isStandardInput: false,
    read: async () => requireCode(text),
  }
}

function createFileSource(file: string): CodeSource {
  return {
    name: file,
    file,
    isStandardInput: false,
    read: async (sources) => requireCode(sources.readText(file)),
  }
}

function createStdinSource(): CodeSource {
  return {
    name: 'code',
    file: undefined,
    isStandardInput: true,
    read: async (sources) => requireCode(await sources.readStdin()),
  }
}

function requireCode(code: string): string {
  if (code.trim() !== '') return code
  throw new SkillsError('usage/invalid', 'The code is empty', {
    hint: `Pass a file, --code, or a pipe, such as: skills run-code --code 'def main(args): return 1'`,
  })
}

function isCodeFile(context: Context, path: string): boolean {
  return statSync(resolve(context.cwd, path), { throwIfNoEntry: false })?.isFile() === true
}
