import { resolve, extname } from 'node:path'
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
import { detectKindByOptions, detectKindByText, requireOwnExitCode } from '../run/code-kind.ts'
import { buildRunOptions } from '../run/options.ts'
import { openSources } from '../run/sources.ts'
import type { ProgramRequest } from '../run/perform-program.ts'
import type { TargetFinder } from '../run/perform-target.ts'

export const command: CommandDefinition = {
  summary: 'Run code in a sandbox, as a function or a program',
  startsRuns: true,
  details: [
    'Run code in a sandbox, as a function or a program.',
    '',
    'Function (default): skills run-code [--code text] [--arg key=value]',
    '- Calls "main", or the function of --entrypoint, with the arguments.',
    '- Imports mounted skills: from skills.demo.greet import main',
    '- Imports helpers: from runtime import blobs, log',
    '- Has no permissions; run.code_inherits_permissions adds those of the',
    '  mounted skills.',
    '- The returned value goes to standard output as JSON, printed text to',
    '  standard error.',
    '',
    'Program: skills run-code --language <name> [--code text] [-- args]',
    '- Runs the code as a whole and forwards its output unchanged.',
    "- Without code, passes the arguments to the language's own program.",
    '- --repo, --cwd, --stdin, --output-mode or "--" also select this form.',
    '',
    'The extension of a file sets the language, unless --language does. With a',
    'language, code in Python, JavaScript or TypeScript that defines "main" is',
    'a function, and other code a program. --as selects the form explicitly.',
  ].join('\n'),
  arguments: [
    { syntax: '[file]', description: 'File with the code, or - for standard input' },
    { syntax: '[args...]', description: 'Arguments of the program, after "--"' },
  ],
  options: [
    { flags: '--code <text>', description: 'Run this text' },
    {
      flags: '--language <name>',
      description: "Set the language of the code (default: by the file's extension, else python)",
      choices: LANGUAGE_NAMES,
    },
    {
      flags: '--as <kind>',
      description: 'Run the code as a function or as a program',
      choices: ['function', 'program'],
    },
    {
      flags: '--mount <skill>',
      description: 'Make this skill importable: name, name@version, or a folder (repeatable)',
      isRepeatable: true,
    },
    { flags: '--entrypoint <name>', description: 'Call this function (default: main)' },
    { flags: '--repo <name>', description: 'Run the program in this registered repository' },
    { flags: '--cwd <folder>', description: 'Start in this folder of the repository' },
    {
      flags: '--stdin <text>',
      description: "Set the program's input: text, @file, or - for standard input",
    },
    {
      flags: '--output-mode <mode>',
      description: 'Print this part of the output instead of all of it',
      choices: OUTPUT_MODES,
    },
    {
      flags: '--query <term>',
      description: 'Show lines with this term, with --output-mode summary or intent (repeatable)',
      isRepeatable: true,
    },
    {
      flags: '--exit-code',
      description: "Exit with the program's own exit code, or 128 plus the number of its signal",
    },
    { flags: '--max-lines <number>', description: 'Limit the lines of --output-mode summary' },
    {
      flags: '--executable <name>',
      description: "Run the code with this executable instead of the language's default",
    },
    ...buildRunOptions({
      arg: 'Pass one argument, parsed as JSON if valid, else used as a string',
    }),
  ],
  examples: [
    {
      command: `skills run-code --code 'def main(args): return args["a"] * 2' --arg a=21`,
      explains: 'Call the function "main" of inline code',
    },
    {
      command: `skills run-code --mount demo.greet --code 'from skills.demo.greet import main'`,
      explains: 'Call the function of a skill',
    },
    {
      command: 'skills run-code report.py --mount demo.greet --mount ./skills/other --watch',
      explains: 'Run code with mounted skills again after every change',
      notRun: 'it runs until Ctrl-C',
    },
    {
      command: 'skills run-code report.py --mount demo.greet --url http://127.0.0.1:8080',
      explains: 'Run on a remote runtime with one of its skills',
      notRun: 'it needs a running server',
    },
    {
      command: 'skills run-code build.sh -- --verbose',
      explains: 'Run a file as a program, in the language of its extension',
      notRun: 'it needs a file',
    },
    {
      command: `skills run-code --language shell --code 'echo "$1"' -- hello`,
      explains: 'Run a program with an argument',
    },
    {
      command: 'skills run-code --language go --repo api -- test ./...',
      explains: "Run the language's own program in a registered repository",
      notRun: 'it needs a repository and Go',
    },
    {
      command: 'generate | skills run-code --json',
      explains: 'Run piped code and print JSON',
      notRun: 'it is a pipe of two programs',
    },
  ],
  async run(context, call) {
    const operands = call.args.slice(0, call.args.length - (call.dashed ?? 0))
    if (operands.length > 1) throw tooManyArguments(operands[1] ?? '')
    const sources = openSources(context)
    const hasCode = operands.length > 0 || getTextOption(call, 'code') !== undefined
    if (call.dashed !== undefined && !hasCode) {
      detectKindByOptions(call)
      return await runProgram(context, call, { code: undefined, sources })
    }
    const { source, call: parsed } = readCodeSource(context, { ...call, args: operands })
    const own = await setFileLanguage(parsed, source.file)
    const impliedKind = detectKindByOptions(own)
    if (impliedKind === 'function') return await callFunction(context, own, source)
    const code = await source.read(sources)
    requireOwnExitCode(own, code)
    if (
      (impliedKind ?? detectKindByText(getTextOption(own, 'language') ?? '', code)) === 'program'
    ) {
      const isInputTaken = source.isStandardInput
      const program = { ...own, args: call.args }
      return await runProgram(context, program, { code, sources, isInputTaken })
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
    hint: 'Put arguments of a program after "--"',
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
      // A skill that is named by name and by folder is mounted once.
      const mounts = new Map(
        found.map(({ dir }, at) => [dir || references[at], references[at] ?? '']),
      )
      const language = getTextOption(call, 'language') ?? 'python'
      const entrypoint = getTextOption(call, 'entrypoint')
      const own = { language, code, entrypoint, mount_skills: [...mounts.values()] }
      return {
        label: source.name,
        skills,
        folders: new Map(skills.map(({ name }, at) => [name, found[at]?.dir ?? ''])),
        inputs: undefined,
        isOpen: true,
        codeName: source.file,
        start: async ({ timeout_ms: timeout, ...input }, io) =>
          await handle.call('run_code', { ...own, ...input, limits: { timeout_ms: timeout } }, io),
        async createJob(runtime, { timeout_ms: timeout, ...input }) {
          const { createCodeJob } = await import('../../core/methods/run-code/handler.ts')
          const params = { language, code, entrypoint, ...input, limits: { timeout_ms: timeout } }
          return await createCodeJob(runtime, { ...params, entries: found })
        },
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

/**
 * Sets --language by the extension of the code's file, unless the caller set it. Other code stays
 * without a language.
 */
async function setFileLanguage(call: CommandLine, file: string | undefined): Promise<CommandLine> {
  const extension = extname(file ?? '')
  if (file === undefined || extension === '' || getTextOption(call, 'language') !== undefined) {
    return call
  }
  const { LANGUAGES, findLanguageByExtension } = await import('../../core/languages/index.ts')
  const language = findLanguageByExtension(extension)
  if (language) return { ...call, options: { ...call.options, language: language.name } }
  const known = LANGUAGES.flatMap(({ extensions }) => extensions).join(', ')
  throw new SkillsError(
    'usage/invalid',
    `No language has the file extension "${extension}", expected one of ${known}`,
    { hint: `Name the language: skills run-code ${file} --language python` },
  )
}
