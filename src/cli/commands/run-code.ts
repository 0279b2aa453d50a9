import { resolve } from 'node:path'
import { listOption, textOption, type Call, type CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { findSkill, folderOf, isFolderReference } from '../find-skill.ts'
import { readCodeSource, type CodeSource } from '../run/code-source.ts'
import { runOptions } from '../run/options.ts'
import type { TargetFinder } from '../run/perform.ts'

export const command: CommandDefinition = {
  summary: 'Run code in a sandbox, with skills to import',
  details: [
    'Call a function of Python code in a fresh sandbox. The code imports skills that are mounted, and helpers for blobs and logs:',
    'from skills.demo.greet import main; from runtime import blobs, log.',
    'Code has no permissions of its own; run.code_inherits_permissions gives it those of the mounted skills.',
    'What the function returns goes to standard output as JSON, what the code prints to standard error.',
    'Exits with 0, with 1 where the code failed, with 2 for wrong usage, with 3 where it could not be run, with 130 on Ctrl-C.',
  ].join(' '),
  arguments: [{ syntax: '[file]', description: 'The code, or - for standard input' }],
  options: [
    { flags: '--code <text>', description: 'The code itself' },
    {
      flags: '--mount <skill>',
      description: 'Let the code import this skill: name, name@version, or a folder',
      many: true,
    },
    { flags: '--entrypoint <name>', description: 'The function to call; "main" unless given' },
    {
      flags: '--language <name>',
      description: 'What the code is written in',
      choices: ['python'],
      default: 'python',
    },
    ...runOptions({ arg: 'One argument, read as JSON where it is JSON, else as text' }),
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
      command: 'generate | skills run-code --json',
      explains: 'Code from another program, everything for a program',
      notRun: 'it is a pipe of two programs',
    },
  ],
  async run(context, call) {
    const { source, call: own } = readCodeSource(context, call)
    const { perform } = await import('../run/perform.ts')
    return await perform(context, own, finderFor(context, own, source))
  },
}

function finderFor(context: Context, call: Call, source: CodeSource): TargetFinder {
  const references = [...new Set(listOption(call, 'mount'))]
  return {
    name: [source.name, ...references].join(', '),
    readsInput: source.isStandardInput,
    async find(access, sources) {
      const code = await source.read(sources)
      const found = await Promise.all(
        references.map(async (reference) => await access.skillOrFolder(reference)),
      )
      const skills = await Promise.all(found.map(async (skill) => await skill.manifest()))
      const language = textOption(call, 'language') ?? 'python'
      const entrypoint = textOption(call, 'entrypoint')
      const own = { language, code, entrypoint, mounts: references }
      return {
        label: source.name,
        skills,
        inputs: undefined,
        codeName: source.file,
        start: async (input, runCall) => await access.runCode({ ...own, ...input }, runCall),
      }
    },
    async places() {
      const folders = await Promise.all(
        references.map(async (reference) =>
          isFolderReference(reference)
            ? folderOf(context, reference)
            : (await findSkill(context, reference)).entry.dir,
        ),
      )
      return source.file === undefined ? folders : [resolve(context.cwd, source.file), ...folders]
    },
  }
}
