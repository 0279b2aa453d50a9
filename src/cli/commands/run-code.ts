import { resolve } from 'node:path'
import { LANGUAGE_NAMES } from '../../core/languages/language.ts'
import { OUTPUT_MODES } from '../../core/outputs/view/output-view.ts'
import { SkillsError } from '../../errors.ts'
import {
  getListOption,
  getTextOption,
  type CommandLine,
  type CommandDefinition,
} from '../command.ts'
import type { Context } from '../context.ts'
import { findSkillFolder, findSkill } from '../find-skill.ts'
import { readCodeSource, type CodeSource } from '../run/code-source.ts'
import { detectKindByOptions, detectKindByText } from '../run/code-kind.ts'
import { buildRunOptions } from '../run/options.ts'
import { openSources } from '../run/sources.ts'
import type { ProgramRequest } from '../run/perform-program.ts'
import type { TargetFinder } from '../run/perform-target.ts'

export const command: CommandDefinition = {
  summary: 'Run code in a sandbox: a function of it, or all of it as a program',
  details: [
    'Run code in a fresh sandbox, in one of two ways.',
    'As a function: without --language, or where code in python, node or typescript defines "main", that is called. It imports skills that are mounted, and helpers for blobs and logs:',
    'from skills.demo.greet import main; from runtime import blobs, log.',
    'Code has no permissions of its own; run.code_inherits_permissions gives it those of the mounted skills.',
    'What the function returns goes to standard output as JSON, what the code prints to standard error.',
    'As a program: any other code with --language, and whatever comes with --repo, --cwd, --stdin, --output-mode or arguments behind "--". What it prints is handed on as it is.',
    'Without code, arguments behind "--" go to the language\'s own program. --as decides where both would do.',
    'Exits with 0, with 1 where the code failed or was denied, with 2 for wrong usage, with 3 where it could not be run, with 130 on Ctrl-C.',
  ].join(' '),
  arguments: [
    { syntax: '[file]', description: 'The code, or - for standard input' },
    { syntax: '[args...]', description: 'Behind "--": arguments of the program' },
  ],
  options: [
    { flags: '--code <text>', description: 'The code itself' },
    {
      flags: '--language <name>',
      description: 'What the code is written in; python unless given',
      choices: LANGUAGE_NAMES,
    },
    {
      flags: '--as <kind>',
      description: 'Call its function, or run it as a program',
      choices: ['function', 'program'],
    },
    {
      flags: '--mount <skill>',
      description: 'Let the code import this skill: name, name@version, or a folder',
      isRepeatable: true,
    },
    { flags: '--entrypoint <name>', description: 'The function to call; "main" unless given' },
    { flags: '--repo <name>', description: 'Run the program in this registered repository' },
    { flags: '--cwd <folder>', description: 'Start in this folder of the repository' },
    {
      flags: '--stdin <text>',
      description: 'What the program reads: text, @file, or - for standard input',
    },
    {
      flags: '--output-mode <mode>',
      description: 'Show this of what the program prints, not all of it',
      choices: OUTPUT_MODES,
    },
    {
      flags: '--query <term>',
      description: 'Show the lines with this, with --output-mode summary or intent',
      isRepeatable: true,
    },
    { flags: '--max-lines <number>', description: 'Lines that --output-mode summary shows' },
    {
      flags: '--executable <name>',
      description: "Run it with this in place of the language's own",
    },
    ...buildRunOptions({ arg: 'One argument, read as JSON where it is JSON, else as text' }),
  ],
  examples: [
    {
      command: `skills run-code --code 'def main(args): return args["a"] * 2' --arg a=21`,
      explains: 'Code from the command line',
    },
    {
      command: `skills run-code --mount demo.greet --code 'from skills.demo.greet import main'`,
      explains: 'The code of a skill, called by its own function',
    },
    {
      command: 'skills run-code report.py --mount demo.greet --mount ./skills/other --watch',
      explains: 'Code that is being written, with a skill by name and one by folder',
      notRun: 'it runs until Ctrl-C',
    },
    {
      command: 'skills run-code report.py --mount demo.greet --url http://127.0.0.1:8080',
      explains: 'On a remote runtime, with a skill that it has',
      notRun: 'it needs a runtime that serves',
    },
    {
      command: `skills run-code --language shell --code 'echo "$1"' -- hello`,
      explains: 'A program with an argument',
    },
    {
      command: 'skills run-code --language go --repo api -- test ./...',
      explains: 'A program of the language itself, in a registered repository',
      notRun: 'it needs a repository and Go',
    },
    {
      command: 'generate | skills run-code --json',
      explains: 'Code from another program, everything for a program',
      notRun: 'it is a pipe of two programs',
    },
  ],
  async run(context, call) {
    const operands = call.args.slice(0, call.args.length - (call.dashed ?? 0))
    if (operands.length > 1) throw tooManyArguments(operands[1] ?? '')
    const known = detectKindByOptions(call)
    const sources = openSources(context)
    const hasCode = operands.length > 0 || getTextOption(call, 'code') !== undefined
    if (call.dashed !== undefined && !hasCode) {
      return await runProgram(context, call, { code: undefined, sources })
    }
    const { source, call: own } = readCodeSource(context, { ...call, args: operands })
    if (known === 'function') return await callFunction(context, own, source)
    const code = await source.read(sources)
    if ((known ?? detectKindByText(getTextOption(call, 'language') ?? '', code)) === 'program') {
      const isInputTaken = source.isStandardInput
      return await runProgram(context, call, { code, sources, isInputTaken })
    }
    return await callFunction(context, own, { ...source, read: async () => code })
  },
}

async function callFunction(
  context: Context,
  call: CommandLine,
  source: CodeSource,
): Promise<number> {
  const { performTarget } = await import('../run/perform-target.ts')
  return await performTarget(context, call, createCodeFinder(context, call, source))
}

async function runProgram(
  context: Context,
  call: CommandLine,
  request: Omit<ProgramRequest, 'isInputTaken'> & { isInputTaken?: boolean },
): Promise<number> {
  const { performAsProgram } = await import('../run/perform-program.ts')
  return await performAsProgram(context, call, { isInputTaken: false, ...request })
}

function tooManyArguments(word: string): SkillsError {
  const message = `"skills run-code" takes one argument, got "${word}" as well`
  return new SkillsError('usage/invalid', message, {
    hint: 'Put arguments of a program behind "--"',
  })
}

function createCodeFinder(context: Context, call: CommandLine, source: CodeSource): TargetFinder {
  const references = [...new Set(getListOption(call, 'mount'))]
  return {
    name: [source.name, ...references].join(', '),
    readsInput: source.isStandardInput,
    async find(handle, sources) {
      const code = await source.read(sources)
      const found = await Promise.all(
        references.map(async (reference) => await findSkill(handle.skills, reference)),
      )
      const skills = await Promise.all(
        found.map(async (each) => await handle.skills.manifest(each)),
      )
      // A skill given by name and by folder is mounted once.
      const mounts = new Map(
        found.map(({ dir }, at) => [dir || references[at], references[at] ?? '']),
      )
      const language = getTextOption(call, 'language') ?? 'python'
      const entrypoint = getTextOption(call, 'entrypoint')
      const own = { language, code, entrypoint, mount_skills: [...mounts.values()] }
      return {
        label: source.name,
        skills,
        inputs: undefined,
        codeName: source.file,
        start: async ({ timeout_ms: timeout, ...input }, io) =>
          await handle.call('run_code', { ...own, ...input, limits: { timeout_ms: timeout } }, io),
      }
    },
    async listPaths() {
      const folders = await Promise.all(
        references.map(async (reference) => await findSkillFolder(context, reference)),
      )
      return source.file === undefined ? folders : [resolve(context.cwd, source.file), ...folders]
    },
  }
}
